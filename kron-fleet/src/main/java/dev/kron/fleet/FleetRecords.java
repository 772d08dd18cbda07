package dev.kron.fleet;

import dev.kron.job.Placement;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The records of a fleet's database that people look at. Each method is one statement that only
 * reads, and gives back no more than it was asked for. Times are milliseconds of the database's own
 * clock.
 */
public interface FleetRecords {
  Summary summary() throws IOException;

  /** All nodes that were ever seen, those that take part first, then by name. */
  List<Node> nodes() throws IOException;

  /**
   * Jobs by identity.
   *
   * @param only this one, null: all
   * @param after identity after which the list begins, empty: at the beginning
   */
  List<Job> jobs(@Nullable String only, String after, int limit) throws IOException;

  /** Identities of the jobs that are called so, or have this identity. */
  List<String> named(String nameOrIdentity) throws IOException;

  /** Identities of jobs that are suspended, so many at most. */
  List<String> suspended(int limit) throws IOException;

  /** Runs and records, the latest claim first. */
  List<Run> runs(Query query) throws IOException;

  /** One run, null: there is none on record. */
  @Nullable Run run(String id) throws IOException;

  /** All records of the periods between two nominal seconds, both included. */
  List<Run> periods(String identity, long from, long to, int limit) throws IOException;

  /** The fate of a request, null: there is none. */
  @Nullable Request request(String id) throws IOException;

  /**
   * The whole.
   *
   * @param held jobs that a lost run holds
   * @param going runs that go on, as far as anybody knows
   */
  record Summary(
      long clockMillis, long generation, int nodes, int jobs, int suspended, int held, int going) {}

  /**
   * A node.
   *
   * @param leaseUntilMillis until when the others believe in it without a word from it
   * @param aheadMillis by how much its clock is ahead of the database's, as it said last
   * @param lives whether its lease is not over
   * @param going runs that go on there, as far as anybody knows
   * @param lost runs of which nobody knows whether they go on
   * @param differing jobs of which its files say something else than what is in force
   */
  record Node(
      UUID node,
      String name,
      List<String> labels,
      String version,
      long session,
      long leaseMillis,
      long leaseUntilMillis,
      long aheadMillis,
      long joinedMillis,
      boolean lives,
      boolean removed,
      int going,
      int lost,
      int differing) {
    public Node {
      labels = List.copyOf(labels);
    }
  }

  /**
   * A job.
   *
   * @param on where it runs
   * @param nodes living ones that have it in their files
   * @param differing those of them whose files say something else than what is in force
   * @param rows one, or where every node runs it for itself one for each
   */
  record Job(
      String identity,
      String on,
      boolean suspended,
      String definition,
      int nodes,
      int differing,
      List<Row> rows) {
    public Job {
      rows = List.copyOf(rows);
    }

    /** Whether every node that it is meant for runs it for itself. */
    public boolean isEachForItself() {
      Placement placement = Placement.parse(on);
      return placement != null && placement.all();
    }
  }

  /**
   * The counts of a job's runs, for all nodes or for one.
   *
   * @param node name of the one, null: for all
   * @param lastPeriod nominal second, {@code NominalTimes.NONE}: none was handled
   * @param last run or record of it, null: there is none any more
   * @param active the run that goes on, as far as anybody knows
   */
  record Row(
      @Nullable String node,
      long lastPeriod,
      @Nullable Run last,
      @Nullable Long retryAtMillis,
      @Nullable Run active,
      @Nullable Long lostSinceMillis,
      @Nullable Long rerunAtMillis) {}

  /**
   * A run, or the record of a period that was not run.
   *
   * @param nodeName the name that the node has now
   * @param period nominal second, {@code NominalTimes.NONE}: it has none
   * @param state running, lost, released or ended
   * @param overlap whether it was released, and turned up going on
   */
  record Run(
      String run,
      String identity,
      UUID node,
      String nodeName,
      Claim.Kind kind,
      long period,
      int attempt,
      String state,
      @Nullable String outcome,
      @Nullable Integer exitCode,
      String reason,
      boolean overlap,
      long claimedMillis,
      @Nullable Long beganMillis,
      @Nullable Long endedMillis,
      String output) {}

  /**
   * A request that somebody made.
   *
   * @param state open, done or void; open, and expired: nobody took it
   * @param run that came of it, null: none
   */
  record Request(
      String id,
      String kind,
      String subject,
      String node,
      String by,
      long askedMillis,
      long expiresMillis,
      String state,
      boolean expired,
      @Nullable String run) {}

  /**
   * Which runs.
   *
   * @param identity null: of all jobs
   * @param node its name, null: of all
   * @param state null: in any
   * @param failed only what failed, was missed or whose end nobody knows
   * @param sinceMillis claimed at or after
   * @param untilMillis claimed before
   */
  record Query(
      @Nullable String identity,
      @Nullable String node,
      @Nullable String state,
      boolean failed,
      long sinceMillis,
      long untilMillis,
      int limit) {}
}
