package dev.kron.daemon.api;

import dev.kron.cron.CronCalendar;
import dev.kron.job.ActiveRun;
import dev.kron.job.HistoryEntry;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A filter for runs.
 *
 * @param failed only failed ones
 * @param sinceMillis only those that began, or were decided without beginning, at or after this
 * @param untilMillis only those before this
 */
record RunFilter(boolean failed, long sinceMillis, long untilMillis) {
  static final String[] PARAMETERS = {"limit", "failed", "since", "until"};

  static RunFilter of(Exchange exchange) {
    return new RunFilter(
        exchange.flag("failed"),
        millis(exchange.time("since"), Long.MIN_VALUE),
        millis(exchange.time("until"), Long.MAX_VALUE));
  }

  private static long millis(long second, long none) {
    return second == CronCalendar.NONE ? none : second * 1000;
  }

  boolean admitsAll() {
    return !failed && sinceMillis == Long.MIN_VALUE && untilMillis == Long.MAX_VALUE;
  }

  boolean admits(ActiveRun run) {
    return !failed && admits(run.startedAt());
  }

  boolean admits(HistoryEntry entry) {
    return (!failed || entry.failed()) && admits(when(entry));
  }

  private boolean admits(long millis) {
    return millis >= sinceMillis && millis < untilMillis;
  }

  private static long when(HistoryEntry entry) {
    return entry.startedAt() == 0 ? entry.completedAt() : entry.startedAt();
  }

  /**
   * Ended runs, newest first. With a filter, all that is on record is searched; otherwise only what
   * ended last.
   */
  List<Control.Ended> ended(Control control, Snapshot snapshot, int limit) {
    List<Control.Ended> recent = control.recent();
    if (admitsAll()) {
      return recent;
    }
    List<Control.Ended> found = new ArrayList<>();
    Set<String> looked = new HashSet<>();
    for (JobView job : snapshot.jobs()) {
      looked.add(job.identity());
      for (HistoryEntry entry : JobEndpoints.history(control, job)) {
        add(found, new Control.Ended(job.identity(), entry), limit);
      }
    }
    for (Control.Ended one : recent) {
      if (!looked.contains(one.identity())) {
        add(found, one, limit);
      }
    }
    found.sort(NEWEST_FIRST);
    return found;
  }

  private static final Comparator<Control.Ended> NEWEST_FIRST =
      Comparator.<Control.Ended>comparingLong(it -> it.entry().completedAt()).reversed();

  /** Adds an entry. At most twice the limit is kept, however long the histories are. */
  private void add(List<Control.Ended> found, Control.Ended one, int limit) {
    if (admits(one.entry())) {
      found.add(one);
    }
    if (found.size() > 2 * limit + 1000) {
      found.sort(NEWEST_FIRST);
      found.subList(limit, found.size()).clear();
    }
  }
}
