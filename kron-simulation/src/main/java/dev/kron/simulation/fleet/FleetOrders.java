package dev.kron.simulation.fleet;

import dev.kron.fleet.Claim;
import dev.kron.fleet.Claim.Kind;
import dev.kron.fleet.FleetRequest;
import dev.kron.simulation.Invariant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The orders of operators that the database confirmed, and whether the fleet keeps to them. */
final class FleetOrders {
  private final FleetWitness witness;
  private final List<Suspension> suspensions = new ArrayList<>();
  private final Map<String, Wanted> triggers = new HashMap<>();
  private final Map<String, Long> doneAt = new HashMap<>();

  /** A job is suspended, or is not any more, since a moment. */
  private record Suspension(String identity, boolean suspended, long nanos) {}

  /** A run that somebody asked for, until a moment of the database's clock. */
  private record Wanted(FleetRequest.Trigger trigger, long untilMillis, long nanos) {}

  FleetOrders(FleetWitness witness) {
    this.witness = witness;
  }

  /** The database says that it is done; said again, that is no news. */
  void done(FleetRequest request, long nanos, long millis) {
    if (doneAt.putIfAbsent(request.id(), nanos) != null) {
      return;
    }
    switch (request.what()) {
      case FleetRequest.Suspend(String identity) ->
          suspensions.add(new Suspension(identity, true, nanos));
      case FleetRequest.Resume(String identity) ->
          suspensions.add(new Suspension(identity, false, nanos));
      case FleetRequest.Trigger trigger ->
          triggers.putIfAbsent(
              request.id(), new Wanted(trigger, millis + trigger.expiresMillis(), nanos));
      case FleetRequest.Release(String run) -> {
        for (FleetExecution execution : witness.executions()) {
          execution.released |= execution.claim.run().equals(run);
        }
      }
      default -> {}
    }
  }

  /** The database has forgotten what came after a moment. */
  void wentBack(long nanos) {
    suspensions.removeIf(each -> each.nanos() > nanos);
    doneAt.values().removeIf(at -> at > nanos);
  }

  boolean isSuspended(String identity) {
    boolean suspended = false;
    for (Suspension each : suspensions) {
      if (each.identity().equals(identity)) {
        suspended = each.suspended();
      }
    }
    return suspended;
  }

  void committed(Claim claim, String by) {
    String identity = claim.row().identity();
    if (isSuspended(identity)) {
      throw witness.broken(Invariant.FLEET_REQUESTS, "the job is suspended: " + claim);
    }
    if (claim.kind() == Kind.TRIGGER) {
      @Nullable Wanted wanted = triggers.get(claim.note());
      if (wanted == null) {
        throw witness.broken(Invariant.FLEET_REQUESTS, "nobody asked for it: " + claim);
      }
      String node = wanted.trigger().node();
      if (!node.isEmpty() && !node.equals(by)) {
        throw witness.broken(Invariant.FLEET_REQUESTS, by + " was not asked: " + claim);
      }
      if (witness.clockMillis() > wanted.untilMillis() + 4000) {
        throw witness.broken(Invariant.FLEET_REQUESTS, "it was asked for too long ago: " + claim);
      }
    }
  }

  /** Whether somebody asked for a run of a job, and it has begun. */
  boolean hasBegun(String request) {
    return witness.executions().stream().anyMatch(each -> each.claim.note().equals(request));
  }
}
