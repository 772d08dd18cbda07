package dev.kron.daemon.api;

import dev.kron.cron.CronCalendar;
import dev.kron.job.ActiveRun;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobSpec;
import dev.kron.job.Outcome;
import dev.kron.job.Retry;
import dev.kron.json.JsonWriter;
import dev.kron.schedule.Decision;
import dev.kron.schedule.DueTimes.Due;
import dev.kron.schedule.Schedule;
import java.io.IOException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One job in a range of time: its record, and what is to come. */
final class TimelineRow {
  /** Decisions that are computed for all rows of an answer together. */
  private static final int MOST_DECISIONS = 200_000;

  private final JobView job;
  private final TimelineRange range;
  private final long nowMillis;
  private final List<ActiveRun> running = new ArrayList<>();
  private final List<HistoryEntry> ran = new ArrayList<>();
  private final List<HistoryEntry> marks = new ArrayList<>();
  private final List<Control.Day> days = new ArrayList<>();
  private final ZoneId zone;
  private final List<Due> coming = new ArrayList<>();
  private final @Nullable Retry retry;

  /**
   * The second from which upcoming periods are not computed, because they are too many; the end of
   * the range: all are.
   */
  private long uncounted;

  /**
   * @param rows the number of rows in the answer
   */
  TimelineRow(JobView job, Control control, TimelineRange range, long nowMillis, int rows) {
    this.job = job;
    this.range = range;
    this.nowMillis = nowMillis;
    this.uncounted = range.to();
    JobSpec spec = job.spec();
    this.zone = spec == null ? ZoneOffset.UTC : spec.schedule().zone();
    Retry waiting = job.state().retry();
    this.retry =
        waiting != null && !job.suspended() && range.holds(waiting.notBefore() / 1000)
            ? waiting
            : null;
    lookBack(control);
    lookAhead(Math.max(range.buckets() + 1, MOST_DECISIONS / Math.max(1, rows)));
  }

  private void lookBack(Control control) {
    for (ActiveRun run : job.state().active()) {
      if (range.touches(run.startedAt(), Math.max(run.startedAt(), nowMillis))) {
        running.add(run);
      }
    }
    if (range.from() * 1000 > nowMillis + 1000 && nothingEndedLater(control)) {
      return;
    }
    Control.Story story = story(control);
    Map<LocalDate, Integer> single = new HashMap<>();
    for (HistoryEntry entry : story.runs()) {
      single.merge(Instant.ofEpochMilli(start(entry)).atZone(zone).toLocalDate(), 1, Integer::sum);
      if (entry.outcome() == Outcome.EXECUTED) {
        if (range.touches(start(entry), end(entry))) {
          ran.add(entry);
        }
      } else if (range.holds(Math.floorDiv(at(entry), 1000L))) {
        marks.add(entry);
      }
    }
    for (Control.Day day : story.days()) {
      long count = day.counts().values().stream().mapToLong(Long::longValue).sum();
      boolean folded = count > single.getOrDefault(day.date(), 0);
      if (folded && range.touches(begin(day.date()), begin(day.date().plusDays(1)) - 1)) {
        days.add(day);
      }
    }
  }

  private Control.Story story(Control control) {
    try {
      return control.story(job.identity(), zone);
    } catch (Control.UnreadableException e) {
      throw new ApiProblem(503, "the history cannot be read: " + e.getMessage());
    }
  }

  private long begin(LocalDate date) {
    return date.atStartOfDay(zone).toInstant().toEpochMilli();
  }

  /** Whether nothing on record lies in the future, as it may after the clock was set back. */
  private boolean nothingEndedLater(Control control) {
    Control.Result result = control.result(job.identity(), true);
    HistoryEntry last = result == null ? null : result.last();
    return last == null || last.completedAt() < range.from() * 1000;
  }

  private void lookAhead(int most) {
    Coming periods = range.to() * 1000 <= nowMillis ? null : Coming.of(job, nowMillis);
    if (periods == null) {
      return;
    }
    periods.skipTo(range.from());
    for (Due due = periods.peek();
        due != null && due.decision().windowStartEpochSecond() < range.to();
        due = periods.peek()) {
      if (coming.size() >= most) {
        uncounted = due.decision().windowStartEpochSecond();
        return;
      }
      coming.add(due);
      periods.advance();
    }
  }

  private static long start(HistoryEntry entry) {
    return entry.startedAt() == 0 ? entry.completedAt() : entry.startedAt();
  }

  /** The end of an entry; never before its start, even if the clock was set back. */
  private static long end(HistoryEntry entry) {
    return Math.max(start(entry), entry.completedAt());
  }

  /** The time of a period that did not run. */
  private static long at(HistoryEntry entry) {
    return entry.chosen() == CronCalendar.NONE ? entry.completedAt() : entry.chosen() * 1000;
  }

