package dev.kron.job;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Collection;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;

/**
 * The order in which the nodes of a fleet try to take a period. A hint that spreads the work:
 * whatever it says, one row in the database decides. It is computed alike on every node.
 */
public final class Ranking {
  /** Changes when the computation does. */
  public static final String VERSION = "kron-ranking-1";

  private static final long STEP_MILLIS = 1000;
  private static final int LAST_STEP = 3;

  private Ranking() {}

  private record Ranked(String node, String hash) {}

  /**
   * The nodes by the SHA-256 of version, identity, period and their name, joined by newlines, the
   * smallest first.
   *
   * @param period its id, {@code 2026-03-01T00:00:00Z}
   */
  public static List<String> of(String identity, String period, Collection<String> nodes) {
    return nodes.stream()
        .map(node -> new Ranked(node, hash(identity, period, node)))
        .sorted(Comparator.comparing(Ranked::hash))
        .map(Ranked::node)
        .toList();
  }

  /** The hash that a node's place follows from, in hexadecimal digits. */
  public static String hash(String identity, String period, String node) {
    String text = VERSION + "\n" + identity + "\n" + period + "\n" + node;
    return HexFormat.of().formatHex(Sha256.digest().digest(text.getBytes(UTF_8)));
  }

  /**
   * How long after the due time a node's turn comes.
   *
   * @param rank from 0; -1, for one that is not ranked: after all others
   */
  public static long turnMillis(int rank) {
    return rank < 0 ? lastTurnMillis() : STEP_MILLIS * Math.min(rank, LAST_STEP);
  }

  /** After which everybody has had a turn. */
  public static long lastTurnMillis() {
    return STEP_MILLIS * LAST_STEP;
  }
}
