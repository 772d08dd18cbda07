package dev.kron.fleet;

import dev.kron.fleet.Answers.Claimed;
import dev.kron.fleet.Answers.Joined;
import dev.kron.fleet.Answers.Looked;
import dev.kron.fleet.Answers.Polled;
import dev.kron.fleet.Answers.Renewed;
import dev.kron.fleet.Answers.Settled;
import dev.kron.fleet.Answers.Standing;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The place where the nodes of a fleet meet. Each method is one statement that is committed, or
 * not, by itself; an {@link IOException} says that nobody knows which. All can be repeated without
 * harm. Times are milliseconds of the database's own clock.
 *
 * <p>Whoever writes names its session. A session that is not the database's any more (a later start
 * of the same node, a copy of its directory, a node that was removed) changes nothing, and neither
 * does one that knows of a later write of its own than the database does: that went back, to a
 * backup or to a standby that had not heard of everything.
 */
public interface FleetDatabase {
  /** Takes part, from the next session on; the node's row is made where there is none. */
  Joined join(Join join) throws IOException;

  /** Says that the node lives, and learns who else does. */
  Renewed renew(NodeSession session, Renewal renewal) throws IOException;

  /** Looks for what somebody has to do: attempts that wait, lost runs, requests. */
  Polled poll(NodeSession session) throws IOException;

  /**
   * Says what the node's files hold, or a part of it. Jobs that are new to the fleet get a row, and
   * the node votes for its definitions.
   *
   * @param all identities of all jobs that it has: it votes for no other any more; null: other
   *     parts follow
   */
  Standing arrive(NodeSession session, List<NodeVote> jobs, @Nullable List<String> all)
      throws IOException;

  /** The same of all that the node's files hold at once. */
  default Standing arrive(NodeSession session, List<NodeVote> jobs) throws IOException {
    return arrive(session, jobs, jobs.stream().map(job -> job.row().identity()).toList());
  }

  /** Reads rows of jobs; those that are not there are not among them. */
  Looked look(NodeSession session, List<RowKey> rows) throws IOException;

  /** Changes the definitions in force where the votes of the living say so. */
  Standing define(NodeSession session, List<String> identities) throws IOException;

  /** Takes periods, at most one for each row. */
  Claimed claim(NodeSession session, List<Claim> claims) throws IOException;

  /**
   * Records how runs ended, at most one for each row. Where the claim was lost with a database that
   * went back, it is put back first.
   */
  Settled settle(NodeSession session, List<Settlement> settlements) throws IOException;

  /** Puts runs that go on back into a database that has lost them. */
  Settled restore(NodeSession session, List<Claim> runs) throws IOException;

  /**
   * Calls a node's runs lost, unless it was heard of since.
   *
   * @param renewal its number when it was heard of last
   */
  Standing lose(NodeSession session, UUID node, long renewal) throws IOException;

  /**
   * Begins a new generation: the database went back. Only periods whose window starts later count;
   * attempts that wait and open requests are void, as somebody may have taken them and that is
   * lost; nothing is claimed for a while.
   *
   * @param from the generation that ends; where another one is in force already nothing happens
   * @param fleetMillis the fleet's time as the finder knows it, in case the clock went back too
   * @param pauseMillis for which nothing is claimed
   * @return the generation that is in force now
   */
  long raise(long from, long fleetMillis, long pauseMillis) throws IOException;

  /**
   * An operator's request is done, once for each id.
   *
   * @return whether there was something to do; true again where it was done before
   */
  boolean request(FleetRequest request) throws IOException;

  /** Takes a request to run a job, together with the right to do so. */
  Claimed take(NodeSession session, String request, Claim claim) throws IOException;

  /**
   * Removes old records, a few at a time.
   *
   * @return how many
   */
  int prune(long olderThanMillis, int most) throws IOException;
}
