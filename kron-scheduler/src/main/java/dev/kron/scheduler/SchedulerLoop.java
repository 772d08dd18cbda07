package dev.kron.scheduler;

import dev.kron.scheduler.SchedulerEvent.PollingStarted;
import dev.kron.scheduler.SchedulerEvent.PollingStopRequested;
import dev.kron.scheduler.SchedulerEvent.PollingStopped;
import dev.kron.scheduler.SchedulerEvent.SchedulerInitializationFailed;
import dev.kron.scheduler.SchedulerEvent.SchedulerInitializationStarted;
import dev.kron.scheduler.SchedulerEvent.SchedulerStopRequested;
import dev.kron.scheduler.SchedulerEvent.SchedulerStopped;
import dev.kron.scheduler.SchedulerEvent.TaskEvent;
import dev.kron.scheduler.SchedulerEvent.TaskRetryPreempted;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * The loop that owns everything that can change. A turn takes in what ended, decides what starts,
 * makes both durable with one write, and only then tells and begins them. While a write is on its
 * way, more ends gather; they share the next one.
 *
 * <p>If state cannot be written, nothing new starts, runs go on, and the write is repeated, from
 * scratch, until it works.
 */
final class SchedulerLoop implements SchedulerDriver.Loop {
  private static final SafeLog LOG = SafeLog.of(DeclarativeScheduler.class);
  private static final long WRITE_AGAIN_MILLIS = 1000;

  private final SafeClock clock;
  private final SchedulerDriver driver;
  private final EventPublisher events;
  private final Lifecycle lifecycle;
  private final Initializer initializer;
  private final Queue<TaskRun> ended = new ConcurrentLinkedQueue<>();

  /** Ends that could not be written before a stop; the next initialization knows them. */
  private final Map<String, TaskState> unrecorded = new HashMap<>();

  private @Nullable Active active;
  private boolean stopAnnounced;

  /** What exists only while the scheduler is active. */
  record Active(TaskTable table, StateWriter writer) {}

  SchedulerLoop(
      Initializer initializer,
      SafeClock clock,
      SchedulerDriver driver,
      EventPublisher events,
      Lifecycle lifecycle) {
    this.initializer = initializer;
    this.clock = clock;
    this.driver = driver;
    this.events = events;
    this.lifecycle = lifecycle;
  }

  @Override
  public long turn() {
    return switch (lifecycle.state()) {
      case INITIALIZING -> initialize();
      case RUNNING -> guarded(true);
      case STOPPING -> stopping();
      case UNINITIALIZED, STOPPED -> FINISHED;
    };
  }

  private long initialize() {
    try {
      Initializer.Result result =
          initializer.initialize(lifecycle.current().registrations, unrecorded, this::whenEnded);
      unrecorded.clear();
      active = result.active();
      stopAnnounced = false;
      if (!result.active().table().isEmpty()) {
        events.publish(new PollingStarted(clock.instant()));
      }
      events.publish(result.event());
      lifecycle.initialized();
      return clock.millis();
    } catch (SchedulerException failure) {
      return failed(failure);
    } catch (Throwable unexpected) {
      return failed(
          new SchedulerFailureException(
              "Cannot initialize scheduler: " + SafeLog.describe(unexpected), unexpected));
    }
  }

  private long failed(SchedulerException failure) {
    if (active != null) {
      close(active);
      active = null;
    }
    events.publish(new SchedulerInitializationFailed(clock.instant(), failure));
    lifecycle.failed(failure);
    return FINISHED;
  }

  private void whenEnded(TaskRun run) {
    ended.add(run);
    driver.wake();
  }

  private Active active() {
    if (active == null) {
      throw new IllegalStateException("the scheduler is not active");
    }
    return active;
  }

  /** The loop outlives what should not happen: a scheduler that dies silently is the worst kind. */
  private long guarded(boolean startNew) {
    try {
      return work(active(), startNew);
    } catch (Throwable unexpected) {
      LOG.error("A turn of the scheduler failed; it goes on", unexpected);
      return clock.millis() + WRITE_AGAIN_MILLIS;
    }
  }

  private long work(Active now, boolean startNew) {
    TaskTable table = now.table();
    long nowMillis = clock.millis();
    table.noticeClock(nowMillis);
    for (TaskRun run = ended.poll(); run != null; run = ended.poll()) {
      table.end(run, nowMillis);
    }
    if (!now.writer().ready(nowMillis)) {
      return now.writer().readyAtMillis();
    }
    if (startNew) {
      table.startDue(nowMillis);
    }
    if (table.anythingToWrite() || table.anythingToTell()) {
      if (!now.writer().write(table, nowMillis)) {
        table.takeBackStarts();
        return now.writer().readyAtMillis();
      }
      tellEnds(table);
      beginStarts(table);
      if (ended.isEmpty()) {
        now.writer().maintain(table, nowMillis);
      }
    }
    return ended.isEmpty() && !(startNew && table.anythingToWrite())
        ? table.earliestMillis()
        : nowMillis;
  }

  private void tellEnds(TaskTable table) {
    for (TaskEvent end = table.ends().poll(); end != null; end = table.ends().poll()) {
      events.publish(end);
    }
  }

  private void beginStarts(TaskTable table) {
    for (TaskRun run = table.starts().poll(); run != null; run = table.starts().poll()) {
      if (lifecycle.state() == Lifecycle.State.STOPPING) {
        table.takeBack(run); // stop() was called while the intent was being written
        continue;
      }
      if (run.preempts) {
        events.publish(new TaskRetryPreempted(run.started.at(), run.taskName()));
      }
      events.publish(run.started);
      try {
        driver.begin(run);
      } catch (Throwable cannotBegin) {
        run.ended(cannotBegin);
      }
    }
  }

  private long stopping() {
    Active stopping = active();
    boolean polling = !stopping.table().isEmpty();
    if (!stopAnnounced) {
      stopAnnounced = true;
      events.publish(new SchedulerStopRequested(clock.instant()));
      if (polling) {
        events.publish(new PollingStopRequested(clock.instant()));
      }
    }
    guarded(false);
    if (stopping.table().running() > 0 || !ended.isEmpty()) {
      return ended.isEmpty() ? Long.MAX_VALUE : clock.millis();
    }
    TaskStoreException failure = finish(stopping);
    active = null;
    if (polling) {
      events.publish(new PollingStopped(clock.instant()));
    }
    events.publish(new SchedulerStopped(clock.instant()));
    boolean goesOn = lifecycle.stopped(failure);
    if (goesOn) {
      events.publish(new SchedulerInitializationStarted(clock.instant()));
    }
    return goesOn ? clock.millis() : FINISHED;
  }

  /** Nothing runs any more: writes what is left, or remembers it, and gives the store back. */
  private @Nullable TaskStoreException finish(Active stopping) {
    TaskTable table = stopping.table();
    TaskStoreException failure = null;
    if (table.anythingToWrite() && !stopping.writer().write(table, clock.millis())) {
      failure = stopping.writer().failure();
      table.changedStates().forEach(state -> unrecorded.put(state.name(), state));
    }
    tellEnds(table);
    close(stopping);
    return failure;
  }

  private static void close(Active closing) {
    try {
      closing.writer().close(closing.table());
    } catch (Throwable harmless) {
      LOG.warn("Closing the task store failed; what was written before is safe", harmless);
    }
  }
}
