package dev.kron.cron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Instant;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class EveryTest {
  private static final long SEED = Long.getLong("kron.seed", 20_261_116);

  @Test
  void liesAtWholeMultiplesOfTheIntervalSinceItsFirstMoment() {
    var random = new SplittableRandom(SEED);
    for (int i = 0; i < 20_000; i++) {
      long interval = random.nextLong(Every.SHORTEST_SECONDS, Every.LONGEST_SECONDS + 1);
      long from = random.nextLong(-60_000_000_000L, 200_000_000_000L);
      long second = from + random.nextLong(-2 * interval, 20 * interval);
      var every = new Every(interval, from);
      String context = every + " at " + second + ", -Dkron.seed=" + SEED;
      long next = every.next(second);
      long previous = every.previous(second);
      assertEquals(0, Math.floorMod(next - from, interval), context);
      if (second < from) {
        assertEquals(from, next, context);
        assertEquals(NominalTimes.NONE, previous, context);
      } else {
        assertEquals(next - interval, previous, context);
        assertEquals(true, previous <= second && second < next, context);
      }
    }
  }

  @Test
  void endsWithTheCalendar() {
    long last = Instant.parse("9999-12-31T23:59:59Z").getEpochSecond();
    var every = new Every(3600, 0);
    assertEquals(last - 3599, every.previous(Long.MAX_VALUE));
    assertEquals(NominalTimes.NONE, every.next(last - 3599));
    assertEquals(NominalTimes.NONE, every.next(Long.MAX_VALUE));
    assertEquals(0, every.next(Long.MIN_VALUE));
    assertEquals(NominalTimes.NONE, every.previous(Long.MIN_VALUE));
  }

  @Test
  void refusesWhatNoScheduleCanSay() {
    assertThrows(IllegalArgumentException.class, () -> new Every(59, 0));
    assertThrows(IllegalArgumentException.class, () -> new Every(8784L * 3600 + 1, 0));
    assertThrows(IllegalArgumentException.class, () -> new Every(60, Long.MAX_VALUE));
  }
}
