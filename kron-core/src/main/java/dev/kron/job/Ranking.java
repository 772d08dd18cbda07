package dev.kron.job;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.util.Arrays;
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

  /**
   * A node's place among others, which {@link #of} tells too: all nodes ask for it of each period.
   *
   * @return from 0; -1: it is not among them
   */
  public static int rank(String identity, String period, List<String> nodes, String node) {
    if (!nodes.contains(node)) {
      return -1;
    }
    var hashes = new Hashes(identity, period);
    byte[] mine = hashes.of(node);
    int rank = 0;
    for (String other : nodes) {
      if (!other.equals(node) && Arrays.compareUnsigned(hashes.of(other), mine) < 0) {
        rank++;
      }
    }
    return rank;
  }

  /** The hash that a node's place follows from, in hexadecimal digits. */
  public static String hash(String identity, String period, String node) {
    return HexFormat.of().formatHex(new Hashes(identity, period).of(node));
  }

  /** The hashes of nodes for one period. */
  private static final class Hashes {
    private final MessageDigest digest = Sha256.digest();
    private final byte[] beginning;

    Hashes(String identity, String period) {
      beginning = (VERSION + "\n" + identity + "\n" + period + "\n").getBytes(UTF_8);
    }

    byte[] of(String node) {
      digest.update(beginning);
      return digest.digest(node.getBytes(UTF_8)); // and the digest is as new
    }
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
