package dev.kron.fleet;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The answers of the database. */
public final class Answers {
  private Answers() {}

  /** The standing of a session, seen by the statement that named it. */
  public sealed interface Standing {
    /**
     * The session is the database's own, and what it asked for was looked at.
     *
     * @param writes the number of its writes, this one among them
     */
    record Held(long writes) implements Standing {}

    /** Its lease is over: nothing is claimed before the next renewal. */
    record Lapsed() implements Standing {}

    /** Another start of the same node is the database's, or the node was removed. */
    record Fenced(String why) implements Standing {}

    /** The database knows less than it has confirmed. */
    record WentBack() implements Standing {}
  }

  /** The outcome of joining. */
  public sealed interface Joined {
    /**
     * The node takes part.
     *
     * @param clockMillis the database's clock
     */
    record In(NodeSession session, long generation, long clockMillis) implements Joined {}

    /**
     * Another node of the same name lives.
     *
     * @param node its UUID
     */
    record NameTaken(UUID node) implements Joined {}

    /** The node was removed for ever. */
    record Removed() implements Joined {}

    /**
     * The database has another start of this node than it may have: a copy of the directory was
     * started, or an older directory was put back.
     *
     * @param known the start that it has
     */
    record OtherStart(NodeSession.Start known) implements Joined {}

    /**
     * The database knows less than it has confirmed.
     *
     * @param known the start that it has, null: it does not know the node
     */
    record WentBack(NodeSession.@Nullable Start known, long generation) implements Joined {}
  }

  /**
   * A node as the database has it.
   *
   * @param over whether its lease is over, by the database's clock
   * @param writes a number that never falls, unless the database went back
   */
  public record NodeRow(
      UUID node,
      String name,
      List<String> labels,
      long leaseMillis,
      long renewal,
      boolean over,
      long writes,
      boolean removed) {
    public NodeRow {
      labels = List.copyOf(labels);
    }
  }

  /**
   * The answer to a renewal.
   *
   * @param nodes all that were ever seen, removed ones too
   * @param inMyName runs that the database believes to go on here
   */
  public record Renewed(
      Standing standing,
      long clockMillis,
      long generation,
      List<NodeRow> nodes,
      List<Claim> inMyName) {
    public Renewed {
      nodes = List.copyOf(nodes);
      inMyName = List.copyOf(inMyName);
    }
  }

  /**
   * The work that somebody has to do.
   *
   * @param standing as it is; a poll is no write
   * @param rows with an attempt that waits, or a run that is lost
   */
  public record Polled(
      Standing standing,
      long clockMillis,
      long generation,
      List<JobRow> rows,
      List<OpenTrigger> triggers) {
    public Polled {
      rows = List.copyOf(rows);
      triggers = List.copyOf(triggers);
    }
  }

  /** A request to run a job that nobody has taken yet. */
  public record OpenTrigger(String request, String identity, String node) {}

  /** Rows of jobs, as of one moment. */
  public record Looked(long clockMillis, long generation, List<JobRow> rows) {
    public Looked {
      rows = List.copyOf(rows);
    }
  }

  /**
   * The outcome of claims.
   *
   * @param verdicts one for each, in their order; empty unless the session is held
   */
  public record Claimed(Standing standing, long clockMillis, List<Verdict> verdicts) {
    public Claimed {
      verdicts = List.copyOf(verdicts);
    }
  }

  /**
   * The ends that were recorded.
   *
   * @param runs ids of those that the database has now
   */
  public record Settled(Standing standing, List<String> runs) {
    public Settled {
      runs = List.copyOf(runs);
    }
  }
}
