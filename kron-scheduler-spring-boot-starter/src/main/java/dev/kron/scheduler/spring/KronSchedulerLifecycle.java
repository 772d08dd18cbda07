package dev.kron.scheduler.spring;

import dev.kron.scheduler.DeclarativeScheduler;
import dev.kron.scheduler.Registration;
import dev.kron.scheduler.StopReport;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;

/**
 * Initializes the scheduler when the context is complete, and stops it first when it closes. A
 * context that fails after that destroys its beans without closing: the scheduler stops then too.
 */
final class KronSchedulerLifecycle implements SmartLifecycle, DisposableBean {
  private static final Logger LOG = LoggerFactory.getLogger(KronSchedulerLifecycle.class);

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
    StopReport report = scheduler.stop(patience);
    if (!report.interrupted().isEmpty()) {
      LOG.warn(
          "Tasks were interrupted that still ran {} s after the shutdown began: {};"
              + " kron.scheduler.shutdown-timeout gives them more",
          patience.toSeconds(),
          report.interrupted());
    }
    if (!report.stillRunning().isEmpty()) {
      LOG.error(
          "Tasks run on although they were interrupted; if the process ends now, they start again"
              + " with the next one: {}",
          report.stillRunning());
    }
  }

  @Override
  public void destroy() {
    if (running) {
      stop();
    }
  }

  @Override
  public boolean isRunning() {
    return running;
  }
}
