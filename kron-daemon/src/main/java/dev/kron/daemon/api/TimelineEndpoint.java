package dev.kron.daemon.api;

import dev.kron.cron.CronCalendar;
import dev.kron.job.JobSpec;
import dev.kron.json.JsonWriter;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/** The timeline: what jobs did and will do in a range of time, one row for each job. */
final class TimelineEndpoint {
  static final String[] PARAMETERS = {
    "from",
    "to",
    "filter",
    "group",
    "state",
    "empty",
    "rowsFrom",
    "rowsTo",
    "offset",
    "limit",
    "buckets"
  };

  private static final long LONGEST_SECONDS = Duration.ofDays(400).toSeconds();
  private static final long HALF_SECONDS = Duration.ofHours(12).toSeconds();
  private static final long LAST_SECOND = 253_402_300_799L;
  private static final int MOST_ROWS = 500;
  private static final int MOST_BUCKETS = 5000;

  /** The most rows times buckets in one answer. */
  private static final int MOST_CELLS = 1_000_000;

  private final Supplier<Control> control;

  TimelineEndpoint(Supplier<Control> control) {
    this.control = control;
  }

  void timeline(Exchange exchange) throws IOException {
    Page page = Page.of(exchange, 50, MOST_ROWS);
    int buckets = (int) exchange.number("buckets", 1000, 1, MOST_BUCKETS);
    if ((long) page.limit() * buckets > MOST_CELLS) {
      throw new ApiProblem(
          400, "limit times buckets is at most %s: ask for fewer rows".formatted(MOST_CELLS));
    }
    JobQuery query = JobQuery.of(exchange);
    Control present = control.get();
    Snapshot snapshot = Exchange.await(present.look());
    TimelineRange range = range(exchange, snapshot.wallMillis() / 1000, buckets);
    long now = snapshot.wallMillis();
    TimelineRange seen = seen(exchange, range);
    TimelineRows shown =
        TimelineRows.of(exchange, present, query.select(present, snapshot.jobs(), now), seen, now);
    List<JobView> rows = page.of(shown.rows());
    try (var json = exchange.json()) {
      json.beginObject();
      json.second("from", range.from());
      json.second("to", range.to());
      json.millis("now", snapshot.wallMillis());
      json.name("rows").beginArray();
      for (JobView job : rows) {
        new TimelineRow(job, present, range, snapshot.wallMillis(), rows.size()).write(json);
      }
      json.endArray();
      json.name("downs").beginArray();
      for (Control.Absence absence : present.downBetween(range.from(), range.to())) {
        json.beginObject();
        json.second("from", absence.from());
        json.second("to", absence.to());
        json.endObject();
      }
      json.endArray();
      zoneChanges(json, rows, range);
      json.member("total", snapshot.jobs().size());
      json.member("matched", shown.rows().size());
      json.member("hidden", shown.hidden());
      json.member("asOf", snapshot.asOf());
      json.endObject();
    }
  }

  /** The part of the range in which a row must have something, if empty rows are left out. */
  private static TimelineRange seen(Exchange exchange, TimelineRange range) {
    long from = exchange.time("rowsFrom");
    long to = exchange.time("rowsTo");
    long begin = from == CronCalendar.NONE ? range.from() : Math.max(from, range.from());
    long end = to == CronCalendar.NONE ? range.to() : Math.min(to, range.to());
    if (end <= begin) {
      throw new ApiProblem(400, "rowsFrom and rowsTo lie between from and to, in this order");
    }
    return new TimelineRange(begin, end, range.buckets());
  }

  private static TimelineRange range(Exchange exchange, long now, int buckets) {
    long from = exchange.time("from");
    long to = exchange.time("to");
    if (from == CronCalendar.NONE) {
      from = to == CronCalendar.NONE ? now - HALF_SECONDS : to - 2 * HALF_SECONDS;
    }
    if (to == CronCalendar.NONE) {
      to = from + 2 * HALF_SECONDS;
    }
    if (from < 0 || to > LAST_SECOND) {
      throw new ApiProblem(400, "from and to lie in the years 1970 to 9999");
    }
    if (to <= from) {
      throw new ApiProblem(400, "to lies before from");
    }
    if (to - from > LONGEST_SECONDS) {
      throw new ApiProblem(
          400,
          "from and to are at most %s days apart"
              .formatted(Duration.ofSeconds(LONGEST_SECONDS).toDays()));
    }
    return new TimelineRange(from, to, buckets);
  }

  /** When the clocks of the jobs' zones are changed. */
  private static void zoneChanges(JsonWriter json, List<JobView> rows, TimelineRange range)
      throws IOException {
    Set<ZoneId> zones = new TreeSet<>(Comparator.comparing(ZoneId::getId));
    for (JobView job : rows) {
      JobSpec spec = job.spec();
      if (spec != null) {
        zones.add(spec.schedule().zone());
      }
    }
    Instant end = Instant.ofEpochSecond(range.to());
    json.name("zoneChanges").beginArray();
    for (ZoneId zone : zones) {
      ZoneOffsetTransition change =
          zone.getRules().nextTransition(Instant.ofEpochSecond(range.from() - 1));
      while (change != null && change.getInstant().isBefore(end)) {
        json.beginObject();
        json.member("zone", zone.getId());
        json.second("at", change.toEpochSecond());
        json.member("offsetBefore", offset(change.getOffsetBefore().getId()));
        json.member("offsetAfter", offset(change.getOffsetAfter().getId()));
        json.endObject();
        change = zone.getRules().nextTransition(change.getInstant());
      }
    }
    json.endArray();
  }

  private static String offset(String id) {
    return id.equals("Z") ? "+00:00" : id;
  }
}
