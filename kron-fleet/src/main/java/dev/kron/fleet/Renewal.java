package dev.kron.fleet;

import java.util.List;

/**
 * A sign of life.
 *
 * @param offsetMillis by how much the node's own clock is ahead of the database's
 * @param going ids of the runs that go on there
 */
public record Renewal(Join.Card card, long offsetMillis, List<String> going) {
  public Renewal {
    going = List.copyOf(going);
  }
}
