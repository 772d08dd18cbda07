package dev.kron.daemon.api;

import dev.kron.job.ActiveRun;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobSpec;
import dev.kron.job.Retry;
import dev.kron.schedule.DueTimes.Due;
import dev.kron.schedule.Schedule;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a timeline: all, or those with something to see. No history is read for that, so a
 * job whose last run ended after the range may have run in it too, and keeps its row. Rows that are
 * left out are certainly empty; others may be.
 *
 * @param rows in order
 * @param hidden how many were left out
 */
record TimelineRows(List<JobView> rows, int hidden) {
  private static final String SHOW = "show";
  private static final String HIDE = "hide";
  private static final String AUTO = "auto";

  /** The number of rows from which empty ones are left out. */
  static final int MANY = 200;

  private static final long PATIENCE_MILLIS = 1000;

  /**
   * @param matched jobs that are asked for, in order
   */
  static TimelineRows of(
      Exchange exchange,
      Control control,
      List<JobView> matched,
      TimelineRange range,
      long nowMillis) {
    String empty = Page.oneOf(exchange, "empty", SHOW, Set.of(SHOW, HIDE, AUTO));
    if (empty.equals(SHOW) || (empty.equals(AUTO) && matched.size() <= MANY)) {
      return new TimelineRows(matched, 0);
    }
    boolean known = control.learnResults(matched, PATIENCE_MILLIS);
    List<JobView> shown =
        matched.stream()
            .filter(
                job ->
                    runs(job, range, nowMillis)
                        || mayHaveEnded(
                            control.result(job.identity(), false), known, range, nowMillis)
                        || comes(job, range, nowMillis))
            .toList();
    return new TimelineRows(shown, matched.size() - shown.size());
  }

  private static boolean runs(JobView job, TimelineRange range, long nowMillis) {
    for (ActiveRun run : job.state().active()) {
      if (range.touches(run.startedAt(), Math.max(run.startedAt(), nowMillis))) {
        return true;
      }
    }
    Retry retry = job.state().retry();
    return retry != null && range.holds(retry.notBefore() / 1000);
  }

  private static boolean mayHaveEnded(
      Control.@Nullable Result result, boolean known, TimelineRange range, long nowMillis) {
    if (result == null) {
      return !known && range.from() * 1000 <= nowMillis + 1000;
    }
    HistoryEntry last = result.last();
    return last != null && last.completedAt() >= range.from() * 1000;
  }

  private static boolean comes(JobView job, TimelineRange range, long nowMillis) {
    JobSpec spec = job.spec();
    if (spec == null || job.dueAt() == JobView.NEVER || range.to() * 1000 <= nowMillis) {
      return false;
    }
    if (range.holds(job.dueAt())) {
      return true;
    }
    Schedule schedule = spec.schedule();
    if (job.dueAt() - schedule.window().seconds() >= range.to()) {
      return false; // its window opens later
    }
    Coming periods = Coming.of(job, nowMillis);
    if (periods == null) {
      return false;
    }
    periods.skipTo(range.from());
    Due due = periods.peek();
    return due != null && due.decision().windowStartEpochSecond() < range.to();
  }
}
