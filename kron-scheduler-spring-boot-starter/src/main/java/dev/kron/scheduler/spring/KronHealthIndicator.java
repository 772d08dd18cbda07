package dev.kron.scheduler.spring;

import dev.kron.scheduler.DeclarativeScheduler;
import dev.kron.scheduler.TaskView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Healthy means that tasks start when they are due, and that their state can be written. A task
 * that fails is named, and is no reason to take an instance out of service.
 */
final class KronHealthIndicator extends AbstractHealthIndicator {
  private static final Duration LATE = Duration.ofMinutes(1);

  private final DeclarativeScheduler scheduler;
  private final KronSchedulerLifecycle lifecycle;

  KronHealthIndicator(DeclarativeScheduler scheduler, KronSchedulerLifecycle lifecycle) {
    super("The scheduler could not be asked how it is");
    this.scheduler = scheduler;
    this.lifecycle = lifecycle;
  }

  @Override
  protected void doHealthCheck(Health.Builder health) {
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
    health.status(well ? Status.UP : Status.DOWN);
    if (storeFailure != null) {
      health.withDetail("store", storeFailure.toString());
    }
    health
        .withDetail("running", lifecycle.isRunning())
        .withDetail("tasks", tasks.size())
        .withDetail("overdue", overdue)
        .withDetail(
            "failing",
            tasks.stream().filter(KronHealthIndicator::fails).map(TaskView::name).toList());
  }

  private static boolean fails(TaskView task) {
    Instant failure = task.lastFailureAt();
    Instant success = task.lastSuccessAt();
    return failure != null && (success == null || success.isBefore(failure));
  }
}
