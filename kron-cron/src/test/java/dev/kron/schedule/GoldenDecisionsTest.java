package dev.kron.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Decisions that were made once and stay made, above all those of the harder distributions. */
final class GoldenDecisionsTest {
  static Stream<String> promises() throws IOException {
    try (InputStream file =
        Objects.requireNonNull(
            GoldenDecisionsTest.class.getResourceAsStream("golden-decisions.txt"))) {
      String text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
      return text.lines().filter(line -> !line.startsWith("#"));
    }
  }

  @ParameterizedTest
  @MethodSource("promises")
  void choosesTheSameSecondForEver(String promise) {
    String[] parts = promise.split(" \\| ");
    long nominal = Instant.parse(parts[2]).getEpochSecond();
    Decision decision = Schedule.parse(parts[0]).decide(parts[1], nominal);
    Instant chosen = decision.chosenTime();
    assertEquals(parts[3], Integer.toString(decision.attempts()));
    assertEquals(parts[4], chosen == null ? "unschedulable" : chosen.toString());
  }
}
