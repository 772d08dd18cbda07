package dev.kron.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RankingTest {
  private static final String IDENTITY = "fleet:db.kron:backup";

  /** Computed by sha256sum, as the page on fleets says. */
  @Test
  void ordersNodesByAPublishedHash() {
    assertEquals(
        List.of("web-2", "web-3", "web-1"),
        rank("2026-03-01T00:00:00Z", "web-1", "web-2", "web-3"));
    assertEquals(
        List.of("web-2", "web-3", "web-1"),
        rank("2026-03-01T00:00:00Z", "web-3", "web-2", "web-1"));
  }

  @Test
  void whoLeavesDoesNotChangeTheOrderOfTheOthers() {
    List<String> all = rank("2026-03-02T00:00:00Z", "a", "b", "c", "d");
    List<String> others = all.stream().filter(node -> !node.equals("b")).toList();
    assertEquals(others, rank("2026-03-02T00:00:00Z", "a", "c", "d"));
  }

  @Test
  void aNodesPlaceIsThatInTheOrder() {
    List<String> nodes = List.of("d", "a", "c", "b");
    for (int i = 0; i < 100; i++) {
      String period = Instant.ofEpochSecond(1_800_000_000L + i * 60L).toString();
      List<String> order = Ranking.of(IDENTITY, period, nodes);
      for (String node : List.of("a", "b", "c", "d", "e")) {
        assertEquals(order.indexOf(node), Ranking.rank(IDENTITY, period, nodes, node));
      }
    }
  }

  @Test
  void turnsComeASecondApartAndEndAfterThree() {
    assertEquals(
        List.of(0L, 1000L, 2000L, 3000L, 3000L),
        List.of(0, 1, 2, 3, 4).stream().map(Ranking::turnMillis).toList());
    assertEquals(Ranking.lastTurnMillis(), Ranking.turnMillis(-1));
  }

  /** Chi-squared with two degrees of freedom: 13.8 is exceeded once in a thousand samples. */
  @Test
  void spreadsPeriodsEvenly() {
    Map<String, Integer> first = new HashMap<>();
    int periods = 10_000;
    for (int i = 0; i < periods; i++) {
      String period = Instant.ofEpochSecond(1_800_000_000L + i * 60L).toString();
      first.merge(rank(period, "web-1", "web-2", "web-3").getFirst(), 1, Integer::sum);
    }
    double expected = periods / 3.0;
    double chiSquared =
        first.values().stream().mapToDouble(n -> (n - expected) * (n - expected) / expected).sum();
    assertTrue(first.size() == 3 && chiSquared < 13.8, first + ": " + chiSquared);
  }

  private static List<String> rank(String period, String... nodes) {
    return Ranking.of(IDENTITY, period, List.of(nodes));
  }
}
