package dev.kron.simulation;

import dev.kron.simulation.MutationTest.Case;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.List;

/** Deliberate bugs about files that vanish, edits of policies alone, and what is wanted up. */
final class LossBugs {
  private static final String MACHINE = "dev.kron.service.ServiceMachine";
  private static final String DRAFT = "dev.kron.service.InstanceDraft";
  private static final String RECOVERY = "dev.kron.daemon.services.ServiceRecovery";
  private static final ClassDesc LIST = ClassDesc.of("java.util.List");
  private static final String LOST_RUNS = "dev.kron.daemon.jobs.LostRuns";

  private LossBugs() {}

  static List<Case> all() {
    return List.of(
        new Case(
            Mutation.answering(
                "an alert that is owed is a run of a job", LOST_RUNS, "find", "isEmpty", 0),
            190),
        new Case(
            Mutation.answering(
                "what began under a clock ahead is lost with its job's file",
                LOST_RUNS,
                "find",
                "hasBegun",
                0),
            1841),
        new Case(
            Mutation.answering(
                "a log of arrivals that was cut tells of all jobs",
                "dev.kron.store.StateLoader",
                "load",
                "hasBeginning",
                1),
            681),
        new Case(
            Mutation.replacing(
                "a new daemon wants everything up",
                RECOVERY,
                "find",
                it -> it instanceof BranchInstruction branch && branch.opcode() == Opcode.IF_ACMPNE,
                (builder, element) -> builder.pop2()),
            8),
        new Case(
            Mutation.answering(
                "an edit of a policy alone is not taken over",
                "dev.kron.daemon.jobs.Reload",
                "between",
                "saysTheSame",
                1),
            15),
        new Case(
            Mutation.without(
                "a new daemon starts nothing of services", MACHINE, "recovered", "begin"),
            24),
        new Case(
            Mutation.without(
                "what waited for another is not started when that is up",
                MACHINE,
                "dependencySatisfied",
                "begin"),
            72),
        new Case(
            Mutation.without(
                "instances that a file newly has are not started",
                "dev.kron.service.Supervision",
                "startNewInstances",
                "send"),
            496),
        new Case(
            Mutation.answering(
                "what went down with everything stays down", DRAFT, "stopped", "comesBack", 0),
            24),
        new Case(
            Mutation.answering(
                "who waited when everything went down waits for ever",
                DRAFT,
                "stayDown",
                "comesBack",
                0),
            216),
        new Case(
            Mutation.without(
                "what ended on a full disk is left behind",
                "dev.kron.daemon.services.Supervisor",
                "halt",
                "recover"),
            18_072),
        new Case(
            Mutation.without("a restart ends with the stop", DRAFT, "stopped", "restart"), 152),
        new Case(
            Mutation.without(
                "nobody comes back to a wait that began late", DRAFT, "goneAtLast", "wakeAt"),
            272),
        new Case(
            Mutation.answering(
                "a failure under an earlier schedule is tried again",
                "dev.kron.job.Draft",
                "executed",
                "outdated",
                0),
            5_074_951),
        new Case(
            Mutation.answering(
                "a boot is noted before its jobs are known",
                "dev.kron.daemon.BootNotes",
                "writableAgain",
                "isToBeNoted",
                1),
            5_077_405),
        new Case(
            Mutation.replacing(
                "a number of instances that was asked for is forgotten",
                "dev.kron.service.SupervisionDraft",
                "scale",
                it -> it instanceof InvokeInstruction call && call.name().equalsString("put"),
                (builder, element) -> builder.pop2().pop().aconst_null()),
            104),
        new Case(
            Mutation.replacing(
                "what only its keeper tells of is not found",
                "dev.kron.daemon.services.LostServiceRuns",
                "note",
                it -> it instanceof InvokeInstruction call && call.name().equalsString("kept"),
                (builder, element) ->
                    builder.pop2().invokestatic(LIST, "of", MethodTypeDesc.of(LIST), true)),
            64));
  }
}
