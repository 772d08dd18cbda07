package dev.kron.scheduler.spring;

import dev.kron.scheduler.DeclarativeScheduler;
import dev.kron.scheduler.Registration;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.context.SmartLifecycle;

/** Initializes the scheduler when the context is complete, and stops it first when it closes. */
final class KronSchedulerLifecycle implements SmartLifecycle {
  private final DeclarativeScheduler scheduler;
  private final Supplier<List<Registration>> tasks;
  private final Duration patience;
  private volatile boolean running;

  KronSchedulerLifecycle(
      DeclarativeScheduler scheduler, Supplier<List<Registration>> tasks, Duration patience) {
    this.scheduler = scheduler;
    this.tasks = tasks;
    this.patience = patience;
  }

  @Override
  public void start() {
    scheduler.initialize(tasks.get());
    running = true;
  }

  @Override
  public void stop() {
    running = false;
    scheduler.stop(patience);
  }

  @Override
  public boolean isRunning() {
    return running;
  }
}
