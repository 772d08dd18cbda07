package dev.kron.scheduler;

import dev.kron.scheduler.SchedulerEvent.PollingStarted;
import dev.kron.scheduler.SchedulerEvent.PollingStopRequested;
import dev.kron.scheduler.SchedulerEvent.PollingStopped;
import dev.kron.scheduler.SchedulerEvent.SchedulerInitializationFailed;
import dev.kron.scheduler.SchedulerEvent.SchedulerInitializationStarted;
import dev.kron.scheduler.SchedulerEvent.SchedulerStopRequested;
import dev.kron.scheduler.SchedulerEvent.SchedulerStopped;
import dev.kron.scheduler.SchedulerEvent.TaskRetryPreempted;
import dev.kron.scheduler.SchedulerEvent.TaskStoreFailed;
import dev.kron.scheduler.SchedulerEvent.TaskStoreRecovered;
import java.util.HashMap;
import java.util.List;
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
  private final SchedulerLifecycle lifecycle;
  private final Initializer initializer;
  private final Queue<TaskRun> ended = new ConcurrentLinkedQueue<>();

  /** Ends that could not be written before a stop; the next initialization knows them. */
  private final Map<String, TaskState> unrecorded = new HashMap<>();

  private final Requests requests = new Requests();

  private volatile @Nullable Active active;
  private volatile @Nullable Throwable storeFailure;
  private boolean stopAnnounced;

  /** The parts that exist only while the scheduler is active. */
  record Active(TaskTable table, TableWriter writer) {}

  SchedulerLoop(
      Initializer initializer,
      SafeClock clock,
      EventPublisher events,
      SchedulerLifecycle lifecycle,
      SchedulerDriver driver) {
    this.initializer = initializer;
    this.clock = clock;
    this.driver = driver;
    this.events = events;
    this.lifecycle = lifecycle;
  }

  /** A request that concerns one task; asked by any thread. */
  TaskRequest request(TaskRequest.Kind kind, String taskName) {
    TaskRequest request = new TaskRequest(kind, taskName);
    requests.add(request);
    driver.wake();
    return request;
  }

  /** All tasks as they are now, none if the scheduler is not active; asked for by any thread. */
  List<TaskView> views() {
    Active now = active;
    return now == null ? List.of() : now.table().views();
  }

  /** The failure that keeps state from being written, or null; asked for by any thread. */
  @Nullable Throwable storeFailure() {
    return storeFailure;
  }

  /** The runs that have begun and not ended; asked for by any thread. */
  List<TaskRun> runsInProgress() {
    Active now = active;
    return now == null ? List.of() : now.table().runsInProgress();
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
          initializer.initialize(
              lifecycle.current().registrations,
              unrecorded,
              new Initializer.Hooks(driver, this::whenEnded, this::whenLapsed, requests));
      unrecorded.clear();
      active = result.active();
      stopAnnounced = false;
      if (!result.active().table().isEmpty()) {
        events.publish(new PollingStarted(clock.instant()));
      }
      events.publish(result.event());
      requests.open();
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
    requests.close();
    Active halfway = active;
    if (halfway != null) {
      close(halfway);
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

  /** Others may take up what runs here; called by any thread. */
  private void whenLapsed() {
    List<TaskRun> runs = runsInProgress();
    LOG.warn(
        "The lease of this instance is over: nothing is started until it can be renewed, and {}"
            + " callback(s) are interrupted",
        runs.size());
    runs.forEach(this::interrupt);
    driver.wake();
  }

  private Active active() {
    Active now = active;
    if (now == null) {
      throw new IllegalStateException("the scheduler is not active");
    }
    return now;
  }

  /** The loop outlives what should not happen: a scheduler that dies silently is the worst kind. */
  private long guarded(boolean startNew) {
    Active now = active();
    try {
      long next = work(now, startNew);
      noticeStore(now.writer().trouble());
      return next;
    } catch (Throwable unexpected) {
      LOG.error("A turn of the scheduler failed; it goes on", unexpected);
      return clock.millis() + WRITE_AGAIN_MILLIS;
    }
  }

  private void noticeStore(@Nullable Throwable failure) {
    Throwable before = storeFailure;
    storeFailure = failure;
    if (failure != null && before == null) {
      events.publish(new TaskStoreFailed(clock.instant(), failure));
    } else if (failure == null && before != null) {
      events.publish(new TaskStoreRecovered(clock.instant()));
    }
  }

  private long work(Active now, boolean startNew) {
    TaskTable table = now.table();
    long nowMillis = clock.millis();
    table.noticeClock(nowMillis);
    for (TaskRun run = ended.poll(); run != null; run = ended.poll()) {
      table.end(run, nowMillis);
    }
    interruptOvertime(table);
    now.writer().refresh(table, nowMillis);
    if (!now.writer().ready(nowMillis)) {
      return atDeadline(table, nowMillis, now.writer().readyAtMillis());
    }
    if (startNew) {
      startNew(now, table, nowMillis);
    }
    if (table.anythingToWrite() || table.anythingToTell() || now.writer().owesEverything()) {
      if (!now.writer().write(table, nowMillis)) {
        Throwable failure = now.writer().failure();
        table.takeBackStarts(failure);
        requests.takeBack(failure);
        return atDeadline(table, nowMillis, now.writer().readyAtMillis());
      }
      tellEnds(table);
      requests.answer(events::publish);
      beginStarts(now);
      if (ended.isEmpty()) {
        now.writer().maintain(table, nowMillis);
      }
    }
    return ended.isEmpty() && !(startNew && (table.anythingToWrite() || !requests.isEmpty()))
        ? atDeadline(table, nowMillis, nextMillis(now))
        : nowMillis;
  }

  private void startNew(Active now, TaskTable table, long nowMillis) {
    if (now.writer().mayStart()) {
      requests.obey(table, nowMillis);
      table.startDue(nowMillis, now.writer().startsAtOnce());
    } else {
      requests.failAll(new IllegalStateException("the lease of this instance is over"));
    }
  }

  /** When there is something to start or to look at; without a lease nothing is started. */
  private static long nextMillis(Active now) {
    long look = now.writer().lookAgainMillis();
    return now.writer().mayStart() ? Math.min(now.table().earliestMillis(), look) : look;
  }

  private void interruptOvertime(TaskTable table) {
    for (TaskRun run : table.overtime(driver.nanoTime())) {
      LOG.warn("Task \"{}\" has reached its timeout and is interrupted", run.taskName());
      interrupt(run);
    }
  }

  void interrupt(TaskRun run) {
    try {
      driver.interrupt(run);
    } catch (Throwable cannot) {
      LOG.warn("Task \"{}\" could not be interrupted", run.taskName(), cannot);
    }
  }

  /** The time of the next timeout, if that comes earlier. */
  private long atDeadline(TaskTable table, long nowMillis, long elseMillis) {
    long left = table.millisToDeadline(driver.nanoTime());
    return left > SafeClock.LAST_MILLIS ? elseMillis : Math.min(elseMillis, nowMillis + left);
  }

  private void tellEnds(TaskTable table) {
    table.takeEnds().forEach(events::publish);
  }

  private void beginStarts(Active now) {
    TaskTable table = now.table();
    for (TaskRun run = table.starts().poll(); run != null; run = table.starts().poll()) {
      if (lifecycle.state() == SchedulerLifecycle.State.STOPPING || !now.writer().mayStart()) {
        table.takeBack(run); // a stop, or the end of the lease, came while it was being written
        if (run.asked != null) {
          run.asked.refuse();
        }
        continue;
      }
      table.begun(run, driver.nanoTime());
      if (!now.writer().mayStart()) {
        interrupt(run); // the lease ended just now, and whoever was told may have missed this run
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
      if (run.asked != null) {
        run.asked.answer.complete(true);
      }
    }
  }

  private long stopping() {
    Active stopping = active();
    boolean polling = !stopping.table().isEmpty();
    if (!stopAnnounced) {
      stopAnnounced = true;
      requests.close();
      events.publish(new SchedulerStopRequested(clock.instant()));
      if (polling) {
        events.publish(new PollingStopRequested(clock.instant()));
      }
    }
    guarded(false);
    if (stopping.table().running() > 0 || !ended.isEmpty()) {
      long nowMillis = clock.millis();
      long look = stopping.writer().lookAgainMillis();
      return atDeadline(stopping.table(), nowMillis, ended.isEmpty() ? look : nowMillis);
    }
    TaskStoreException failure = finish(stopping);
    active = null;
    storeFailure = null;
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

  /**
   * The last write when nothing runs any more: what is left is written, or remembered, and the
   * store given back.
   */
  private @Nullable TaskStoreException finish(Active stopping) {
    TaskTable table = stopping.table();
    TaskStoreException failure = null;
    if (table.anythingToWrite() && !stopping.writer().write(table, clock.millis())) {
      failure = stopping.writer().failureAtStop();
      table.changedStates().forEach(state -> unrecorded.put(state.name(), state));
    }
    requests.refuseDone();
    table.takeAllEnds().forEach(events::publish);
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
