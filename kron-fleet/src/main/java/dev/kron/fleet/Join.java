package dev.kron.fleet;

import java.util.List;
import java.util.UUID;

/**
 * A node that wants to take part.
 *
 * @param start its new one, durable on its disk
 * @param before the starts that the database may have of it: the last one that was confirmed, and
 *     those after it of which no answer came
 * @param writes the highest number of its writes that it remembers, 0: none
 */
public record Join(
    UUID node, NodeSession.Start start, List<NodeSession.Start> before, long writes, Card card) {
  public Join {
    before = List.copyOf(before);
  }

  /** The facts that a node tells of itself. */
  public record Card(String name, List<String> labels, String version, long leaseMillis) {
    public Card {
      labels = List.copyOf(labels);
    }
  }
}
