package dev.kron.store;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.kron.job.ActiveRun;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobState;
import dev.kron.job.Outcome;
import java.time.Instant;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A time that could be written but not read back is refused, whichever it is. */
final class StateChangeTest {
  private static final long FIRST = Instant.parse("0000-01-01T00:00:00Z").getEpochSecond();
  private static final long LAST = Instant.parse("9999-12-31T23:59:59Z").getEpochSecond();

  /** A change in which one time is as given. */
  record Case(String name, LongFunction<StateChange> change) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Case> cases() {
    return Stream.of(
        new Case("the last handled period", at -> of(at, 0, 0, 0)),
        new Case("its chosen second", at -> of(0, at, 0, 0)),
        new Case("since when it counts", at -> of(0, 0, at, 0)),
        new Case("what began ahead", at -> of(0, 0, 0, at)),
        new Case("a run's period", at -> of(run(at, 0, 0, 0))),
        new Case("a run's chosen second", at -> of(run(0, at, 0, 0))),
        new Case("a run's due time", at -> of(run(0, 0, at, 0))),
        new Case("a run's start", at -> of(run(0, 0, 0, at * 1000))),
        new Case("a past period", at -> of(entry(at, 0, 0, 0))),
        new Case("a past chosen second", at -> of(entry(0, at, 0, 0))),
        new Case("a past start", at -> of(entry(0, 0, at * 1000, 0))),
        new Case("a past end", at -> of(entry(0, 0, 0, at * 1000))));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void takesTheYears0To9999(Case one) {
    assertDoesNotThrow(() -> one.change().apply(FIRST));
    assertDoesNotThrow(() -> one.change().apply(LAST));
    assertThrows(IllegalArgumentException.class, () -> one.change().apply(FIRST - 1));
    assertThrows(IllegalArgumentException.class, () -> one.change().apply(LAST + 1));
  }

  private static StateChange of(long handled, long chosen, long since, long ahead) {
    return new StateChange(state(handled, chosen, since, ahead, List.of()), List.of());
  }

  private static StateChange of(ActiveRun run) {
    return new StateChange(state(0, 0, 0, 0, List.of(run)), List.of());
  }

  private static StateChange of(HistoryEntry entry) {
    return new StateChange(state(0, 0, 0, 0, List.of()), List.of(entry));
  }

  private static JobState state(
      long handled, long chosen, long since, long ahead, List<ActiveRun> runs) {
    return JobState.builder("/a:b")
        .lastHandled(handled)
        .lastOutcome(Outcome.EXECUTED)
        .lastChosen(chosen)
        .active(runs)
        .fingerprint("f")
        .since(since)
        .begunAhead(List.of(ahead))
        .build();
  }

  private static ActiveRun run(long nominal, long chosen, long due, long startedAt) {
    return ActiveRun.builder("r")
        .nominal(nominal)
        .chosen(chosen)
        .due(due)
        .bootId(Samples.BOOT)
        .startedAt(startedAt)
        .build();
  }

  private static HistoryEntry entry(long nominal, long chosen, long startedAt, long completedAt) {
    return HistoryEntry.builder(nominal, Outcome.EXECUTED)
        .chosen(chosen)
        .startedAt(startedAt)
        .completedAt(completedAt)
        .exitCode(0)
        .runId("r")
        .build();
  }
}
