package dev.kron.scheduler.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.kron.scheduler.Registration;
import dev.kron.scheduler.testkit.SchedulerTestKit;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The real scheduler on the test kit's clock, and real registries. */
class MetricsTest {
  private static final ZonedDateTime START = ZonedDateTime.parse("2026-03-01T02:59:30Z[UTC]");

  private final MeterRegistry registry = new SimpleMeterRegistry();
  private final ObservationRegistry observations = ObservationRegistry.create();
  private final SchedulerMetrics metrics = new SchedulerMetrics(registry);
  private final SchedulerTestKit kit =
      SchedulerTestKit.startingAt(
          START,
          builder ->
              builder.name("shop").listener(metrics).interceptor(new ObservedRuns(observations)));

  MetricsTest() {
    metrics.watch(kit.scheduler());
  }

  private double gauge(String name, String task) {
    return registry.get(name).tags("scheduler", "shop", "task", task).gauge().value();
  }

  private static Registration fails(String name, String cron) {
    return new Registration(
        name,
        cron,
        () -> {
          throw new IllegalStateException("as planned");
        },
        Duration.ofMinutes(7));
  }

  @Test
  void runsAreTimedByOutcome() {
    kit.lasts("report", Duration.ofSeconds(40));
    kit.initialize(
        List.of(
            new Registration("report", "0 3 * * *", () -> {}, Duration.ZERO),
            fails("broken", "0 3 * * *")));
    kit.advance(Duration.ofMinutes(10));
    var success =
        registry.get("kron.task.runs").tags("task", "report", "outcome", "success").timer();
    assertEquals(1, success.count());
    assertEquals(40, success.totalTime(TimeUnit.SECONDS));
    var failure =
        registry.get("kron.task.runs").tags("task", "broken", "outcome", "failure").timer();
    assertEquals(2, failure.count());
    assertEquals(1, registry.get("kron.task.retries").tags("task", "broken").counter().count());
    assertEquals(1, registry.get("kron.task.delay").tags("task", "report").timer().count());
  }

  @Test
  void gaugesShowTheNextRunAndTheAgeOfTheLastSuccess() {
    kit.lasts("report", Duration.ofSeconds(40));
    kit.initialize(
        List.of(
            new Registration("report", "0 3 * * *", () -> {}, Duration.ZERO),
            fails("broken", "0 3 * * *")));
    assertEquals(30, gauge("kron.task.next", "report"));
    assertEquals(Double.NaN, gauge("kron.task.success.age", "report"));
    kit.advance(Duration.ofSeconds(31));
    assertEquals(1, gauge("kron.task.running", "report"));
    kit.advance(Duration.ofSeconds(59));
    assertEquals(0, gauge("kron.task.running", "report"));
    assertEquals(20, gauge("kron.task.success.age", "report"));
    assertEquals(24 * 3600 - 60, gauge("kron.task.next", "report"));
    assertEquals(6 * 60, gauge("kron.task.next", "broken"), "its retry comes first");
    kit.scheduler().pause("report");
    kit.advance(Duration.ofSeconds(1));
    assertEquals(1, gauge("kron.task.paused", "report"));
    assertEquals(Double.NaN, gauge("kron.task.next", "report"));
  }

  @Test
  void theGaugesOfATaskThatIsGoneAreGone() {
    kit.initialize(List.of(new Registration("a", "0 3 * * *", () -> {}, Duration.ZERO)));
    kit.stop();
    kit.initialize(List.of(new Registration("b", "0 3 * * *", () -> {}, Duration.ZERO)));
    assertNull(registry.find("kron.task.next").tags("task", "a").gauge());
    assertNotNull(registry.find("kron.task.next").tags("task", "b").gauge());
    assertEquals(0, registry.get("kron.scheduler.events.dropped").functionCounter().count());
  }

  /** What a tracer sees: contexts in their order, and the errors. */
  private static final class Recorder implements ObservationHandler<Observation.Context> {
    final List<String> seen = new ArrayList<>();

    @Override
    public void onStart(Observation.Context context) {
      seen.add("start " + context.getContextualName());
    }

    @Override
    public void onError(Observation.Context context) {
      seen.add("error " + context.getError());
    }

    @Override
    public void onStop(Observation.Context context) {
      seen.add("stop " + context.getHighCardinalityKeyValue("attempt"));
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
      return true;
    }
  }

  private @Nullable String currentName() {
    Observation current = observations.getCurrentObservation();
    return current == null ? null : current.getContext().getContextualName();
  }

  @Test
  void everyRunIsAnObservationThatIsCurrentInItsCallback() {
    Recorder recorder = new Recorder();
    observations
        .observationConfig()
        .observationHandler(recorder)
        .observationHandler(new DefaultMeterObservationHandler(registry));
    List<@Nullable String> current = new ArrayList<>();
    kit.initialize(
        List.of(
            new Registration(
                "report",
                "0 3 * * *",
                () -> {
                  current.add(currentName());
                  throw new IllegalStateException("as planned");
                },
                Duration.ofMinutes(1))));
    kit.advance(Duration.ofSeconds(100));
    assertEquals(List.of("task report", "task report"), current);
    assertEquals(
        List.of(
            "start task report",
            "error java.lang.IllegalStateException: as planned",
            "stop keyValue(attempt=1)",
            "start task report",
            "error java.lang.IllegalStateException: as planned",
            "stop keyValue(attempt=2)"),
        recorder.seen);
    assertNull(observations.getCurrentObservation());
    assertEquals(2, registry.get("kron.task").tags("task", "report").timer().count());
  }
}
