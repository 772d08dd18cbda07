package dev.kron.fleet;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

/**
 * The key of a job's row.
 *
 * @param node whose own row it is, where every node runs the job for itself; otherwise {@link #ANY}
 */
public record RowKey(String identity, UUID node) implements Comparable<RowKey> {
  /** Stands for all nodes together. */
  public static final UUID ANY = new UUID(0, 0);

  /** The row of a job that one node runs for all. */
  public static RowKey shared(String identity) {
    return new RowKey(identity, ANY);
  }

  /**
   * Two entries for one row in one statement are an error: what they would mean, nobody has said.
   */
  public static <T> void requireDistinct(List<T> entries, Function<T, RowKey> row) {
    Set<RowKey> seen = new HashSet<>();
    for (T entry : entries) {
      if (!seen.add(row.apply(entry))) {
        throw new IllegalArgumentException("twice in one statement: " + row.apply(entry));
      }
    }
  }

  @Override
  public int compareTo(RowKey other) {
    int order = identity.compareTo(other.identity);
    return order != 0 || node.equals(other.node)
        ? order
        : node.toString().compareTo(other.node.toString());
  }
}
