package dev.kron.simulation;

import dev.kron.simulation.MutationTest.Case;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.List;

/** Deliberate bugs in how failed runs are tried again, and in chains. */
final class RetryBugs {
  private static final String MACHINE = "dev.kron.job.JobMachine";
  private static final String FOLLOWING = "dev.kron.job.FollowingRuns";
  private static final String DRAFT = "dev.kron.job.Draft";
  private static final ClassDesc STATE_BUILDER = ClassDesc.of("dev.kron.job.JobState$Builder");
  private static final ClassDesc RETRY = ClassDesc.of("dev.kron.job.Retry");

  private RetryBugs() {}

  static List<Case> all() {
    return List.of(
        new Case(
            Mutation.answering(
                "what need not have failed is tried again",
                DRAFT,
                "executed",
                "failedForCertain",
                1),
            7),
        new Case(
            Mutation.answering("nothing is tried again", DRAFT, "executed", "failedForCertain", 0),
            7),
        new Case(
            Mutation.without(
                "a later period does not end a wait", MACHINE, "periodDue", "dropRetry"),
            39),
        new Case(
            Mutation.replacing(
                "an attempt that began waits once more",
                FOLLOWING,
                "retryDue",
                it ->
                    it instanceof FieldInstruction field
                        && field.opcode() == Opcode.PUTFIELD
                        && field.name().equalsString("retry"),
                (builder, element) -> builder.pop2()),
            7),
        new Case(
            Mutation.replacing(
                "an attempt waits for nothing",
                DRAFT,
                "retry",
                it ->
                    it instanceof InvokeInstruction call && call.name().equalsString("delayMillis"),
                (builder, element) -> builder.pop().pop2().pop().lconst_0()),
            23),
        new Case(Mutation.without("the end of a wait is not told", DRAFT, "dropRetry", "add"), 135),
        new Case(
            Mutation.replacing(
                "what waits is lost with the daemon",
                "dev.kron.job.JobState",
                "withArrival",
                it -> it instanceof InvokeInstruction call && call.name().equalsString("build"),
                (builder, element) ->
                    builder
                        .aconst_null()
                        .invokevirtual(
                            STATE_BUILDER, "retry", MethodTypeDesc.of(STATE_BUILDER, RETRY))
                        .with(element)),
            151),
        new Case(
            Mutation.answering(
                "an attempt begins beside another run", FOLLOWING, "retryDue", "isEmpty", 1),
            183),
        new Case(
            Mutation.without(
                "what follows is not told", "dev.kron.daemon.jobs.JobChains", "look", "add"),
            7),
        new Case(
            Mutation.answering(
                "a link that is told again is taken again", FOLLOWING, "linkDue", "contains", 0),
            69),
        new Case(
            Mutation.answering("whatever ended is followed", DRAFT, "executed", "success", 1), 7));
  }
}
