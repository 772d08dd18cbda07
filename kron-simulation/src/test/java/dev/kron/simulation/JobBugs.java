package dev.kron.simulation;

import dev.kron.simulation.MutationTest.Case;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.List;

/** Deliberate bugs in limits, alerts, schedules and in what is executed of jobs. */
final class JobBugs {
  private static final String ENDINGS = "dev.kron.daemon.Endings";
  private static final String ALERTS = "dev.kron.daemon.Alerts";
  private static final String LAUNCHES = "dev.kron.daemon.Launches";
  private static final String SCHEDULE = "dev.kron.schedule.Schedule";

  private JobBugs() {}

  static List<Case> all() {
    return List.of(
        new Case(
            replacingConstant(
                "a timeout is twice as long",
                "dev.kron.daemon.KeptRuns",
                "began",
                1_000_000L,
                2_000_000L),
            1),
        new Case(
            replacingConstant(
                "a timeout comes at half the time",
                "dev.kron.daemon.KeptRuns",
                "began",
                1_000_000L,
                500_000L),
            1),
        new Case(
            Mutation.replacing(
                "KILL comes with TERM",
                ENDINGS,
                "later",
                it ->
                    it instanceof FieldInstruction field
                        && field.opcode() == Opcode.GETFIELD
                        && field.name().equalsString("graceNanos"),
                (builder, element) -> builder.pop().lconst_0()),
            1),
        new Case(
            Mutation.without("a run that ignores TERM is never killed", ENDINGS, "kill", "signal"),
            1),
        new Case(
            Mutation.without("an alert is not raised", "dev.kron.daemon.Jobs", "perform", "alert"),
            1),
        new Case(
            Mutation.without(
                "an alert that an earlier daemon owed is not raised", ALERTS, "recover", "raise"),
            1),
        new Case(
            Mutation.without(
                "the environment of a job's file is left out", LAUNCHES, "environment", "putAll"),
            1),
        new Case(
            Mutation.without(
                "a job of another user runs as the daemon's", LAUNCHES, "of", "credentials"),
            1),
        new Case(otherPolicyIsNoChange(), 1),
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
            1),
        new Case(
            Mutation.replacing(
                "a time that comes twice when clocks go back comes once",
                "dev.kron.cron.CronCalendar",
                "next",
                it -> it instanceof InvokeInstruction call && call.name().equalsString("end"),
                (builder, element) -> builder.with(element).loadConstant(3_600L).ladd()),
            1),
        new Case(
            Mutation.replacing(
                "a period does not wait for those before it",
                "dev.kron.schedule.DueTimes",
                "following",
                it -> it instanceof InvokeInstruction call && call.name().equalsString("max"),
                (builder, element) -> builder.dup2_x2().pop2().pop2()),
            1));
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

  private static Mutation otherPolicyIsNoChange() {
    MethodTypeDesc text = MethodTypeDesc.of(ConstantDescs.CD_String);
    return Mutation.replacing(
        "another policy alone is no change",
        SCHEDULE,
        "equals",
        it -> it instanceof InvokeInstruction call && call.name().equalsString("canonical"),
        (builder, element) -> builder.invokevirtual(ClassDesc.of(SCHEDULE), "fingerprint", text));
  }
}
