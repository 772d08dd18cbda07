package dev.kron.simulation;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bugs put into the daemon's, the store's and the machines' own classes, one at a time: the
 * simulator finds each of them. Where a seed is known that finds it, it is tried first; {@code
 * -Dkron.mutations=search} looks for the first seed of each instead.
 */
class MutationTest {
  private static final int SEEDS = 20_000;
  private static final int QUIET_SEEDS = 60;
  private static final boolean SEARCH = "search".equals(System.getProperty("kron.mutations"));
  private static final String JOBS = "dev.kron.daemon.jobs.Jobs";
  private static final String KEPT_RUNS = "dev.kron.daemon.runs.KeptRuns";
  private static final String JOB_RUNS = "dev.kron.daemon.jobs.JobRuns";
  private static final String MACHINE = "dev.kron.job.JobMachine";

  /**
   * @param seed that finds it
   */
  record Case(Mutation mutation, long seed) {
    @Override
    public String toString() {
      return mutation.name();
    }
  }

  private static final List<Case> CASES =
      Stream.of(
              first(),
              JobBugs.all(),
              RetryBugs.all(),
              MessageBugs.all(),
              ServiceBugs.all(),
              LossBugs.all())
          .flatMap(List::stream)
          .toList();

  private static final MutatedHouse HOUSE =
      new MutatedHouse(CASES.stream().map(Case::mutation).toList());

  static List<Case> cases() {
    return CASES;
  }

  private static List<Case> first() {
    return List.of(
        new Case(
            Mutation.without(
                "no fsync of the directory",
                "dev.kron.store.JobStates",
                "makeNamesDurable",
                "syncDirectory"),
            1),
        new Case(
            Mutation.without(
                "no fsync of the new file", "dev.kron.store.AtomicFiles", "writeTemporary", "sync"),
            1),
        new Case(
            Mutation.replacing(
                "a failed fsync of the directory goes unnoticed",
                "dev.kron.store.JobStates",
                "makeNamesDurable",
                it ->
                    it instanceof java.lang.classfile.instruction.TypeCheckInstruction check
                        && check.opcode() == Opcode.INSTANCEOF,
                (builder, element) -> builder.pop().iconst_0()),
            13),
        new Case(effectsBeforeTheWrite(), 1),
        new Case(Mutation.answering("no claim", KEPT_RUNS, "forestall", "forestall", 1), 172),
        new Case(
            Mutation.answering(
                "an intent of another boot is started again", JOB_RUNS, "recover", "equals", 1),
            458),
        new Case(
            Mutation.answering(
                "a run is over although its processes are not", JOB_RUNS, "unknown", "isEmpty", 1),
            27),
        new Case(
            Mutation.answering(
                "the end of a run that was found without a keeper is lost",
                JOB_RUNS,
                "goesOnUnrecorded",
                "hasBegun",
                1),
            346),
        new Case(unknownIsZero(), 74),
        new Case(
            Mutation.replacing(
                "deadline off by one",
                MACHINE,
                "late",
                it -> it instanceof BranchInstruction branch && branch.opcode() == Opcode.IFLE,
                (builder, element) -> builder.iflt(((BranchInstruction) element).target())),
            2),
        new Case(Mutation.answering("no deadline", MACHINE, "periodDue", "late", 0), 1),
        new Case(Mutation.answering("forbid is not minded", MACHINE, "periodDue", "isEmpty", 1), 2),
        new Case(
            Mutation.replacing(
                "the last handled period goes back",
                "dev.kron.job.Draft",
                "handle",
                it -> it instanceof BranchInstruction branch && branch.opcode() == Opcode.IFLE,
                (builder, element) -> builder.pop()),
            3),
        new Case(
            Mutation.replacing(
                "a suspension is not written",
                "dev.kron.job.Draft",
                "toStep",
                it ->
                    it instanceof FieldInstruction field
                        && field.opcode() == Opcode.PUTFIELD
                        && field.name().equalsString("changed"),
                (builder, element) -> builder.pop2()),
            24),
        new Case(
            Mutation.replacing(
                "every absence is a presence",
                "dev.kron.daemon.jobs.JobPeriods",
                "takeDue",
                it ->
                    it instanceof InvokeInstruction call && call.name().equalsString("sinceMillis"),
                (builder, element) -> builder.pop().lconst_0()),
            1),
        new Case(
            Mutation.replacing(
                "a clock that was set goes unnoticed",
                "dev.kron.daemon.loop.Presence",
                "look",
                it -> it instanceof InvokeInstruction call && call.name().equalsString("abs"),
                (builder, element) -> builder.pop2().lconst_0()),
            26),
        new Case(
            Mutation.replacing(
                "a pause goes unnoticed",
                "dev.kron.daemon.loop.Presence",
                "look",
                it ->
                    it instanceof ConstantInstruction constant
                        && constant.constantValue().equals(2_000_000_000L),
                (builder, element) -> builder.loadConstant(Long.MAX_VALUE)),
            2),
        new Case(
            Mutation.answering(
                "the sweep takes runs whose end is not on record",
                "dev.kron.daemon.jobs.Sweeper",
                "isOver",
                "test",
                0),
            412),
        new Case(
            Mutation.without(
                "runs of a lost file are not looked for",
                "dev.kron.daemon.jobs.LostRuns",
                "find",
                "goingOn"),
            367),
        new Case(
            Mutation.answering(
                "two reloads at once", "dev.kron.daemon.Reloads", "reload", "size", 1),
            4),
        new Case(
            Mutation.answering(
                "what is visible is decided once more", JOBS, "committed", "visible", 0),
            50),
        new Case(
            Mutation.answering(
                "no quarantine rule: what may have run before the file was lost runs again",
                "dev.kron.job.Periods",
                "lastUncounted",
                "pastLost",
                0),
            30),
        new Case(pidWithoutStartTime(), 120),
        new Case(
            Mutation.without(
                "a service does not wait for what it requires",
                "dev.kron.service.SupervisionDraft",
                "surroundings",
                "add"),
            24),
        new Case(
            Mutation.answering(
                "the count of restarts is lost",
                "dev.kron.daemon.services.ServiceRecovery",
                "instance",
                "restartCount",
                0),
            24),
        new Case(
            Mutation.without(
                "a backoff is not reset",
                "dev.kron.service.ServiceMachine",
                "timeout",
                "resetBackoff"),
            24),
        new Case(
            Mutation.replacing(
                "a restart waits for nothing",
                "dev.kron.service.InstanceDraft",
                "restartByPolicy",
                it ->
                    it instanceof InvokeInstruction call && call.name().equalsString("delayMillis"),
                (builder, element) -> builder.pop().pop().lconst_0()),
            48),
        new Case(
            Mutation.answering(
                "a restart policy is not minded",
                "dev.kron.service.InstanceDraft",
                "restartByPolicy",
                "policyRestarts",
                1),
            40),
        new Case(
            Mutation.answering(
                "a service's run is not looked for by a new daemon",
                "dev.kron.daemon.services.ServiceRecovery",
                "instance",
                "isActive",
                0),
            40),
        new Case(
            Mutation.without(
                "KILL never comes", "dev.kron.service.ServiceMachine", "stopTimeout", "kill"),
            48));
  }

