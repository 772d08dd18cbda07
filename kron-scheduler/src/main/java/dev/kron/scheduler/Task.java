package dev.kron.scheduler;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One task in memory: what is remembered of it, in primitives because there may be a million, and
 * when it is due next. It changes by these transitions only, all made by the loop:
 *
 * <pre>
 * awaiting run    --start-->    running
 * awaiting retry  --start-->    running          (a retry, or an occurrence that preempts it)
 * running         --succeed-->  awaiting run
 * running         --fail-->     awaiting retry   (awaiting run, if its retries are used up)
 * running         --takeBack--> what it was      (the start could not be made durable, or a stop came)
 * </pre>
 *
 * <p>Transitions and {@link #view} hold the task's monitor, so that any thread may ask for a view.
 *
 * <p>One file, though a long one: every transition changes several of its fields at once.
 */
final class Task {
  static final long NEVER = Long.MIN_VALUE;
  static final int NO_TIMER = -1;

  /**
   * A clock that is this far behind what the task remembers was set, and the memory is of a time
   * that never was. The limit is that of cron(8): below it, minutes that come again were had
   * already.
   */
  static final long CLOCK_SET_BACK_SECONDS = 3 * 3600;

  final Registration registration;
  final TaskTimetable timetable;

  private long lastAttemptMillis;
  private long lastSuccessMillis;
  private long lastFailureMillis;
  private long retryMillis;
  private long pausedMillis;

  /**
   * The next occurrence that counts, {@link TaskTimetable#NONE} if there is none, and when it is
   * due.
   */
  private long occurrence;

  private long dueSecond;

  /**
   * Occurrences that are due after this moment count; the last attempt, or when the task appeared.
   */
  private long anchorSecond;

  /** The occurrence that was started last, {@link TaskTimetable#NONE} if that is not known. */
  private long handled;

  /** The number of attempts at what runs, or awaits its retry. */
  private int attempts;

  private @Nullable String runningUnder;
  private boolean running;

  /** Whether somebody asked for the last start; no occurrence belongs to it then. */
  private boolean requested;

  /** The run that has begun, for those who want to see or interrupt it. */
  private @Nullable TaskRun run;

  /** The version of the row that is known, and the fencing token; 0 without a shared store. */
  private volatile long version;

  /** Whether an instance that lives is running it. */
  private boolean elsewhere;

  /** Whether it is registered otherwise by whoever initialized last: it does not start here. */
  private boolean foreign;

  /** Set while the task waits in the list of changes to be written. */
  boolean changed;

  /** The task's place among the timers, or {@link #NO_TIMER}; the timers' own. */
  int timerPlace = NO_TIMER;

  Task(
      Registration registration,
      TaskTimetable timetable,
      @Nullable TaskState known,
      long nowMillis) {
    this.registration = registration;
    this.timetable = timetable;
    remember(known, nowMillis);
  }

  /** Takes over what is remembered, in place of what was known. */
  private void remember(@Nullable TaskState known, long nowMillis) {
    lastAttemptMillis = known == null ? NEVER : millis(known.lastAttemptAt());
    lastSuccessMillis = known == null ? NEVER : millis(known.lastSuccessAt());
    lastFailureMillis = known == null ? NEVER : millis(known.lastFailureAt());
    retryMillis = known == null ? NEVER : millis(known.pendingRetryUntil());
    pausedMillis = known == null ? NEVER : millis(known.pausedAt());
    runningUnder = known == null ? null : known.runningUnder();
    attempts = known == null ? 0 : known.attempts();
    handled =
        known == null || known.scheduledAt() == null
            ? TaskTimetable.NONE
            : known.scheduledAt().getEpochSecond();
    if (attempts == 0 && (runningUnder != null || retryMillis != NEVER)) {
      attempts = 1;
      if (handled == TaskTimetable.NONE && lastAttemptMillis != NEVER) {
        handled = timetable.calendar().previous(Math.floorDiv(lastAttemptMillis, 1000L));
      }
    }
    long nowSecond = Math.floorDiv(nowMillis, 1000L);
    // Never attempted: the present minute counts, and nothing before it.
    anchorSecond =
        lastAttemptMillis == NEVER ? nowSecond - 60 : Math.floorDiv(lastAttemptMillis, 1000L);
    findNext();
    clockWasSetBack(nowMillis);
  }

  private void findNext() {
    occurrence = timetable.next(anchorSecond, handled);
    dueSecond = timetable.due(occurrence);
  }

  String name() {
    return registration.name();
  }

  boolean running() {
    return running;
  }

  boolean paused() {
    return pausedMillis != NEVER;
  }

  /** Another instance started it and did not finish it. */
  boolean orphaned() {
    return runningUnder != null && !running && !elsewhere;
  }

  /** Whether it cannot be started here, whatever the time. */
  boolean occupied() {
    return running || elsewhere || foreign;
  }

  boolean elsewhere() {
    return elsewhere;
  }

  /** The instance that is running it, or ran it when it was lost. */
  @Nullable String runningUnder() {
    return runningUnder;
  }

  long version() {
    return version;
  }

  void version(long known) {
    version = known;
  }

  /** Takes over what all instances share, of a task that does not run here. */
  synchronized void adopt(
      @Nullable TaskState known, long knownVersion, boolean runsElsewhere, long nowMillis) {
    version = knownVersion;
    elsewhere = runsElsewhere;
    requested = false;
    remember(known, nowMillis);
  }

  /** The instance that was running it is lost. */
  synchronized void released() {
    elsewhere = false;
  }

  synchronized void foreign(boolean registeredOtherwise) {
    foreign = registeredOtherwise;
  }

  boolean awaitingRetry() {
    return retryMillis != NEVER;
  }

  boolean due(long nowMillis) {
    return dueSecond != TaskTimetable.NONE && dueSecond * 1000 <= nowMillis;
  }

  boolean hasNoFuture() {
    return dueSecond == TaskTimetable.NONE;
  }

  /** The latest occurrence that is due, for a task that is {@link #due}. */
  long latestOccurrence(long nowMillis) {
    return timetable.latest(occurrence, Math.floorDiv(nowMillis, 1000L));
  }

  /** Epoch milliseconds, or {@link #NEVER}. */
  long retryMillis() {
    return retryMillis;
  }

  /** The number of the attempt that runs or ran last, from 1. */
  int attempts() {
    return attempts;
  }

  /** The occurrence that is being attempted; null if somebody asked for it, or it is not known. */
  @Nullable Instant scheduledAt() {
    return requested || handled == TaskTimetable.NONE ? null : Instant.ofEpochSecond(handled);
  }

  /** When to look at the task again; not asked of one that runs. */
  long wakeMillis() {
    if (paused() || elsewhere || foreign) {
      return Long.MAX_VALUE;
    }
    if (orphaned()) {
      return Long.MIN_VALUE + 1;
    }
    long due = dueSecond == TaskTimetable.NONE ? Long.MAX_VALUE : dueSecond * 1000;
    long wake = awaitingRetry() ? Math.min(due, retryMillis) : due;
    // A clock stands still at its last moment, and a retry that is due then would be due for ever.
    return wake < SafeClock.LAST_MILLIS ? wake : Long.MAX_VALUE;
  }

  /** The fields that a start overwrites. */
  record Before(
      long lastAttemptMillis,
      long retryMillis,
      long occurrence,
      long dueSecond,
      long anchorSecond,
      long handled,
      int attempts,
      boolean requested,
      @Nullable String runningUnder) {}

  /** The reason why a task starts. */
  enum Reason {
    OCCURRENCE,
    AGAIN,
    REQUEST
  }

  /** Rises with every start in the cluster; 0 where one process has the store to itself. */
  long fencingToken() {
    return version;
  }

  synchronized Before start(Reason reason, long nowMillis, String schedulerIdentifier) {
    Before before =
        new Before(
            lastAttemptMillis,
            retryMillis,
            occurrence,
            dueSecond,
            anchorSecond,
            handled,
            attempts,
            requested,
            runningUnder);
    if (reason == Reason.OCCURRENCE) {
      handled = latestOccurrence(nowMillis);
    }
    requested = reason == Reason.REQUEST || (requested && reason == Reason.AGAIN);
    attempts = reason == Reason.AGAIN ? Math.max(attempts, attempts + 1) : 1;
    lastAttemptMillis = nowMillis;
    retryMillis = NEVER;
    anchorSecond = Math.floorDiv(nowMillis, 1000L);
    runningUnder = schedulerIdentifier;
    running = true;
    return before;
  }

  synchronized void takeBack(Before before) {
    lastAttemptMillis = before.lastAttemptMillis;
    retryMillis = before.retryMillis;
    occurrence = before.occurrence;
    dueSecond = before.dueSecond;
    anchorSecond = before.anchorSecond;
    handled = before.handled;
    attempts = before.attempts;
    requested = before.requested;
    runningUnder = before.runningUnder;
    running = false;
  }

  /** The run's intent is durable, and it begins. */
  synchronized void begun(TaskRun begun) {
    run = begun;
  }

  /** The run that has begun and not ended. */
  synchronized @Nullable TaskRun run() {
    return run;
  }

  synchronized void succeed(long nowMillis) {
    lastSuccessMillis = nowMillis;
    attempts = 0;
    end(nowMillis);
  }

  synchronized void fail(long nowMillis) {
    lastFailureMillis = nowMillis;
    if (attempts <= registration.options().retryLimit()) {
      retryMillis = retryAfter(nowMillis);
    } else {
      attempts = 0;
    }
    end(nowMillis);
  }

  private void end(long nowMillis) {
    runningUnder = null;
    running = false;
    run = null;
    findNext();
    clockWasSetBack(nowMillis);
  }

  /** The moment since when the task is paused, or {@link #NEVER}. */
  long pausedMillis() {
    return pausedMillis;
  }

  synchronized void pausedSince(long millis) {
    pausedMillis = millis;
  }

  /** Adjusts what lies impossibly far ahead of a clock that was set back; whether anything did. */
  synchronized boolean clockWasSetBack(long nowMillis) {
    boolean adjusted = false;
    long nowSecond = Math.floorDiv(nowMillis, 1000L);
    if (anchorSecond - nowSecond > CLOCK_SET_BACK_SECONDS) {
      anchorSecond = nowSecond - 60;
      adjusted = true;
    }
    if (adjusted ? handled > nowSecond : handled > nowSecond + CLOCK_SET_BACK_SECONDS) {
      handled = TaskTimetable.NONE;
      adjusted = true;
    }
    if (adjusted) {
      findNext();
    }
    if (awaitingRetry() && lastFailureMillis > nowMillis && retryMillis > retryAfter(nowMillis)) {
      retryMillis = retryAfter(nowMillis);
      adjusted = true;
    }
    return adjusted;
  }

  private long retryAfter(long nowMillis) {
    TaskOptions options = registration.options();
    long wholeMillis = millis(registration.retryDelay());
    if (options.backoff() > 1) {
      double grown = wholeMillis * Math.pow(options.backoff(), Math.max(0, attempts - 1));
      Duration longest = options.longestRetryDelay();
      long most = longest == null ? SafeClock.LAST_MILLIS : millis(longest);
      wholeMillis = Math.max(wholeMillis, (long) Math.min(grown, (double) most));
    }
    return Math.max(nowMillis, Math.min(SafeClock.LAST_MILLIS, nowMillis + wholeMillis));
  }

  /** Rounded up, and never so long that it could not be added to a time. */
  private static long millis(Duration delay) {
    return delay.getSeconds() >= SafeClock.LAST_MILLIS / 1000
        ? SafeClock.LAST_MILLIS
        : delay.getSeconds() * 1000 + (delay.getNano() + 999_999) / 1_000_000;
  }

  TaskState state() {
    // The first attempt at an occurrence goes without saying, and most attempts are.
    // Not so where an instance may mean another expression by the task.
    boolean shared = version > 0;
    boolean obvious = attempts == 1 && !requested && !shared;
    boolean occurrenceMatters = timetable.hasWindow() || ((attempts > 1 || shared) && !requested);
    return new TaskState(
        registration.name(),
        registration.cronExpression(),
        registration.retryDelay(),
        instant(lastAttemptMillis),
        instant(lastSuccessMillis),
        instant(lastFailureMillis),
        instant(retryMillis),
        runningUnder,
        obvious ? 0 : attempts,
        occurrenceMatters ? occurrenceOnRecord() : null,
        instant(pausedMillis));
  }

  /** The occurrence that was started last, unless it lies where no reader would believe it. */
  private @Nullable Instant occurrenceOnRecord() {
    boolean inRange =
        handled >= SafeClock.FIRST_MILLIS / 1000 && handled <= SafeClock.LAST_MILLIS / 1000;
    return inRange ? Instant.ofEpochSecond(handled) : null;
  }

  /** The task as it is now; asked for by any thread. */
  synchronized TaskView view() {
    long next = running ? timetable.due(timetable.next(anchorSecond, handled)) : dueSecond;
    return new TaskView(
        registration.name(),
        registration.cronExpression(),
        timetable.calendar().zone(),
        paused() || foreign || next == TaskTimetable.NONE ? null : Instant.ofEpochSecond(next),
        instant(lastAttemptMillis),
        instant(lastSuccessMillis),
        instant(lastFailureMillis),
        running || elsewhere ? instant(lastAttemptMillis) : null,
        instant(retryMillis),
        instant(pausedMillis),
        attempts);
  }

  private static long millis(@Nullable Instant instant) {
    return instant == null ? NEVER : instant.toEpochMilli();
  }

  private static @Nullable Instant instant(long millis) {
    return millis == NEVER ? null : Instant.ofEpochMilli(millis);
  }
}
