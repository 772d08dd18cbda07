package dev.kron.cron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneOffsetTransitionRule;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ZoneTimelineTest {
  private static final long SEED = Long.getLong("kron.seed", 7);

  @Test
  void agreesWithTheZoneRulesAtEveryTransitionOfEveryZone() {
    for (String id : ZoneId.getAvailableZoneIds()) {
      ZoneId zone = ZoneId.of(id);
      for (ZoneOffsetTransition transition : zone.getRules().getTransitions()) {
        check(zone, transition.toEpochSecond());
        check(zone, transition.toEpochSecond() - 1);
      }
    }
  }

  @Test
  void followsTheRecurringRulesToTheYear9999() {
    for (String id : ZoneId.getAvailableZoneIds()) {
      ZoneId zone = ZoneId.of(id);
      for (ZoneOffsetTransitionRule rule : zone.getRules().getTransitionRules()) {
        for (int year = 2026; year <= 9999; year += year < 2110 || year > 9990 ? 1 : 37) {
          long second = rule.createTransition(year).toEpochSecond();
          check(zone, second);
          check(zone, second - 1);
        }
      }
    }
  }

  @Test
  void agreesWithTheZoneRulesAnywhere() {
    var random = new SplittableRandom(SEED);
    long min = LocalDate.of(1, 1, 1).atStartOfDay().toEpochSecond(ZoneOffset.UTC);
    long max = LocalDate.of(9999, 12, 31).atStartOfDay().toEpochSecond(ZoneOffset.UTC);
    for (String id : ZoneId.getAvailableZoneIds()) {
      for (int i = 0; i < 100; i++) {
        check(ZoneId.of(id), random.nextLong(min, max));
        check(ZoneId.of(id), random.nextLong(-4_000_000_000L, 6_000_000_000L));
      }
    }
  }

  @Test
  void isSharedByAllWhoUseAZone() {
    assertSame(
        ZoneTimeline.of(ZoneId.of("Europe/Paris")), ZoneTimeline.of(ZoneId.of("Europe/Paris")));
    assertSame(ZoneTimeline.of(ZoneId.of("UTC")), ZoneTimeline.of(ZoneOffset.UTC));
  }

  private static void check(ZoneId zone, long second) {
    ZoneTimeline timeline = ZoneTimeline.of(zone);
    long shift = timeline.shift(second);
    int regime = timeline.regime(second - shift);
    boolean within =
        timeline.end(regime) + shift > second
            && (regime == 0 || timeline.start(regime) + shift <= second);
    int expected = zone.getRules().getOffset(Instant.ofEpochSecond(second)).getTotalSeconds();
    if (!within || expected != timeline.offset(regime)) {
      assertEquals(expected, timeline.offset(regime), () -> zone + " at " + second);
      assertEquals("within its regime", "outside", () -> zone + " at " + second);
    }
  }
}