  /** A process is taken for another that had its pid before. */
  private static Mutation pidWithoutStartTime() {
    ClassDesc identity = ClassDesc.of("dev.kron.process.ProcessIdentity");
    MethodTypeDesc number = MethodTypeDesc.of(ConstantDescs.CD_int);
    return Mutation.replacing(
        "a pid is believed without its start time",
        "dev.kron.process.ProcessIdentity",
        "equals",
        it -> it instanceof InvokeDynamicInstruction,
        (builder, element) ->
            builder
                .checkcast(identity)
                .invokevirtual(identity, "pid", number)
                .swap()
                .invokevirtual(identity, "pid", number)
                .isub() // 0 where they are the same: 1 - ((d | -d) >>> 31)
                .dup()
                .ineg()
                .ior()
                .bipush(31)
                .iushr()
                .iconst_1()
                .swap()
                .isub());
  }

  /** The effects of a step are begun when its write was handed over, not when it is durable. */
  private static Mutation effectsBeforeTheWrite() {
    return Mutation.replacing(
        "effects before the write",
        JOBS,
        "move",
        it -> it instanceof InvokeInstruction call && call.name().equalsString("commit"),
        (builder, element) ->
            builder
                .dup_x1()
                .with(element)
                .aload(0)
                .swap()
                .invokevirtual(
                    ClassDesc.of(JOBS),
                    "arrived",
                    MethodTypeDesc.of(
                        ConstantDescs.CD_void, ClassDesc.of("dev.kron.daemon.jobs.Write"))));
  }

  private static Mutation unknownIsZero() {
    var first = new boolean[] {true};
    return Mutation.replacing(
        "an unknown exit code is 0",
        JOB_RUNS,
        "unknown",
        it -> {
          boolean found =
              first[0]
                  && it instanceof ConstantInstruction constant
                  && constant.opcode() == Opcode.ACONST_NULL;
          first[0] &= !found;
          return found;
        },
        (builder, element) ->
            builder
                .iconst_0()
                .invokestatic(
                    ConstantDescs.CD_Integer,
                    "valueOf",
                    MethodTypeDesc.of(ConstantDescs.CD_Integer, ConstantDescs.CD_int)));
  }

  /** A bug whose place is gone is named before any is played. */
  @BeforeAll
  static void everyBugHasItsPlace() throws ClassNotFoundException {
    for (Case each : CASES) {
      var _ = HOUSE.loadClass(each.mutation().className());
    }
  }

  @AfterAll
  static void whatSleepsDoesNothing() throws ReflectiveOperationException {
    HOUSE.wake(null);
    for (long seed = 1; seed <= QUIET_SEEDS; seed++) {
      assertNull(HOUSE.violation(seed));
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void theSimulatorFinds(Case mutated) throws ReflectiveOperationException {
    @Nullable String violation = SEARCH ? null : violation(mutated, mutated.seed());
    long seed = mutated.seed();
    for (long next = 1; violation == null && next <= SEEDS; next++) {
      violation = violation(mutated, next);
      seed = next;
    }
    assertNotNull(violation, mutated + " was not found within " + SEEDS + " seeds");
    if (SEARCH || seed != mutated.seed()) {
      System.out.printf("%s | %d | %s%n", mutated, seed, violation.lines().findFirst().orElse(""));
    }
  }

  /** What goes wrong with the bug, and does not go wrong without it. */
  private static @Nullable String violation(Case mutated, long seed)
      throws ReflectiveOperationException {
    HOUSE.wake(mutated.mutation());
    String violation = HOUSE.violation(seed);
    HOUSE.wake(null);
    return violation == null || HOUSE.violation(seed) != null ? null : violation;
  }
}
