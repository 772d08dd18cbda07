package dev.kron.simulation.fleet;

import dev.kron.fleet.Answers.Claimed;
import dev.kron.fleet.Answers.Standing;
import dev.kron.fleet.Claim;
import dev.kron.fleet.NodeSession;
import dev.kron.fleet.RowKey;
import dev.kron.fleet.Statement;
import dev.kron.fleet.Verdict;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The rows that a commit holds which takes its time: claims pass over them, all other statements
 * wait.
 */
final class RowLocks {
  private final FleetWorld world;
  private final Map<RowKey, Long> heldUntil = new HashMap<>();

  RowLocks(FleetWorld world) {
    this.world = world;
  }

  void hold(Set<RowKey> rows, long untilNanos) {
    rows.forEach(row -> heldUntil.merge(row, untilNanos, Math::max));
  }

  void clear() {
    heldUntil.clear();
  }

  boolean isHeld(RowKey row) {
    return !heldUntil.isEmpty() && heldUntil.getOrDefault(row, 0L) > world.nanos();
  }

  /** The row of the node that asks: every statement that writes counts its writes there. */
  private static RowKey node(NodeSession session) {
    return new RowKey("", session.node());
  }

  /** The rows that a statement changes; reading takes no locks. */
  static Set<RowKey> rows(Statement statement) {
    Set<RowKey> rows = new HashSet<>();
    switch (statement) {
      case Statement.Renew renew -> rows.add(node(renew.session()));
      case Statement.Take(var session, var claims) -> {
        rows.add(node(session));
        claims.forEach(claim -> rows.add(claim.row()));
      }
      case Statement.TakeRequest(var session, var claim) -> {
        rows.add(node(session));
        rows.add(claim.row());
      }
      case Statement.Settle(var session, var ends) -> {
        rows.add(node(session));
        ends.forEach(end -> rows.add(end.claim().row()));
      }
      case Statement.Restore(var session, var claims) -> {
        rows.add(node(session));
        claims.forEach(claim -> rows.add(claim.row()));
      }
      case Statement.Arrive arrive -> rows.add(node(arrive.session()));
      case Statement.Define define -> {
        rows.add(node(define.session()));
        define.identities().forEach(identity -> rows.add(RowKey.shared(identity)));
      }
      case Statement.Lose lose -> rows.add(node(lose.session()));
      case Statement.Poll _, Statement.Look _, Statement.Raise _ -> {}
    }
    return rows;
  }

  /** Whether a statement has to wait; claims wait for the row of their node alone. */
  boolean holdUp(Statement statement) {
    if (heldUntil.isEmpty()) {
      return false;
    }
    if (statement instanceof Statement.Take take) {
      return isHeld(node(take.session()));
    }
    return rows(statement).stream().anyMatch(this::isHeld);
  }

  /** The same without the claims whose rows are held. */
  Statement free(Statement statement) {
    if (!heldUntil.isEmpty() && statement instanceof Statement.Take(var session, var claims)) {
      List<Claim> free = claims.stream().filter(claim -> !isHeld(claim.row())).toList();
      return new Statement.Take(session, free);
    }
    return statement;
  }

  /** The answer to the whole, of the one to what was free: of the others nobody knows anything. */
  static Statement.Answer whole(Statement asked, Statement free, Statement.Answer answer) {
    if (asked instanceof Statement.Take(var _, var claims)
        && free instanceof Statement.Take(var _, var some)
        && some.size() < claims.size()
        && answer instanceof Statement.Answer.ToClaim(var claimed)
        && claimed.verdicts().size() == some.size()) {
      List<Verdict> verdicts = new ArrayList<>();
      for (Claim claim : claims) {
        int at = some.indexOf(claim);
        verdicts.add(at < 0 ? new Verdict.NoAnswer() : claimed.verdicts().get(at));
      }
      boolean held = claimed.standing() instanceof Standing.Held;
      return new Statement.Answer.ToClaim(
          new Claimed(claimed.standing(), claimed.clockMillis(), held ? verdicts : List.of()));
    }
    return answer;
  }
}
