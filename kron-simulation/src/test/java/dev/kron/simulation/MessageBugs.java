package dev.kron.simulation;

import dev.kron.simulation.MutationTest.Case;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.List;

/** Deliberate bugs in messages, in runs at starts of the machine, and in what chains read. */
final class MessageBugs {
  private static final String DRAFT = "dev.kron.notice.Problems$Draft";
  private static final String NOTIFIER = "dev.kron.daemon.notices.Notifier";
  private static final String OUTBOX = "dev.kron.notify.Outbox";
  private static final String BOOTS = "dev.kron.daemon.jobs.BootPeriods";
  private static final String LAUNCHES = "dev.kron.daemon.jobs.JobLaunches";

  private MessageBugs() {}

  static List<Case> all() {
    return List.of(
        new Case(Mutation.without("nobody is told of a problem", DRAFT, "owe", "add"), 21),
        new Case(Mutation.without("a success closes no problem", DRAFT, "recovered", "close"), 21),
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
            Mutation.answering("who was not there runs in this boot", BOOTS, "due", "has", 1), 437),
        new Case(
            Mutation.answering(
                "who lost its past is taken for the one that was there",
                "dev.kron.store.BootRecord",
                "has",
                "isOf",
                1),
            1845),
        new Case(
            Mutation.answering(
                "a boot that was handled is due again",
                "dev.kron.job.JobState",
                "handled",
                "contains",
                0),
            13),
        new Case(
            Mutation.replacing(
                "the second of a boot is not waited for",
                BOOTS,
                "due",
                it ->
                    it instanceof InvokeInstruction call
                        && call.name().equalsString("chosenEpochSecond"),
                (builder, element) -> builder.pop().lconst_0()),
            21),
        new Case(Mutation.without("a boot is not noted", BOOTS, "begin", "write"), 21),
        new Case(
            Mutation.replacing(
                "what follows reads its own output",
                LAUNCHES,
                "input",
                it -> it instanceof InvokeInstruction call && call.name().equalsString("cause"),
                (builder, element) ->
                    builder.invokevirtual(
                        ClassDesc.of("dev.kron.job.ActiveRun"),
                        "runId",
                        MethodTypeDesc.of(ConstantDescs.CD_String))),
            5),
        new Case(
            Mutation.replacing(
                "what follows reads nothing",
                LAUNCHES,
                "input",
                it -> it instanceof InvokeInstruction call && call.name().equalsString("cause"),
                (builder, element) -> builder.pop().aconst_null()),
            101));
  }
}
