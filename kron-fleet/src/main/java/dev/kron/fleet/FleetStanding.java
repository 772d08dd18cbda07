package dev.kron.fleet;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The standing of a node in its fleet, as it sees that itself.
 *
 * @param node its name
 * @param id null: it does not know yet
 * @param problem what keeps it from the fleet, null: nothing
 * @param aheadMillis by how much its own clock is ahead of the fleet's
 * @param live how many nodes live, as it has seen them last
 * @param going how many runs of the fleet go on here
 * @param owed how many ends the database has not heard of yet
 * @param differing jobs of which another definition is in force than its files have
 * @param suspended jobs of the whole fleet, as they were a few seconds ago
 * @param lost rows of its jobs whose active run is lost
 * @param held those of them that nobody will run again
 */
public record FleetStanding(
    String node,
    @Nullable UUID id,
    State state,
    @Nullable String problem,
    long generation,
    long aheadMillis,
    int live,
    int going,
    int owed,
    List<String> differing,
    List<String> suspended,
    List<JobRow> lost,
    List<JobRow> held) {
  /** Whether it takes part. */
  public enum State {
    /** The node takes part, and the database answers. */
    IN,
    /** The node takes part, and the database does not answer. Runs go on; nothing new begins. */
    CUT_OFF,
    /** The node does not take part, until somebody does something about it. */
    OUT
  }

  public FleetStanding {
    differing = List.copyOf(differing);
    suspended = List.copyOf(suspended);
    lost = List.copyOf(lost);
    held = List.copyOf(held);
  }

  /** A node that has not asked yet. */
  public static FleetStanding notYet(String node) {
    String problem = "the database was not asked yet";
    return new FleetStanding(
        node,
        null,
        State.CUT_OFF,
        problem,
        0,
        0,
        0,
        0,
        0,
        List.of(),
        List.of(),
        List.of(),
        List.of());
  }
}
