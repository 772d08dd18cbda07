package dev.kron.scheduler.micrometer;

import dev.kron.scheduler.Callback;
import dev.kron.scheduler.RunContext;
import dev.kron.scheduler.RunInterceptor;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Makes every run of a callback an observation named {@code kron.task}, current while the callback
 * runs: with a tracer behind the registry each run is a span, and what the callback calls belongs
 * to it. Scheduler and task are of low cardinality; run, attempt and occurrence of high.
 */
public final class ObservedRuns implements RunInterceptor {
  /** The observation's name. */
  public static final String NAME = "kron.task";

  private final ObservationRegistry registry;

  public ObservedRuns(ObservationRegistry registry) {
    this.registry = Objects.requireNonNull(registry, "registry");
  }

  @Override
  public void around(RunContext run, Callback callback) throws Exception {
    Observation observation =
        Observation.createNotStarted(NAME, registry)
            .contextualName("task " + run.taskName())
            .lowCardinalityKeyValue(KeyValue.of(SchedulerMetrics.SCHEDULER, run.schedulerName()))
            .lowCardinalityKeyValue(KeyValue.of(SchedulerMetrics.TASK, run.taskName()))
            .highCardinalityKeyValue(KeyValue.of("run", run.runId()))
            .highCardinalityKeyValue(KeyValue.of("attempt", Integer.toString(run.attempt())))
            .highCardinalityKeyValue(KeyValue.of("occurrence", text(run.scheduledAt())));
    observation.observeChecked(() -> callback.run());
  }

  private static String text(@Nullable Object value) {
    return value == null ? "none" : value.toString();
  }
}
