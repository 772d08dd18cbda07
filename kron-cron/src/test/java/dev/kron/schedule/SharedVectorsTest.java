package dev.kron.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The decisions that every implementation of the specification must make. */
final class SharedVectorsTest {
  @TestFactory
  Stream<DynamicTest> decidesAsEveryOtherImplementation() throws IOException {
    try (InputStream file =
        Objects.requireNonNull(SharedVectorsTest.class.getResourceAsStream("decisions.json"))) {
      Object vectors = Json.read(new String(file.readAllBytes(), StandardCharsets.UTF_8));
      return ((List<?>) Objects.requireNonNull(vectors))
          .stream().map(vector -> (Map<?, ?>) vector).map(SharedVectorsTest::test);
    }
  }

  private static DynamicTest test(Map<?, ?> vector) {
    return dynamicTest(text(vector, "schedule"), () -> check(vector));
  }

  private static void check(Map<?, ?> vector) {
    Schedule schedule = Schedule.parse(text(vector, "schedule"));
    long nominal = Instant.parse(text(vector, "period")).getEpochSecond();
    assertTrue(schedule.isNominal(nominal));
    Decision decision = schedule.decide(text(vector, "identity"), nominal);
    Map<?, ?> expected = (Map<?, ?>) Objects.requireNonNull(vector.get("expect"));
    expected.forEach(
        (field, value) -> assertEquals(value, field(decision, (String) field), (String) field));
  }

  private static @Nullable Object field(Decision decision, String name) {
    return switch (name) {
      case "periodKey" -> decision.periodKey();
      case "windowStart" -> decision.windowStart().toString();
      case "windowEnd" -> decision.windowEnd().toString();
      case "seedHash" -> decision.seedHash();
      case "firstDraw" -> decision.firstDraw();
      case "chosenTime" -> {
        Instant chosen = decision.chosenTime();
        yield chosen == null ? null : chosen.toString();
      }
      case "attempts" -> (double) decision.attempts();
      case "unschedulable" -> decision.unschedulable();
      case "reason" -> decision.reason();
      default -> throw new IllegalArgumentException(name);
    };
  }

  private static String text(Map<?, ?> vector, String field) {
    return (String) Objects.requireNonNull(vector.get(field));
  }
}
