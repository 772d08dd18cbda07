package dev.kron.simulation;

import dev.kron.simulation.MutationTest.Case;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.util.List;

/** Deliberate bugs in messages, and in runs at starts of the machine. */
final class MessageBugs {
  private static final String DRAFT = "dev.kron.notice.Problems$Draft";
  private static final String NOTIFIER = "dev.kron.daemon.notices.Notifier";
  private static final String OUTBOX = "dev.kron.notify.Outbox";
  private static final String BOOTS = "dev.kron.daemon.jobs.BootPeriods";

  private MessageBugs() {}

  static List<Case> all() {
    return List.of(
        new Case(Mutation.without("nobody is told of a problem", DRAFT, "owe", "add"), 21),
        new Case(Mutation.without("a success closes no problem", DRAFT, "recovered", "close"), 13),
        new Case(
            Mutation.answering(
                "every failure is a problem of its own", DRAFT, "happened", "equals", 0),
            53),
        new Case(
            Mutation.replacing(
                "a debt is not in the write of its outcome",
                "dev.kron.daemon.jobs.StateCommits",
                "notices",
                it -> it instanceof ReturnInstruction,
                (builder, element) -> builder.pop().aconst_null().with(element)),
            13),
        new Case(
            Mutation.replacing(
                "reminders come after half of the time",
                "dev.kron.notice.Problems",
                "dueMillis",
                it -> it instanceof InvokeInstruction call && call.name().equalsString("toMillis"),
                (builder, element) -> builder.with(element).loadConstant(2L).ldiv()),
            101),
        new Case(
            Mutation.answering(
                "a debt is settled that the outbox has not", NOTIFIER, "take", "take", 1),
            13),
        new Case(
            Mutation.answering(
                "what an earlier daemon took over is forgotten", OUTBOX, "read", "isReadable", 0),
            61),
        new Case(Mutation.without("what was sent is not noted", OUTBOX, "done", "append"), 341),
        new Case(
            Mutation.answering("who was not there runs in this boot", BOOTS, "due", "has", 1),
            437));
  }
}
