package dev.kron.scheduler.micrometer;

import dev.kron.scheduler.DeclarativeScheduler;
import dev.kron.scheduler.TaskView;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The gauges of a scheduler's tasks. One look at the tasks serves all gauges of a scrape. */
final class TaskGauges {
  private static final long FRESH_MILLIS = 200;

  private final DeclarativeScheduler scheduler;
  private final Clock clock;
  private final MeterRegistry registry;
  private List<Meter> registered = List.of();
  private Map<String, TaskView> views = Map.of();
  private long seenMillis = Long.MIN_VALUE / 2;

  TaskGauges(DeclarativeScheduler scheduler, MeterRegistry registry) {
    this.scheduler = scheduler;
    this.clock = scheduler.clock();
    this.registry = registry;
  }

  String schedulerName() {
    return scheduler.name();
  }

  /** Registers gauges for the tasks that there are, and removes those of tasks that are gone. */
  synchronized void register() {
    registered.forEach(registry::remove);
    seenMillis = Long.MIN_VALUE / 2;
    List<Meter> meters = new ArrayList<>();
    for (TaskView task : scheduler.tasks()) {
      String name = task.name();
      meters.add(gauge("kron.task.next", "seconds", name, this::secondsToNext));
      meters.add(gauge("kron.task.success.age", "seconds", name, this::successAge));
      meters.add(gauge("kron.task.running", null, name, view -> flag(view.runningSince())));
      meters.add(gauge("kron.task.paused", null, name, view -> flag(view.pausedSince())));
    }
    registered = meters;
  }

  private Gauge gauge(
      String name, @Nullable String unit, String task, ToDoubleFunction<TaskView> value) {
    return Gauge.builder(name, () -> value(task, value))
        .tags(Tags.of(SchedulerMetrics.SCHEDULER, scheduler.name(), SchedulerMetrics.TASK, task))
        .baseUnit(unit)
        .register(registry);
  }

  private double value(String task, ToDoubleFunction<TaskView> value) {
    TaskView view = look().get(task);
    return view == null ? Double.NaN : value.applyAsDouble(view);
  }

  private synchronized Map<String, TaskView> look() {
    long nowMillis = clock.millis();
    if (Math.abs(nowMillis - seenMillis) >= FRESH_MILLIS) {
      Map<String, TaskView> seen = new HashMap<>();
      scheduler.tasks().forEach(task -> seen.put(task.name(), task));
      views = seen;
      seenMillis = nowMillis;
    }
    return views;
  }

  private double secondsToNext(TaskView task) {
    Instant retry = task.retryAt();
    Instant next = task.next();
    Instant first = retry != null && (next == null || retry.isBefore(next)) ? retry : next;
    return first == null ? Double.NaN : seconds(Duration.between(clock.instant(), first));
  }

  private double successAge(TaskView task) {
    Instant success = task.lastSuccessAt();
    return success == null ? Double.NaN : seconds(Duration.between(success, clock.instant()));
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1000.0;
  }

  private static double flag(@Nullable Instant since) {
    return since == null ? 0 : 1;
  }
}
