package dev.kron.fleet;

import java.util.UUID;

/**
 * A start of a node, as it stands in the database. A number that each start raises, and a token
 * that no copy of its directory can draw again.
 *
 * @param writes the highest number of its own writes that the database has confirmed
 */
public record NodeSession(UUID node, Start start, long writes) {
  /** Which start of a node it is. */
  public record Start(long number, UUID token) {}

  /** The same with a write that was confirmed; an answer that comes late changes nothing. */
  NodeSession confirmed(long number) {
    return number > writes ? new NodeSession(node, start, number) : this;
  }
}
