package dev.kron.scheduler.testkit;

import static dev.kron.scheduler.testkit.Tasks.FAILS;
import static dev.kron.scheduler.testkit.Tasks.NOTHING;
import static dev.kron.scheduler.testkit.Tasks.instants;
import static dev.kron.scheduler.testkit.Tasks.kitAt;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.schedule.Schedule;
import dev.kron.scheduler.Callback;
import dev.kron.scheduler.InvalidRegistrationException;
import dev.kron.scheduler.Registration;
import dev.kron.scheduler.RegistrationShapeException;
import dev.kron.scheduler.SchedulerEvent;
import dev.kron.scheduler.SchedulerEvent.RunEvent;
import dev.kron.scheduler.SchedulerEvent.TaskRunCompleted;
import dev.kron.scheduler.SchedulerEvent.TaskRunFailed;
import dev.kron.scheduler.TaskOptions;
import dev.kron.scheduler.TaskTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What may be chosen about a task, and what events say about a run. */
class OptionsTest {
  private final SchedulerTestKit kit = kitAt("2026-03-01T10:00:30Z");

  private static Registration.Builder hourly(String name) {
    return Registration.builder().name(name).cronExpression("0 * * * *").callback(NOTHING);
  }

  private <E> List<E> events(Class<E> type) {
    return kit.events().stream().filter(type::isInstance).map(type::cast).toList();
  }

  @Test
  void aRegistrationOfFourThingsChoosesNothingElse() {
    var four = new Registration("a", "0 * * * *", NOTHING, Duration.ofMinutes(1));
    assertEquals(TaskOptions.NONE, four.options());
    assertEquals(four, hourly("a").build());
  }

  @Test
  void whatCannotBeChosenIsRefusedByName() {
    Map<String, UnaryOperator<Registration.Builder>> wrong =
        Map.of(
            "retryLimit", builder -> builder.retryLimit(-1),
            "backoff", builder -> builder.backoff(0.5, Duration.ZERO),
            "longestRetryDelay", builder -> builder.backoff(2, Duration.ofSeconds(-1)),
            "timeout", builder -> builder.timeout(Duration.ZERO),
            "window", builder -> builder.window(Duration.ofDays(367)));
    wrong.forEach(
        (field, change) -> {
          var list = List.of(hourly("good").build(), change.apply(hourly("bad")).build());
          var error = assertThrows(InvalidRegistrationException.class, () -> kit.initialize(list));
          assertEquals(field, error.field());
        });
    assertThrows(
        RegistrationShapeException.class,
        () -> kit.initialize(List.of(Registration.builder().name("a").build())));
  }

  @Test
  void everyTaskHasAZoneOfItsOwn() {
    Registration.Builder noon =
        Registration.builder().cronExpression("0 12 * * *").callback(NOTHING);
    kit.initialize(
        List.of(
            noon.name("here").build(),
            noon.name("tokyo").zone(ZoneId.of("Asia/Tokyo")).build(),
            noon.name("new york").zone(ZoneId.of("America/New_York")).build()));
    kit.advance(Duration.ofDays(1));
    assertEquals(instants("2026-03-01T12:00:00Z"), kit.starts("here"));
    assertEquals(instants("2026-03-02T03:00:00Z"), kit.starts("tokyo"));
    assertEquals(instants("2026-03-01T17:00:00Z"), kit.starts("new york"));
    assertEquals(ZoneId.of("Asia/Tokyo"), kit.scheduler().tasks().get(1).zone());
  }

  @Test
  void retriesAreLimitedAndGrow() {
    kit.initialize(
        List.of(
            hourly("a")
                .callback(FAILS)
                .retryDelay(Duration.ofMinutes(1))
                .retryLimit(3)
                .backoff(2, Duration.ofMinutes(3))
                .build()));
    kit.advance(Duration.ofMinutes(59));
    assertEquals(
        instants(
            "2026-03-01T10:00:30Z",
            "2026-03-01T10:01:30Z",
            "2026-03-01T10:03:30Z",
            "2026-03-01T10:06:30Z"),
        kit.starts("a"));
    var failures = events(TaskRunFailed.class);
    assertEquals(List.of(1, 2, 3, 4), failures.stream().map(each -> each.run().attempt()).toList());
    assertNull(failures.getLast().retryAt());
    kit.advance(Duration.ofMinutes(2));
    assertEquals(6, kit.starts("a").size(), "the next occurrence has its own attempts");
  }

