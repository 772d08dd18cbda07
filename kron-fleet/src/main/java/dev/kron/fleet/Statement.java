package dev.kron.fleet;

import dev.kron.fleet.Answers.Claimed;
import dev.kron.fleet.Answers.Looked;
import dev.kron.fleet.Answers.Polled;
import dev.kron.fleet.Answers.Renewed;
import dev.kron.fleet.Answers.Settled;
import dev.kron.fleet.Answers.Standing;
import java.io.IOException;
import java.util.List;
import java.util.UUID;

/** A statement that a node wants to be executed. Its answer is given back together with it. */
public sealed interface Statement {
  /** The answers to statements. */
  sealed interface Answer {
    record ToRenew(Renewed renewed) implements Answer {}

    record ToPoll(Polled polled) implements Answer {}

    record ToLook(Looked looked) implements Answer {}

    record ToClaim(Claimed claimed) implements Answer {}

    record ToSettle(Settled settled) implements Answer {}

    record Done(Standing standing) implements Answer {}

    record Raised(long generation) implements Answer {}
  }

  /** Executes it. It may take two seconds. */
  Answer execute(FleetDatabase database) throws IOException;

  /** Whether it has a connection to itself, as a node that is busy lives nevertheless. */
  default boolean isRenewal() {
    return this instanceof Renew;
  }

  record Renew(NodeSession session, Renewal renewal) implements Statement {
    @Override
    public Answer execute(FleetDatabase database) throws IOException {
      return new Answer.ToRenew(database.renew(session, renewal));
    }
  }

  record Poll(NodeSession session) implements Statement {
    @Override
    public Answer execute(FleetDatabase database) throws IOException {
      return new Answer.ToPoll(database.poll(session));
    }
  }

  /**
   * Some of a node's jobs.
   *
   * @param last whether they are the last ones
   * @param all identities of all of them, where they are
   */
  record Arrive(NodeSession session, List<NodeVote> jobs, boolean last, List<String> all)
      implements Statement {
    @Override
    public Answer execute(FleetDatabase database) throws IOException {
      return new Answer.Done(
          last ? database.arrive(session, jobs, all) : database.arrive(session, jobs, null));
    }

    boolean says(Arrive other) {
      return jobs.equals(other.jobs) && last == other.last && all.equals(other.all);
    }
  }

  record Look(NodeSession session, List<RowKey> rows) implements Statement {
    @Override
    public Answer execute(FleetDatabase database) throws IOException {
      return new Answer.ToLook(database.look(session, rows));
    }
  }

  record Define(NodeSession session, List<String> identities) implements Statement {
    @Override
    public Answer execute(FleetDatabase database) throws IOException {
      return new Answer.Done(database.define(session, identities));
    }
  }

  record Take(NodeSession session, List<Claim> claims) implements Statement {
    @Override
    public Answer execute(FleetDatabase database) throws IOException {
      return new Answer.ToClaim(database.claim(session, claims));
    }
  }

  /** The note of the claim is the request's id. */
  record TakeRequest(NodeSession session, Claim claim) implements Statement {
    @Override
    public Answer execute(FleetDatabase database) throws IOException {
      return new Answer.ToClaim(database.take(session, claim.note(), claim));
    }
  }

  record Settle(NodeSession session, List<Settlement> settlements) implements Statement {
    @Override
    public Answer execute(FleetDatabase database) throws IOException {
      return new Answer.ToSettle(database.settle(session, settlements));
    }
  }

  record Restore(NodeSession session, List<Claim> runs) implements Statement {
    @Override
    public Answer execute(FleetDatabase database) throws IOException {
      return new Answer.ToSettle(database.restore(session, runs));
    }
  }

  record Lose(NodeSession session, UUID node, long renewal) implements Statement {
    @Override
    public Answer execute(FleetDatabase database) throws IOException {
      return new Answer.Done(database.lose(session, node, renewal));
    }
  }

  record Raise(long from, long fleetMillis, long pauseMillis) implements Statement {
    @Override
    public Answer execute(FleetDatabase database) throws IOException {
      return new Answer.Raised(database.raise(from, fleetMillis, pauseMillis));
    }
  }
}
