package dev.kron.daemon.api;

import dev.kron.job.HistoryEntry;
import dev.kron.job.JobSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A query for jobs: which ones, and in which order.
 *
 * @param filter a text in the identity, the schedule or the description, in lower case
 * @param state as {@link JobView#stateAt} has it, null: any
 * @param last the word of the last result, {@code failing}: not succeeded since; null: any
 * @param group the file, null: any
 */
record JobQuery(
    String filter,
    @Nullable String state,
    @Nullable String last,
    @Nullable String group,
    String sort,
    boolean descending) {
  static final String[] PARAMETERS = {
    "name", "filter", "state", "last", "group", "sort", "order", "offset", "limit"
  };

  private static final String FAILING = "failing";
  private static final Set<String> SORTS = Set.of("name", "next", "last", "duration", "state");

  static JobQuery of(Exchange exchange) {
    String state = exchange.parameter("state");
    if (state != null) {
      Page.oneOf(exchange, "state", state, JobView.STATES);
    }
    String last = exchange.parameter("last");
    if (last != null && !last.equals(FAILING) && !Outcomes.isEnding(last)) {
      throw new ApiProblem(400, "last is failing or an outcome such as succeeded, not " + last);
    }
    return new JobQuery(
        exchange.parameter("filter", "").toLowerCase(Locale.ROOT),
        state,
        last,
        exchange.parameter("group"),
        Page.oneOf(exchange, "sort", "name", SORTS),
        Page.isDescending(exchange));
  }

  /** Whether the query needs results, which are on disk. */
  boolean needsResults() {
    return last != null || sort.equals("last") || sort.equals("duration");
  }

  /** The matching jobs, in order. */
  List<JobView> select(Control control, List<JobView> jobs, long nowMillis) {
    var found = new ArrayList<JobView>();
    for (JobView job : jobs) {
      if (admits(job, nowMillis) && admitsLast(control, job)) {
        found.add(job);
      }
    }
    Comparator<JobView> order = order(control, nowMillis);
    found.sort((descending ? order.reversed() : order).thenComparing(JobView::identity));
    return found;
  }

  private boolean admits(JobView job, long nowMillis) {
    if (group != null && !group.equals(job.group())) {
      return false;
    }
    if (state != null && !state.equals(job.stateAt(nowMillis))) {
      return false;
    }
    if (filter.isEmpty()) {
      return true;
    }
    JobSpec spec = job.spec();
    String description = spec == null ? null : spec.description();
    return Page.isIn(
        filter,
        List.of(
            job.identity(),
            spec == null ? "" : spec.schedule().written(),
            description == null ? "" : description));
  }

  private boolean admitsLast(Control control, JobView job) {
    if (last == null) {
      return true;
    }
    Control.Result result = control.result(job.identity(), false);
    if (result == null) {
      return false;
    }
    HistoryEntry ended = result.last();
    return last.equals(FAILING)
        ? result.failures() > 0
        : ended != null && last.equals(Outcomes.of(ended));
  }

  private Comparator<JobView> order(Control control, long nowMillis) {
    return switch (sort) {
      case "next" -> Comparator.comparingLong(JobView::dueAt);
      case "state" -> Comparator.comparing(job -> job.stateAt(nowMillis));
      case "last" -> Comparator.comparingLong(job -> ended(control, job, false));
      case "duration" -> Comparator.comparingLong(job -> ended(control, job, true));
      default -> Comparator.comparing(JobView::identity);
    };
  }

  /** When the job ended last, or how long that run took; −1 if it never ended. */
  private static long ended(Control control, JobView job, boolean duration) {
    Control.Result result = control.result(job.identity(), false);
    HistoryEntry last = result == null ? null : result.last();
    if (last == null || (duration && last.startedAt() == 0)) {
      return -1;
    }
    return duration ? last.completedAt() - last.startedAt() : last.completedAt();
  }
}