  @Test
  void theLimitOfRetriesHoldsAcrossProcesses() {
    var tasks = List.of(hourly("a").callback(FAILS).retryLimit(2).build());
    kit.initialize(tasks);
    for (int i = 0; i < 5; i++) {
      kit.crash();
      kit.initialize(tasks);
      kit.advance(Duration.ofMinutes(2));
    }
    assertEquals(3, kit.starts("a").size());
    var scheduled =
        Set.copyOf(events(RunEvent.class).stream().map(e -> e.run().scheduledAt()).toList());
    assertEquals(Set.of(Instant.parse("2026-03-01T10:00:00Z")), scheduled);
  }

  @Test
  void aRunThatTakesTooLongIsInterruptedAndFails() {
    kit.lasts("a", Duration.ofMinutes(10));
    kit.initialize(List.of(hourly("a").timeout(Duration.ofSeconds(90)).build()));
    kit.advance(Duration.ofMinutes(3));
    var failure = events(TaskRunFailed.class).getFirst();
    assertEquals(Instant.parse("2026-03-01T10:02:00Z"), failure.at());
    var cause = assertInstanceOf(TaskTimeoutException.class, failure.cause());
    assertInstanceOf(InterruptedException.class, cause.getCause());
    assertEquals(Duration.ofSeconds(90), failure.duration());
    assertEquals(Instant.parse("2026-03-01T10:03:00Z"), failure.retryAt());
  }

  @Test
  void aClockThatIsSetDoesNotMakeARunTakeLonger() {
    kit.lasts("a", Duration.ofMinutes(1));
    kit.initialize(List.of(hourly("a").timeout(Duration.ofMinutes(2)).build()));
    kit.setClock(Instant.parse("2026-03-01T10:30:00Z"));
    kit.advance(Duration.ofMinutes(2));
    assertEquals(Duration.ofMinutes(1), events(TaskRunCompleted.class).getFirst().duration());
  }

