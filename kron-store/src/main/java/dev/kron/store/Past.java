package dev.kron.store;

import dev.kron.job.Ending;
import dev.kron.job.HistoryEntry;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The past of one job or service beyond its state, for charts over time. */
public final class Past {
  static final byte[] HEADER = "kron-history 1\n".getBytes(StandardCharsets.US_ASCII);

  /** The number of days that are reported, including the last one. */
  public static final int DAYS = 400;

  /** The least number of single runs that are kept; earlier ones are counted by day. */
  public static final int RUNS = 1000;

  private final List<HistoryEntry> runs = new ArrayList<>();
  private final List<PastEvent> events = new ArrayList<>();
  private final TreeMap<Long, PastDay> days = new TreeMap<>();
  private boolean damaged;

  /** An empty past. */
  public Past() {}

  /**
   * One day.
   *
   * @param medianMillis the median duration of its runs, −1 if nothing ran
   */
  public record Day(LocalDate date, Map<Ending, Long> counts, long medianMillis, long p95Millis) {}

  static Past read(byte[] bytes) {
    var past = new Past();
    boolean headed =
        bytes.length >= HEADER.length && Arrays.equals(HEADER, Arrays.copyOf(bytes, HEADER.length));
    past.damaged = !headed;
    PastFrames.read(
        bytes,
        headed ? HEADER.length : 0,
        new PastFrames.Reader() {
          @Override
          public void frame(byte type, ByteBuffer payload, int length) {
            switch (type) {
              case PastFrames.RUN -> past.runs.add(PastFrames.run(payload));
              case PastFrames.DAY -> PastFrames.day(payload, past.days);
              case PastFrames.EVENT -> past.events.add(PastFrames.event(payload));
              default -> {} // of a newer version
            }
          }

          @Override
          public void damage() {
            past.damaged = true;
          }
        });
    return past;
  }

  /** Single runs and periods, in the order in which they were recorded. */
  public List<HistoryEntry> runs() {
    return runs;
  }

  /** The events of a service, oldest first. */
  public List<PastEvent> events() {
    return events;
  }

  /** Whether a part of the file could not be read. */
  boolean isDamaged() {
    return damaged;
  }

  boolean isEmpty() {
    return runs.isEmpty() && events.isEmpty() && days.isEmpty();
  }

  private static String key(HistoryEntry entry) {
    return entry.runId() == null
        ? entry.nominal() + " " + entry.outcome() + " " + entry.completedAt()
        : entry.runId();
  }

  /** Those of the given entries that are not kept yet. */
  List<HistoryEntry> missing(List<HistoryEntry> entries) {
    Set<String> known = new HashSet<>();
    runs.forEach(run -> known.add(key(run)));
    return entries.stream().filter(entry -> known.add(key(entry))).toList();
  }

  /** The runs of this past, followed by those in a job's state, which are the latest ones. */
  public List<HistoryEntry> followedBy(List<HistoryEntry> state) {
    Set<String> last = new HashSet<>();
    state.forEach(entry -> last.add(key(entry)));
    List<HistoryEntry> all = new ArrayList<>();
    runs.stream().filter(run -> !last.contains(key(run))).forEach(all::add);
    all.addAll(state);
    return all;
  }

  /** Replaces surplus single runs by counts per day, and drops days that are too old. */
  void fold(ZoneId zone) {
    int over = runs.size() - RUNS;
    if (over > 0) {
      List<HistoryEntry> old = runs.subList(0, over);
      for (HistoryEntry entry : old) {
        days.computeIfAbsent(PastDay.of(entry, zone), key -> new PastDay()).add(entry);
      }
      old.clear();
    }
    if (events.size() > RUNS) {
      events.subList(0, events.size() - RUNS).clear();
    }
    while (days.size() > DAYS) {
      days.pollFirstEntry();
    }
  }

  /** Drops everything before a moment. */
  void dropBefore(long millis) {
    runs.removeIf(run -> run.completedAt() < millis);
    events.removeIf(event -> event.atMillis() < millis);
    days.headMap(Math.floorDiv(millis, 86_400_000L)).clear();
  }

  /** Adds the number of bytes that stand for each hour since the epoch. */
  void weigh(Map<Long, Long> bytesByHour) {
    runs.forEach(run -> weigh(bytesByHour, run.completedAt(), PastFrames.run(run).length));
    events.forEach(it -> weigh(bytesByHour, it.atMillis(), PastFrames.event(it).length));
    days.forEach(
        (day, of) -> weigh(bytesByHour, day * 86_400_000L, PastFrames.day(day, of).length));
  }

  private static void weigh(Map<Long, Long> bytesByHour, long millis, long bytes) {
    bytesByHour.merge(Math.floorDiv(millis, 3_600_000L), bytes, Long::sum);
  }

  /** The contents of the file. */
  byte[] bytes() {
    List<byte[]> frames = new ArrayList<>();
    frames.add(HEADER);
    days.forEach((day, of) -> frames.add(PastFrames.day(day, of)));
    runs.forEach(run -> frames.add(PastFrames.run(run)));
    events.forEach(event -> frames.add(PastFrames.event(event)));
    ByteBuffer all = ByteBuffer.allocate(frames.stream().mapToInt(frame -> frame.length).sum());
    frames.forEach(all::put);
    return all.array();
  }

  /** Every day with known runs, oldest first, at most {@link #DAYS}. */
  public List<Day> days(List<HistoryEntry> all, ZoneId zone) {
    TreeMap<Long, List<HistoryEntry>> single = new TreeMap<>();
    for (HistoryEntry entry : all) {
      single.computeIfAbsent(PastDay.of(entry, zone), key -> new ArrayList<>()).add(entry);
    }
    Set<Long> known = new HashSet<>(days.keySet());
    known.addAll(single.keySet());
    return known.stream()
        .sorted()
        .skip(Math.max(0, known.size() - DAYS))
        .map(day -> day(day, single.getOrDefault(day, List.of())))
        .toList();
  }

  private Day day(long epochDay, List<HistoryEntry> single) {
    PastDay folded = days.get(epochDay);
    var sum = new PastDay();
    if (folded != null) {
      sum.counts.putAll(folded.counts);
      sum.durations.putAll(folded.durations);
    }
    single.forEach(sum::add);
    long median = sum.quantile(0.5);
    long p95 = sum.quantile(0.95);
    if (folded == null) {
      long[] exact = single.stream().mapToLong(PastDay::millis).filter(it -> it >= 0).toArray();
      Arrays.sort(exact);
      median = at(exact, 0.5);
      p95 = at(exact, 0.95);
    }
    return new Day(LocalDate.ofEpochDay(epochDay), sum.counts, median, p95);
  }

  private static long at(long[] sorted, double part) {
    return sorted.length == 0 ? -1 : sorted[(int) Math.max(0, Math.ceil(sorted.length * part) - 1)];
  }
}
