package dev.kron.fleet;

import dev.kron.job.FleetRules.Loss;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The runs of a node that go on, and the ends that the database has not heard of yet. */
final class NodeRuns {
  private static final int TOLD_LATELY = 10_000;

  private final Map<String, Running> going = new LinkedHashMap<>();

  /** How many of them each row has. */
  private final Map<RowKey, Integer> rows = new HashMap<>();

  private final Map<String, Settlement> owed = new LinkedHashMap<>();

  /** Ends that the database has confirmed, the last ones. */
  private final Map<String, Settlement> lately =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Settlement> eldest) {
          return size() > TOLD_LATELY;
        }
      };

  private final Set<String> toPutBack = new LinkedHashSet<>();
  private final Set<String> terminated = new HashSet<>();
  private final Set<String> killed = new HashSet<>();

  /** A run and what becomes of it where its node is lost. */
  record Running(Claim claim, Loss loss) {}

  void add(Claim claim, Loss loss) {
    if (going.put(claim.run(), new Running(claim, loss)) == null) {
      rows.merge(claim.row(), 1, Integer::sum);
    }
  }

  @Nullable Running remove(String run) {
    toPutBack.remove(run);
    terminated.remove(run);
    killed.remove(run);
    Running removed = going.remove(run);
    if (removed != null) {
      rows.computeIfPresent(removed.claim().row(), (row, count) -> count == 1 ? null : count - 1);
    }
    return removed;
  }

  List<String> going() {
    return List.copyOf(going.keySet());
  }

  /** Whether a run of a job goes on here. */
  boolean holds(RowKey row) {
    return rows.containsKey(row);
  }

  boolean knows(String run) {
    return going.containsKey(run) || owed.containsKey(run);
  }

  void owe(Settlement settlement) {
    owed.put(settlement.claim().run(), settlement);
  }

  /** Ends to be told, the oldest first, one for each row. */
  List<Settlement> owed(int most) {
    List<Settlement> batch = new ArrayList<>();
    Set<RowKey> rows = new HashSet<>();
    for (Settlement settlement : owed.values()) {
      if (batch.size() == most) {
        break;
      }
      if (rows.add(settlement.claim().row())) {
        batch.add(settlement);
      }
    }
    return batch;
  }

  int owed() {
    return owed.size();
  }

  void told(List<String> runs) {
    for (String run : runs) {
      Settlement settlement = owed.remove(run);
      if (settlement != null) {
        lately.put(run, settlement);
      }
    }
  }

  /** The database may have lost what it was told last. */
  void oweAgain() {
    owed.putAll(lately);
    lately.clear();
  }

  /**
   * The same for one run.
   *
   * @return false: it is not known how it ended
   */
  boolean oweAgain(String run) {
    Settlement settlement = lately.remove(run);
    if (settlement != null) {
      owed.put(run, settlement);
    }
    return settlement != null;
  }

  /** The database may have lost them. */
  void putBackAll() {
    toPutBack.addAll(going.keySet());
  }

  List<Claim> toPutBack(int most) {
    List<Claim> batch = new ArrayList<>();
    Set<RowKey> rows = new HashSet<>();
    for (String run : toPutBack) {
      Running running = going.get(run);
      if (running != null && batch.size() < most && rows.add(running.claim().row())) {
        batch.add(running.claim());
      }
    }
    return batch;
  }

  void putBack(List<String> runs) {
    toPutBack.removeAll(runs);
  }

  /** When {@link #fence} has something to do next; the far future: never. */
  long fenceAt(long renewedNanos, long leaseNanos, long killNanos) {
    long next = Long.MAX_VALUE;
    for (Running running : going.values()) {
      String run = running.claim().run();
      if (running.loss() == Loss.RERUN && !killed.contains(run)) {
        long wait = leaseNanos + (terminated.contains(run) ? killNanos : 0);
        next = Math.min(next, renewedNanos + wait);
      }
    }
    return next;
  }

  /**
   * Ends the runs that others are about to begin again: counted from the sending of the last
   * renewal that was confirmed.
   */
  void fence(long sinceNanos, long leaseNanos, long killNanos, List<Action> actions) {
    if (sinceNanos < leaseNanos) {
      return;
    }
    for (Running running : going.values()) {
      String run = running.claim().run();
      if (running.loss() == Loss.RERUN) {
        if (terminated.add(run)) {
          actions.add(new Action.Stop(run, false));
        }
        if (sinceNanos >= leaseNanos + killNanos && killed.add(run)) {
          actions.add(new Action.Stop(run, true));
        }
      }
    }
  }
}