  @Test
  void aWindowSpreadsInstancesByTheEnginesOwnComputation() {
    Set<Instant> seconds = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      List<Instant> starts = startsOf("host-" + i, 1);
      var schedule = Schedule.parse("0 3 * * * @win(after,1h) @seed(stable,salt=host-" + i + ")");
      var nominal = Instant.parse("2026-03-02T03:00:00Z").getEpochSecond();
      assertEquals(
          List.of(schedule.decide("shop/cleanup", nominal).chosenTime()), starts, "host-" + i);
      seconds.addAll(starts);
    }
    assertTrue(seconds.size() > 90, seconds.size() + " seconds");
  }

  private static SchedulerTestKit shop(String start, String instance) {
    return SchedulerTestKit.startingAt(
        ZonedDateTime.parse(start), builder -> builder.name("shop").instance(instance));
  }

  private static Registration cleanup() {
    return Registration.builder()
        .name("cleanup")
        .cronExpression("0 3 * * *")
        .callback(NOTHING)
        .window(Duration.ofHours(1))
        .build();
  }

  private static List<Instant> startsOf(String instance, int days) {
    var kit = shop("2026-03-01T10:00:30Z", instance);
    kit.initialize(List.of(cleanup()));
    kit.advance(Duration.ofDays(days));
    return kit.starts("cleanup");
  }

  @Test
  void aWindowIsTheSameAfterARestartAndRunsOnceAPeriod() {
    List<Instant> undisturbed = startsOf("a", 30);
    assertEquals(30, undisturbed.size());
    assertNotEquals(undisturbed, startsOf("b", 30));
    var kit = shop("2026-03-01T10:00:30Z", "a");
    List<Instant> starts = new ArrayList<>();
    for (int hour = 0; hour < 30 * 24 * 2; hour++) {
      kit.initialize(List.of(cleanup()));
      kit.advance(Duration.ofMinutes(30));
      if (hour % 2 == 0) {
        kit.stop();
      } else {
        kit.crash();
      }
    }
    starts.addAll(kit.starts("cleanup"));
    assertEquals(undisturbed, starts);
  }

  /** A new name for the host (a container) chooses another second, and not another run. */
  @Test
  void anotherInstanceDoesNotRunAPeriodTwice() {
    int[] runs = {0};
    String[] instance = {"0"};
    var kit =
        SchedulerTestKit.startingAt(
            ZonedDateTime.parse("2026-03-01T10:00:30Z"),
            builder -> builder.name("shop").instance(instance[0]));
    var task =
        Registration.builder()
            .name("cleanup")
            .cronExpression("0 3 * * *")
            .callback(() -> runs[0]++)
            .window(Duration.ofHours(1))
            .build();
    for (int restart = 1; restart <= 10 * 24 * 12; restart++) {
      kit.initialize(List.of(task));
      kit.advance(Duration.ofMinutes(5));
      instance[0] = Integer.toString(restart);
      kit.crash();
    }
    // A task that never ran has missed nothing, so the first period may pass without a run.
    assertTrue(runs[0] == 10 || runs[0] == 9, runs[0] + " runs in ten days");
  }

  @Test
  void overlappingWindowsCoalesceAndLoseNothing() {
    kit.initialize(
        List.of(
            Registration.builder()
                .name("a")
                .cronExpression("* * * * *")
                .callback(NOTHING)
                .window(Duration.ofMinutes(10))
                .build()));
    kit.advance(Duration.ofHours(4));
    var starts = kit.starts("a");
    assertTrue(starts.size() > 30 && starts.size() <= 241, starts.size() + " starts");
    var occurrences = events(RunEvent.class).stream().map(e -> e.run().scheduledAt()).toList();
    assertEquals(occurrences.stream().sorted().toList(), occurrences);
  }

  @Test
  void eventsSayWhichRunWhichAttemptWhenAndHowLong() {
    kit.lasts("a", Duration.ofSeconds(7));
    kit.initialize(List.of(hourly("a").build()));
    kit.advance(Duration.ofHours(2));
    List<SchedulerEvent.Run> runs = events(RunEvent.class).stream().map(RunEvent::run).toList();
    assertEquals(6, runs.size());
    assertEquals(3, Set.copyOf(runs).size());
    assertEquals(3, Set.copyOf(runs.stream().map(SchedulerEvent.Run::id).toList()).size());
    assertEquals(Instant.parse("2026-03-01T10:00:00Z"), runs.getFirst().scheduledAt());
    assertEquals(Duration.ofSeconds(7), events(TaskRunCompleted.class).getFirst().duration());
  }

  @Test
  void interceptorsStandAroundEveryCallbackAndTellItWhichRunItIs() {
    List<String> seen = new ArrayList<>();
    var kit =
        SchedulerTestKit.startingAt(
            ZonedDateTime.parse("2026-03-01T02:59:30Z[UTC]"),
            builder ->
                builder
                    .name("shop")
                    .interceptor(
                        (run, callback) -> {
                          seen.add("outer " + run.attempt());
                          callback.run();
                        })
                    .interceptor(
                        (run, callback) -> {
                          callback.run();
                          throw new IllegalStateException("an interceptor's failure is the run's");
                        }));
    Callback informed =
        Callback.of(
            run ->
                seen.add(run.schedulerName() + "/" + run.taskName() + " for " + run.scheduledAt()));
    kit.initialize(List.of(new Registration("a", "0 3 * * *", informed, Duration.ofMinutes(1))));
    kit.advance(Duration.ofSeconds(100));
    assertEquals(
        List.of(
            "outer 1",
            "shop/a for 2026-03-01T03:00:00Z",
            "outer 2",
            "shop/a for 2026-03-01T03:00:00Z"),
        seen);
  }
}
