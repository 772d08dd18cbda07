package dev.kron.cron;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneOffsetTransitionRule;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The history and future of a zone as regimes: stretches of time with one offset from UTC. {@link
 * ZoneRules} knows the same, but computes and allocates at every question.
 *
 * <p>Two arrays hold where each regime starts and its offset. What a zone's recurring rules bring
 * is unrolled for 400 years only, after which the Gregorian calendar repeats itself to the weekday;
 * a later second is asked about as the same second of the first cycle ({@link #shift}). A third
 * array says which regime each half year begins in, so that finding one takes a look-up and a step
 * or two instead of a binary search. A zone with rules takes some 15 KB, once for all who use it.
 */
public final class ZoneTimeline {
  private static final long SECONDS_OF_400_YEARS = CivilDate.DAYS_OF_400_YEARS * 86_400L;

  /** Seconds of a bucket, as a power of two: about half a year. */
  private static final int BUCKET_BITS = 24;

  /** Bounded by the tz database: every zone with one offset for ever is normalized to that. */
  private static final ConcurrentMap<ZoneId, ZoneTimeline> KNOWN = new ConcurrentHashMap<>();

  /** Where each regime starts; one more at the end for the end of the last. */
  private final long[] starts;

  private final int[] offsets;
  private final short[] regimeAtBucket;
  private final long repeatsFrom;
  private final int minOffset;
  private final int maxOffset;

  private ZoneTimeline(long[] starts, int[] offsets, long repeatsFrom) {
    this.starts = starts;
    this.offsets = offsets;
    this.repeatsFrom = repeatsFrom;
    int min = offsets[0];
    int max = offsets[0];
    for (int offset : offsets) {
      min = Math.min(min, offset);
      max = Math.max(max, offset);
    }
    minOffset = min;
    maxOffset = max;
    regimeAtBucket = buckets(starts, offsets.length);
  }

  /** The timeline of a zone; computed once for all who ask. */
  public static ZoneTimeline of(ZoneId zone) {
    ZoneId key = zone.normalized();
    ZoneTimeline known = KNOWN.get(key);
    if (known == null) {
      ZoneTimeline built = build(key.getRules());
      ZoneTimeline first = KNOWN.putIfAbsent(key, built);
      known = first == null ? built : first;
    }
    return known;
  }

  private static ZoneTimeline build(ZoneRules rules) {
    List<ZoneOffsetTransition> transitions = rules.getTransitions();
    if (transitions.isEmpty()) {
      int offset = rules.getOffset(Instant.EPOCH).getTotalSeconds();
      return new ZoneTimeline(
          new long[] {Long.MIN_VALUE, Long.MAX_VALUE}, new int[] {offset}, Long.MAX_VALUE);
    }
    var regimes = new Regimes(transitions.getFirst().getOffsetBefore().getTotalSeconds());
    for (ZoneOffsetTransition transition : transitions) {
      regimes.add(transition.toEpochSecond(), transition.getOffsetAfter().getTotalSeconds());
    }
    if (rules.getTransitionRules().isEmpty()) {
      return regimes.toTimeline(Long.MAX_VALUE);
    }
    var recurrences = new ArrayList<Recurrence>();
    for (ZoneOffsetTransitionRule rule : rules.getTransitionRules()) {
      recurrences.add(Recurrence.of(rule));
    }
    // Two years on, the regime at the start of the year has come from a rule, not from history.
    int lastYear = transitions.getLast().getDateTimeAfter().getYear();
    int repeatsFromYear = lastYear + 2;
    for (int year = lastYear; year <= repeatsFromYear + 400; year++) {
      for (Recurrence recurrence : recurrences) {
        regimes.addAfterHistory(recurrence.second(year), recurrence.offsetAfter);
      }
    }
    return regimes.toTimeline(CivilDate.epochDay(repeatsFromYear, 1, 1) * 86_400L);
  }

  /**
   * A rule in plain numbers: {@link ZoneOffsetTransitionRule#createTransition}, eight hundred
   * times, would be most of what a short command does.
   *
   * @param day the earliest day of the month or, where negative, the latest counted from its end
   * @param weekday 0 for Sunday, or -1 if any will do
   * @param utcSecondOfDay from midnight of that day in UTC; may lie outside the day
   */
  private record Recurrence(int month, int day, int weekday, int utcSecondOfDay, int offsetAfter) {
    static Recurrence of(ZoneOffsetTransitionRule rule) {
      DayOfWeek weekday = rule.getDayOfWeek();
      ZoneOffset writtenIn =
          switch (rule.getTimeDefinition()) {
            case UTC -> ZoneOffset.UTC;
            case STANDARD -> rule.getStandardOffset();
            case WALL -> rule.getOffsetBefore();
          };
      int secondOfDay = rule.isMidnightEndOfDay() ? 86_400 : rule.getLocalTime().toSecondOfDay();
      return new Recurrence(
          rule.getMonth().getValue(),
          rule.getDayOfMonthIndicator(),
          weekday == null ? -1 : weekday.getValue() % 7,
          secondOfDay - writtenIn.getTotalSeconds(),
          rule.getOffsetAfter().getTotalSeconds());
    }

    long second(int year) {
      int dayOfMonth = day > 0 ? day : CivilDate.lengthOfMonth(year, month) + 1 + day;
      int epochDay = CivilDate.epochDay(year, month, dayOfMonth);
      if (weekday >= 0) {
        int away = CivilDate.weekday(epochDay) - weekday;
        epochDay += day > 0 ? Math.floorMod(-away, 7) : -Math.floorMod(away, 7);
      }
      return epochDay * 86_400L + utcSecondOfDay;
    }
  }

  private static short[] buckets(long[] starts, int regimes) {
    if (regimes == 1) {
      return new short[0];
    }
    int count = (int) ((starts[regimes - 1] - starts[1]) >> BUCKET_BITS) + 1;
    short[] result = new short[count];
    int regime = 1;
    for (int bucket = 0; bucket < count; bucket++) {
      long second = starts[1] + ((long) bucket << BUCKET_BITS);
      while (regime < regimes - 1 && starts[regime + 1] <= second) {
        regime++;
      }
      result[bucket] = (short) regime;
    }
    return result;
  }

  /** How far local time is ahead of UTC at an instant, in seconds, without any allocation. */
  public int offsetSeconds(long epochSecond) {
    return offset(regime(epochSecond - shift(epochSecond)));
  }

  /** The first change of the offset after an instant; the largest number where there is none. */
  public long nextChange(long epochSecond) {
    long shift = shift(epochSecond);
    long end = end(regime(epochSecond - shift));
    return end == Long.MAX_VALUE ? end : end + shift;
  }

  /** The last change of the offset at or before an instant; the smallest number for none. */
  long lastChange(long epochSecond) {
    long shift = shift(epochSecond);
    int regime = regime(epochSecond - shift);
    return regime == 0 ? Long.MIN_VALUE : start(regime) + shift;
  }

  /** What to take off a second, and to add to the start and end of its regime. */
  long shift(long epochSecond) {
    return epochSecond < repeatsFrom
        ? 0
        : (epochSecond - repeatsFrom) / SECONDS_OF_400_YEARS * SECONDS_OF_400_YEARS;
  }

  /** The number of the regime that a second, its {@link #shift} taken off, belongs to. */
  int regime(long shiftedSecond) {
    if (offsets.length == 1 || shiftedSecond < starts[1]) {
      return 0;
    }
    long bucket = (shiftedSecond - starts[1]) >> BUCKET_BITS;
    int regime = bucket < regimeAtBucket.length ? regimeAtBucket[(int) bucket] : offsets.length - 1;
    while (starts[regime + 1] <= shiftedSecond) {
      regime++;
    }
    return regime;
  }

  /** The first second of a regime. */
  long start(int regime) {
    return starts[regime];
  }

  /** The first second after a regime. */
  long end(int regime) {
    return starts[regime + 1];
  }

  int offset(int regime) {
    return offsets[regime];
  }

  int minOffset() {
    return minOffset;
  }

  int maxOffset() {
    return maxOffset;
  }

  /** By how much any two offsets of the zone differ at most. */
  int spread() {
    return maxOffset - minOffset;
  }

  /** Collects transitions in their order. */
  private static final class Regimes {
    private long[] starts = new long[1024];
    private int[] offsets = new int[1024];
    private int count = 1;
    private long endOfHistory = Long.MIN_VALUE;

    Regimes(int firstOffset) {
      starts[0] = Long.MIN_VALUE;
      offsets[0] = firstOffset;
    }

    void add(long second, int offset) {
      if (count == starts.length) {
        starts = Arrays.copyOf(starts, count * 2);
        offsets = Arrays.copyOf(offsets, count * 2);
      }
      starts[count] = second;
      offsets[count] = offset;
      count++;
      endOfHistory = second;
    }

    void addAfterHistory(long second, int offset) {
      if (second > endOfHistory) {
        add(second, offset);
      }
    }

    ZoneTimeline toTimeline(long repeatsFrom) {
      long[] withEnd = Arrays.copyOf(starts, count + 1);
      withEnd[count] = Long.MAX_VALUE;
      return new ZoneTimeline(withEnd, Arrays.copyOf(offsets, count), repeatsFrom);
    }
  }
}
