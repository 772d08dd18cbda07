package dev.kron.simulation;

import dev.kron.simulation.MutationTest.Case;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.util.List;

/** Deliberate bugs in limits, alerts, schedules and in what is executed of jobs. */
final class JobBugs {
  private static final String ENDINGS = "dev.kron.daemon.jobs.Endings";
  private static final String ALERTS = "dev.kron.daemon.jobs.Alerts";
  private static final String ALERT_COMMANDS = "dev.kron.daemon.runs.AlertCommands";
  private static final String LAUNCHES = "dev.kron.daemon.runs.Launches";
  private static final String JOB_LAUNCHES = "dev.kron.daemon.jobs.JobLaunches";
  private static final String SCHEDULE = "dev.kron.schedule.Schedule";

  private JobBugs() {}

  static List<Case> all() {
    return List.of(
        new Case(
            replacingConstant(
                "a timeout is twice as long",
                "dev.kron.daemon.jobs.JobRuns",
                "began",
                1_000_000L,
                2_000_000L),
            1),
        new Case(
            replacingConstant(
                "a timeout comes at half the time",
                "dev.kron.daemon.jobs.JobRuns",
                "began",
                1_000_000L,
                500_000L),
            1),
        new Case(
            Mutation.replacing(
                "KILL comes a second after TERM",
                ENDINGS,
                "signalled",
                it ->
                    it instanceof FieldInstruction field
                        && field.opcode() == Opcode.GETFIELD
                        && field.name().equalsString("graceNanos"),
                (builder, element) -> builder.pop().loadConstant(1_000_000_000L)),
            1),
        new Case(
            Mutation.without("a run that ignores TERM is never killed", ENDINGS, "kill", "send"),
            3),
        new Case(
            Mutation.without(
                "an alert is not raised", "dev.kron.daemon.jobs.Jobs", "perform", "alert"),
            1),
        new Case(
            Mutation.without(
                "an alert that an earlier daemon owed is not raised", ALERTS, "recover", "raise"),
            70),
        new Case(
            Mutation.without(
                "an alert that does not end is not ended", ALERT_COMMANDS, "start", "began"),
            62),
        new Case(
            Mutation.without(
                "an alert that an earlier daemon raised is not ended",
                ALERT_COMMANDS,
                "goesOn",
                "began"),
            19),
        new Case(
            Mutation.without(
                "an alert that ignores TERM is not killed",
                "dev.kron.daemon.runs.AlertLimit",
                "ask",
                "after"),
            62),
        new Case(
            Mutation.without(
                "the environment of a job's file is left out", LAUNCHES, "environment", "putAll"),
            8),
        new Case(
            Mutation.without(
                "a job of another user runs as the daemon's",
                JOB_LAUNCHES,
                "launch",
                "credentials"),
            3),
        new Case(
            replacingConstant(
                "another second is drawn",
                "dev.kron.schedule.SplitMix64",
                "draw",
                0x94D049BB133111EBL,
                0x94D049BB133111EDL),
            1),
        new Case(
            Mutation.answering(
                "days on which a job may not run are not minded", SCHEDULE, "allow", "allow", 1),
            28));
  }

  static Mutation replacingConstant(
      String name, String className, String method, long from, long to) {
    return Mutation.replacing(
        name,
        className,
        method,
        it ->
            it instanceof ConstantInstruction constant
                && constant.constantValue().equals(Long.valueOf(from)),
        (builder, element) -> builder.loadConstant(to));
  }
}
