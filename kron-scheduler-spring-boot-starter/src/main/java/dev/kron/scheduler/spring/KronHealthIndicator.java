package dev.kron.scheduler.spring;

import dev.kron.scheduler.DeclarativeScheduler;
import dev.kron.scheduler.TaskView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Healthy means that tasks start when they are due, and that their state can be written. A task
 * that fails is named, and is no reason to take an instance out of service.
 */
final class KronHealthIndicator implements HealthIndicator {
  private static final Duration LATE = Duration.ofMinutes(1);

  private final DeclarativeScheduler scheduler;
  private final KronSchedulerLifecycle lifecycle;

  KronHealthIndicator(DeclarativeScheduler scheduler, KronSchedulerLifecycle lifecycle) {
    this.scheduler = scheduler;
    this.lifecycle = lifecycle;
  }

  @Override
  public Health health() {
    List<TaskView> tasks = scheduler.tasks();
    Instant late = scheduler.clock().instant().minus(LATE);
    List<String> overdue =
        tasks.stream()
            .filter(task -> task.runningSince() == null)
            .filter(task -> task.next() != null && task.next().isBefore(late))
            .map(TaskView::name)
            .toList();
    Throwable storeFailure = scheduler.storeFailure();
    boolean well = lifecycle.isRunning() && overdue.isEmpty() && storeFailure == null;
    Health.Builder health = well ? Health.up() : Health.down();
    if (storeFailure != null) {
      health.withDetail("store", storeFailure.toString());
    }
    return health
        .withDetail("running", lifecycle.isRunning())
        .withDetail("tasks", tasks.size())
        .withDetail("overdue", overdue)
        .withDetail(
            "failing",
            tasks.stream().filter(KronHealthIndicator::fails).map(TaskView::name).toList())
        .build();
  }

  private static boolean fails(TaskView task) {
    Instant failure = task.lastFailureAt();
    Instant success = task.lastSuccessAt();
    return failure != null && (success == null || success.isBefore(failure));
  }
}
