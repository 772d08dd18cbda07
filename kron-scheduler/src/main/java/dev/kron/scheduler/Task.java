package dev.kron.scheduler;

import dev.kron.cron.CronCalendar;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One task in memory: what is remembered of it, in primitives because there may be a million, and
 * when it is due next. It changes by these transitions only:
 *
 * <pre>
 * awaiting run    --start-->    running
 * awaiting retry  --start-->    running          (a retry, or an occurrence that preempts it)
 * running         --succeed-->  awaiting run
 * running         --fail-->     awaiting retry
 * running         --takeBack--> what it was      (the start could not be made durable, or a stop came)
 * </pre>
 */
final class Task {
  static final long NEVER = Long.MIN_VALUE;

  /**
   * A clock that is this far behind what the task remembers was set, and the memory is of a time
   * that never was. The limit is that of cron(8): below it, minutes that come again were had
   * already.
   */
  static final long CLOCK_SET_BACK_SECONDS = 3 * 3600;

  final Registration registration;
  final CronCalendar calendar;

  private long lastAttemptMillis;
  private long lastSuccessMillis;
  private long lastFailureMillis;
  private long retryMillis;

  /** The next occurrence that counts, {@link CronCalendar#NONE} if there is none. */
  private long dueSecond;

  /** Occurrences after this one count; the last attempt, or when the task appeared. */
  private long anchorSecond;

  private @Nullable String runningUnder;
  private boolean running;

  /** Set while the task waits in the list of changes to be written. */
  boolean changed;

  Task(
      Registration registration, CronCalendar calendar, @Nullable TaskState known, long nowMillis) {
    this.registration = registration;
    this.calendar = calendar;
    lastAttemptMillis = known == null ? NEVER : millis(known.lastAttemptAt());
    lastSuccessMillis = known == null ? NEVER : millis(known.lastSuccessAt());
    lastFailureMillis = known == null ? NEVER : millis(known.lastFailureAt());
    retryMillis = known == null ? NEVER : millis(known.pendingRetryUntil());
    runningUnder = known == null ? null : known.runningUnder();
    long nowSecond = Math.floorDiv(nowMillis, 1000L);
    // Never attempted: the present minute counts, and nothing before it.
    anchorSecond =
        lastAttemptMillis == NEVER ? nowSecond - 60 : Math.floorDiv(lastAttemptMillis, 1000L);
    dueSecond = calendar.next(anchorSecond);
    clockWasSetBack(nowMillis);
  }

  String name() {
    return registration.name();
  }

  boolean running() {
    return running;
  }

  /** Another instance started it and did not finish it. */
  boolean orphaned() {
    return runningUnder != null && !running;
  }

  boolean awaitingRetry() {
    return retryMillis != NEVER;
  }

  boolean due(long nowMillis) {
    return dueSecond != CronCalendar.NONE && dueSecond * 1000 <= nowMillis;
  }

  boolean hasNoFuture() {
    return dueSecond == CronCalendar.NONE;
  }

  /** The latest occurrence that has come, for a task that is {@link #due}. */
  long latestDueSecond(long nowMillis) {
    return nowMillis < (dueSecond + 60) * 1000
        ? dueSecond
        : calendar.previous(Math.floorDiv(nowMillis, 1000L));
  }

  long retryMillis() {
    return retryMillis;
  }

  /** When to look at the task again; not asked of one that runs. */
  long wakeMillis() {
    if (orphaned()) {
      return Long.MIN_VALUE + 1;
    }
    long due = dueSecond == CronCalendar.NONE ? Long.MAX_VALUE : dueSecond * 1000;
    return awaitingRetry() ? Math.min(due, retryMillis) : due;
  }

  /** What a start overwrites. */
  record Before(
      long lastAttemptMillis,
      long retryMillis,
      long dueSecond,
      long anchorSecond,
      @Nullable String runningUnder) {}

  Before start(long nowMillis, String schedulerIdentifier) {
    Before before =
        new Before(lastAttemptMillis, retryMillis, dueSecond, anchorSecond, runningUnder);
    lastAttemptMillis = nowMillis;
    retryMillis = NEVER;
    anchorSecond = Math.floorDiv(nowMillis, 1000L);
    runningUnder = schedulerIdentifier;
    running = true;
    return before;
  }

  void takeBack(Before before) {
    lastAttemptMillis = before.lastAttemptMillis;
    retryMillis = before.retryMillis;
    dueSecond = before.dueSecond;
    anchorSecond = before.anchorSecond;
    runningUnder = before.runningUnder;
    running = false;
  }

  void succeed(long nowMillis) {
    lastSuccessMillis = nowMillis;
    retryMillis = NEVER;
    end(nowMillis);
  }

  void fail(long nowMillis) {
    lastFailureMillis = nowMillis;
    retryMillis = retryAfter(nowMillis);
    end(nowMillis);
  }

  private void end(long nowMillis) {
    runningUnder = null;
    running = false;
    dueSecond = calendar.next(anchorSecond);
    clockWasSetBack(nowMillis);
  }

  /** Adjusts what lies impossibly far ahead of a clock that was set back; whether anything did. */
  boolean clockWasSetBack(long nowMillis) {
    boolean adjusted = false;
    long nowSecond = Math.floorDiv(nowMillis, 1000L);
    if (anchorSecond - nowSecond > CLOCK_SET_BACK_SECONDS) {
      anchorSecond = nowSecond - 60;
      dueSecond = calendar.next(anchorSecond);
      adjusted = true;
    }
    if (awaitingRetry() && lastFailureMillis > nowMillis && retryMillis > retryAfter(nowMillis)) {
      retryMillis = retryAfter(nowMillis);
      adjusted = true;
    }
    return adjusted;
  }

  private long retryAfter(long nowMillis) {
    Duration delay = registration.retryDelay();
    if (delay.getSeconds() >= SafeClock.LAST_MILLIS / 1000) {
      return SafeClock.LAST_MILLIS;
    }
    long wholeMillis = delay.getSeconds() * 1000 + (delay.getNano() + 999_999) / 1_000_000;
    return Math.max(nowMillis, Math.min(SafeClock.LAST_MILLIS, nowMillis + wholeMillis));
  }

  TaskState state() {
    return new TaskState(
        registration.name(),
        registration.cronExpression(),
        registration.retryDelay(),
        instant(lastAttemptMillis),
        instant(lastSuccessMillis),
        instant(lastFailureMillis),
        instant(retryMillis),
        runningUnder);
  }

  private static long millis(@Nullable Instant instant) {
    return instant == null ? NEVER : instant.toEpochMilli();
  }

  private static @Nullable Instant instant(long millis) {
    return millis == NEVER ? null : Instant.ofEpochMilli(millis);
  }
}