  void write(JsonWriter json) throws IOException {
    JobSpec spec = job.spec();
    boolean many = ran.size() + marks.size() > range.buckets();
    boolean manyComing = coming.size() > range.buckets() || uncounted < range.to();
    json.beginObject();
    json.member("job", job.name());
    json.member("identity", job.identity());
    json.member("group", job.group());
    json.member("zone", spec == null ? null : spec.schedule().zone().getId());
    json.member("state", job.stateAt(nowMillis));
    json.member("schedule", spec == null ? null : spec.schedule().written());
    json.name("past").beginArray();
    if (!many) {
      for (HistoryEntry entry : ran) {
        ran(json, entry);
      }
    }
    for (ActiveRun run : running) {
      running(json, run);
    }
    json.endArray();
    json.name("marks").beginArray();
    if (!many) {
      for (HistoryEntry entry : marks) {
        mark(json, at(entry), Outcomes.of(entry), entry.nominal(), entry.reason());
      }
    }
    if (!manyComing) {
      for (Due due : coming) {
        if (due.decision().unschedulable()) {
          Decision decision = due.decision();
          long nominal = decision.nominalEpochSecond();
          mark(json, due.dueEpochSecond() * 1000, "unschedulable", nominal, decision.reason());
        }
      }
    }
    json.endArray();
    json.name("coming").beginArray();
    if (retry != null) {
      coming(json, null, retry.notBefore(), retry.failed().nominal(), retry.attempt());
    }
    if (!manyComing) {
      for (Due due : coming) {
        if (!due.decision().unschedulable()) {
          long nominal = due.decision().nominalEpochSecond();
          coming(json, due, due.dueEpochSecond() * 1000, nominal, 1);
        }
      }
    }
    json.endArray();
    json.name("buckets").beginArray();
    for (Control.Day day : days) {
      day(json, day);
    }
    if (many) {
      past().write(json);
    }
    if (manyComing && spec != null) {
      future(spec.schedule()).write(json);
    }
    json.endArray().endObject();
  }

  /** A day of which not all single runs are kept. */
  private void day(JsonWriter json, Control.Day day) throws IOException {
    int worst =
        day.counts().keySet().stream()
            .mapToInt(ending -> Outcomes.weight(ending.text()))
            .min()
            .orElse(0);
    json.beginObject();
    json.millis("from", begin(day.date()));
    json.millis("to", begin(day.date().plusDays(1)));
    json.member("outcome", Outcomes.ofWeight(worst));
    json.member("count", day.counts().values().stream().mapToLong(Long::longValue).sum());
    json.endObject();
  }

  private static void ran(JsonWriter json, HistoryEntry entry) throws IOException {
    json.beginObject();
    json.member("run", entry.runId());
    json.millis("start", start(entry));
    json.millis("end", end(entry));
    json.member("outcome", Outcomes.of(entry));
    Shapes.second(json, "period", entry.nominal());
    Shapes.second(json, "chosen", entry.chosen());
    json.member("attempt", entry.attempt());
    json.member("manual", entry.nominal() == CronCalendar.NONE && entry.cause() == null);
    json.member("exit", entry.exitCode());
    json.member("signal", entry.signal());
    json.member("reason", entry.reason());
    json.endObject();
  }

  private static void running(JsonWriter json, ActiveRun run) throws IOException {
    json.beginObject();
    json.member("run", run.runId());
    json.millis("start", run.startedAt());
    json.member("end", (String) null);
    json.member("outcome", Outcomes.RUNNING);
    Shapes.second(json, "period", run.nominal());
    Shapes.second(json, "chosen", run.chosen());
    json.member("attempt", run.attempt());
    json.member("manual", run.manual());
    json.member("exit", (Integer) null);
    json.member("signal", (Integer) null);
    json.member("reason", Shapes.ending(run));
    json.endObject();
  }

  private static void mark(
      JsonWriter json, long atMillis, String outcome, long nominal, @Nullable String reason)
      throws IOException {
    json.beginObject();
    json.millis("at", atMillis);
    json.member("outcome", outcome);
    Shapes.second(json, "period", nominal);
    json.member("reason", reason);
    json.endObject();
  }

  private static void coming(
      JsonWriter json, @Nullable Due due, long atMillis, long nominal, int attempt)
      throws IOException {
    json.beginObject();
    OverviewEndpoint.window(json, due);
    json.millis("at", atMillis);
    Shapes.second(json, "period", nominal);
    json.member("attempt", attempt);
    json.endObject();
  }

  private Buckets past() {
    var buckets = new Buckets(range);
    for (HistoryEntry entry : ran) {
      buckets.add(start(entry), end(entry), Outcomes.of(entry));
    }
    for (HistoryEntry entry : marks) {
      buckets.add(at(entry), at(entry), Outcomes.of(entry));
    }
    return buckets;
  }

  private Buckets future(Schedule schedule) {
    var buckets = new Buckets(range);
    for (Due due : coming) {
      long at = due.dueEpochSecond() * 1000;
      if (range.holds(due.dueEpochSecond())) {
        buckets.add(at, at, due.decision().unschedulable() ? "unschedulable" : Outcomes.COMING);
      }
    }
    for (int i = range.bucket(uncounted * 1000);
        uncounted < range.to() && i < range.buckets();
        i++) {
      long nominal = schedule.next(Math.ceilDiv(range.beginOf(i), 1000L) - 1);
      if (nominal == CronCalendar.NONE) {
        break;
      }
      if (nominal * 1000 < range.beginOf(i + 1)) {
        buckets.mark(i, Outcomes.COMING);
      }
    }
    return buckets;
  }
}
