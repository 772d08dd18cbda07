package dev.kron.cli.lint;

import dev.kron.cli.output.Times;
import dev.kron.cron.CronCalendar;
import dev.kron.schedule.Schedule;
import org.jspecify.annotations.Nullable;

/**
 * The two closest periods in a row; a run that takes longer than the time between them reaches into
 * the second.
 *
 * @param first nominal epoch second
 * @param second nominal epoch second of the period after it
 */
record Spacing(long first, long second) {
  private static final int CLOSEST_SECONDS = 60;

  /** Enough to see the end of an hour, of a day, of a week and of a month of most expressions. */
  private static final int LOOK_AHEAD = 32;

  /** The two closest upcoming periods; null if there is only one. */
  static @Nullable Spacing after(long now, Schedule schedule) {
    Spacing closest = null;
    long nominal = schedule.next(now);
    for (int i = 0; i < LOOK_AHEAD && nominal != CronCalendar.NONE; i++) {
      long next = schedule.next(nominal);
      if (next == CronCalendar.NONE) {
        break;
      }
      if (closest == null || next - nominal < closest.seconds()) {
        closest = new Spacing(nominal, next);
        if (closest.seconds() == CLOSEST_SECONDS) {
          break;
        }
      }
      nominal = next;
    }
    return closest;
  }

  long seconds() {
    return second - first;
  }

  String overlapOf(long windowSeconds) {
    return "the window of "
        + Times.utc(first)
        + " reaches "
        + Times.span(windowSeconds - seconds())
        + " into that of the next period, "
        + Times.utc(second)
        + ": a period that draws an earlier second than the one before it waits for it";
  }

  /** The sentence that at most so many attempts come before the second period. */
  String forestalls(int fitting, int retries) {
    String attempts =
        fitting == 0
            ? "no attempt is ever made again"
            : "at most " + fitting + " of " + retries + " retries can be made";
    return attempts
        + ": after "
        + Times.utc(first)
        + " the next period comes "
        + Times.span(seconds())
        + " later, which ends the waiting";
  }

  String outlastedBy(long timeoutSeconds) {
    return "a run may last "
        + Times.span(timeoutSeconds)
        + " (timeout), but after "
        + Times.utc(first)
        + " the next period comes "
        + Times.span(seconds())
        + " later: under concurrency=forbid it is skipped while the run lasts";
  }
}
