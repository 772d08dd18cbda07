package dev.kron.scheduler.micrometer;

import dev.kron.scheduler.DeclarativeScheduler;
import dev.kron.scheduler.SchedulerEvent;
import dev.kron.scheduler.SchedulerEvent.SchedulerInitializationCompleted;
import dev.kron.scheduler.SchedulerEvent.TaskRetryStarted;
import dev.kron.scheduler.SchedulerEvent.TaskRunCompleted;
import dev.kron.scheduler.SchedulerEvent.TaskRunFailed;
import dev.kron.scheduler.SchedulerEvent.TaskRunStarted;
import dev.kron.scheduler.SchedulerListener;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Counts and times what a scheduler does.
 *
 * <pre>{@code
 * var metrics = new SchedulerMetrics(registry);
 * var scheduler = DeclarativeScheduler.builder(store)
 *     .listener(metrics)
 *     .interceptor(new ObservedRuns(observations))
 *     .build();
 * metrics.watch(scheduler);
 * }</pre>
 *
 * <table>
 * <caption>Meters</caption>
 * <tr><th>name</th><th>tags</th><th>what</th></tr>
 * <tr><td>kron.task.runs</td><td>scheduler, task, outcome</td><td>timer: runs that ended</td></tr>
 * <tr><td>kron.task.retries</td><td>scheduler, task</td><td>counter: starts that were retries</td></tr>
 * <tr><td>kron.task.delay</td><td>scheduler, task</td><td>timer: from the due time to the start</td></tr>
 * <tr><td>kron.task.next</td><td>scheduler, task</td><td>gauge: seconds to the next run; negative
 * if it is late, NaN if there is none</td></tr>
 * <tr><td>kron.task.success.age</td><td>scheduler, task</td><td>gauge: seconds since the last
 * success; NaN before the first one</td></tr>
 * <tr><td>kron.task.running</td><td>scheduler, task</td><td>gauge: 1 while it runs</td></tr>
 * <tr><td>kron.task.paused</td><td>scheduler, task</td><td>gauge: 1 while it is paused</td></tr>
 * <tr><td>kron.scheduler.events.dropped</td><td>scheduler</td><td>counter: events that listeners
 * were not told</td></tr>
 * <tr><td>kron.scheduler.store.failing</td><td>scheduler</td><td>gauge: 1 while state cannot be
 * written or read</td></tr>
 * </table>
 */
public final class SchedulerMetrics implements SchedulerListener {
  static final String SCHEDULER = "scheduler";
  static final String TASK = "task";

  private final MeterRegistry registry;
  private volatile @Nullable TaskGauges gauges;

  public SchedulerMetrics(MeterRegistry registry) {
    this.registry = Objects.requireNonNull(registry, "registry");
  }

  /** Names the scheduler whose tasks the gauges show; once, before it is initialized. */
  public void watch(DeclarativeScheduler scheduler) {
    gauges = new TaskGauges(scheduler, registry);
    FunctionCounter.builder(
            "kron.scheduler.events.dropped", scheduler, DeclarativeScheduler::droppedEvents)
        .tag(SCHEDULER, scheduler.name())
        .description("Events that listeners were not told because they did not keep up")
        .register(registry);
    Gauge.builder(
            "kron.scheduler.store.failing",
            scheduler,
            watched -> watched.storeFailure() == null ? 0 : 1)
        .tag(SCHEDULER, scheduler.name())
        .description("Whether state cannot be written or read: nothing new starts then")
        .register(registry);
  }

  @Override
  public void on(SchedulerEvent event) {
    switch (event) {
      case TaskRunCompleted run -> ended(run.taskName(), "success", run.duration());
      case TaskRunFailed run -> ended(run.taskName(), "failure", run.duration());
      case TaskRunStarted run -> started(run);
      case TaskRetryStarted run ->
          registry.counter("kron.task.retries", tags(run.taskName())).increment();
      case SchedulerInitializationCompleted done -> register();
      default -> {}
    }
  }

  private void register() {
    TaskGauges present = gauges;
    if (present != null) {
      present.register();
    }
  }

  private void ended(String task, String outcome, Duration duration) {
    Timer.builder("kron.task.runs")
        .description("Runs that ended, by outcome")
        .tags(tags(task))
        .tag("outcome", outcome)
        .register(registry)
        .record(duration);
  }

  private void started(TaskRunStarted run) {
    if (run.due() != null) {
      Duration late = Duration.between(run.due(), run.at());
      Timer.builder("kron.task.delay")
          .description("How long after its due time a run started")
          .tags(tags(run.taskName()))
          .register(registry)
          .record(late.isNegative() ? Duration.ZERO : late);
    }
  }

  private Tags tags(String task) {
    TaskGauges present = gauges;
    String scheduler = present == null ? "unknown" : present.schedulerName();
    return Tags.of(SCHEDULER, scheduler, TASK, task);
  }
}
