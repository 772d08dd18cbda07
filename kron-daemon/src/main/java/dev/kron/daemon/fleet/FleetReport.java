package dev.kron.daemon.fleet;

import dev.kron.fleet.FleetNode;
import dev.kron.fleet.FleetStanding;
import dev.kron.fleet.FleetStanding.State;
import dev.kron.fleet.JobRow;
import dev.kron.fleet.Join;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The report of a node on itself: for whoever asks, and as a fault where people have to look after
 * something. It also keeps the database's records short. Only the loop's thread calls it.
 */
final class FleetReport {
  private static final String KEEPING = "fleet-keeping";
  private static final long EVERY_NANOS = 10_000_000_000L;
  private static final long PRUNE_NANOS = 60_000_000_000L;
  private static final long SHOWN_NANOS = 200_000_000L;
  private static final long KEPT_MILLIS = 30L * 24 * 60 * 60 * 1000;
  private static final int PRUNED_AT_ONCE = 1000;
  private static final int MOST_SUSPENDED = 100_000;

  /** A failover of the database takes a while, and so does a change of files on all nodes. */
  private static final long AWAY_NANOS = 15_000_000_000L;

  private static final long DIFFERING_NANOS = 300_000_000_000L;
  static final long CLOCK_MILLIS = 2000;

  private final FleetRoom.Means means;
  private final Join.Card card;
  private final FleetDoor door;
  private List<String> suspended = List.of();
  private @Nullable String shown;
  private long shownNanos;
  private long prunedNanos;
  private @Nullable Long awaySinceNanos;
  private @Nullable Long differingSinceNanos;

  /**
   * How a node stands, as its member knows it.
   *
   * @param node null: it does not know yet who it is
   * @param problem what keeps it from the fleet, null: nothing
   * @param out whether it takes no part until somebody does something about it
   * @param aheadMillis by how much its clock is ahead of the fleet's
   */
  record Facts(
      @Nullable FleetNode node,
      @Nullable UUID id,
      @Nullable String problem,
      boolean out,
      long aheadMillis) {}

  FleetReport(FleetRoom.Means means, Join.Card card, FleetDoor door) {
    this.means = means;
    this.card = card;
    this.door = door;
    this.prunedNanos = means.time().clocks().bootNanos();
  }

  /** The next report is due at once. */
  void hurry() {
    shownNanos = 0;
  }

  /** The report shows how the node stands, unless it did so a moment ago. */
  void show(Facts facts) {
    long now = means.time().clocks().bootNanos();
    if (shownNanos != 0 && now - shownNanos < SHOWN_NANOS) {
      return;
    }
    shownNanos = now;
    FleetNode node = facts.node();
    boolean present = node != null && node.isPresent(now);
    boolean in = present && facts.problem() == null;
    State state = facts.out() ? State.OUT : in ? State.IN : State.CUT_OFF;
    var standing =
        new FleetStanding(
            card.name(),
            facts.id(),
            state,
            facts.problem(),
            node == null ? 0 : node.generation(),
            facts.aheadMillis(),
            node == null ? 0 : live(node),
            node == null ? 0 : node.going().size(),
            node == null ? 0 : node.owed(),
            node == null ? List.of() : node.differing(),
            suspended,
            node == null ? List.of() : node.lost(),
            node == null ? List.of() : node.held());
    door.shows(standing);
    tell(faults(standing, now));
  }

  private static int live(FleetNode node) {
    return (int) node.nodes().stream().filter(each -> !each.removed() && !each.over()).count();
  }

  /** A fault is told once for what it is about, though its words may change with each try. */
  private record Fault(String about, String sentence) {}

  private void tell(List<Fault> faults) {
    String about =
        faults.isEmpty() ? null : String.join("\n", faults.stream().map(Fault::about).toList());
    if (!Objects.equals(about, shown)) {
      shown = about;
      String sentence =
          about == null ? null : String.join("; ", faults.stream().map(Fault::sentence).toList());
      means.reports().meters().faults.about("fleet", means.time().clocks().wallMillis(), sentence);
      if (sentence != null) {
        means.reports().log().warn("fleet", "needs_attention", "reason", sentence);
      }
    }
  }

  /** The faults that people have to look after. */
  private List<Fault> faults(FleetStanding standing, long now) {
    List<Fault> faults = new ArrayList<>();
    String problem = Objects.requireNonNullElse(standing.problem(), "no answer");
    awaySinceNanos = standing.state() == State.CUT_OFF ? since(awaySinceNanos, now) : null;
    differingSinceNanos = standing.differing().isEmpty() ? null : since(differingSinceNanos, now);
    if (standing.state() == State.OUT) {
      faults.add(new Fault("out " + problem, "this node takes no part: " + problem));
    } else if (awaySinceNanos != null && now - awaySinceNanos >= AWAY_NANOS) {
      faults.add(
          new Fault("away", "nothing of the fleet is started here, its runs go on: " + problem));
    }
    List<JobRow> held = standing.held();
    if (!held.isEmpty()) {
      faults.add(new Fault("held " + runs(held), sentence(held)));
    }
    if (differingSinceNanos != null && now - differingSinceNanos >= DIFFERING_NANOS) {
      faults.add(
          new Fault(
              "differing " + standing.differing(),
              sentence(
                  standing.differing(),
                  "other files are in force for %s than this node has; it takes no part in %s")));
    }
    if (Math.abs(standing.aheadMillis()) > CLOCK_MILLIS) {
      long seconds = Math.round(standing.aheadMillis() / 1000.0);
      faults.add(
          new Fault(
              "clock",
              "this machine's clock is "
                  + Math.abs(seconds)
                  + " s "
                  + (seconds > 0 ? "ahead of" : "behind")
                  + " the database's; the fleet goes by the latter"));
    }
    return faults;
  }

  private static Long since(@Nullable Long before, long now) {
    return before == null ? (Long) now : before;
  }

  private static String runs(List<JobRow> held) {
    return String.valueOf(
        held.stream().map(row -> row.active() == null ? "" : row.active().run()).sorted().toList());
  }

  private static String sentence(List<JobRow> held) {
    JobRow row = held.getFirst();
    return row.key().identity()
        + (held.size() > 1 ? " and " + (held.size() - 1) + " more jobs are" : " is")
        + " held by a lost run"
        + (row.active() == null ? "" : " (" + row.active().run() + ")")
        + "; kron fleet release RUN, or kron fleet remove NODE where its machine is off";
  }

  private static String sentence(List<String> jobs, String form) {
    String first = jobs.getFirst();
    return jobs.size() == 1
        ? form.formatted(first, "it")
        : form.formatted(first + " and " + (jobs.size() - 1) + " more jobs", "them");
  }

  /** Housekeeping: suspensions are read now and again, and old records removed, a few at a time. */
  void keep(FleetMember member) {
    means
        .time()
        .timers()
        .set(KEEPING, means.time().clocks().bootNanos() + EVERY_NANOS, () -> keep(member));
    member.show();
    member.whilePresent(
        fleetMillis -> {
          look(member);
          long now = means.time().clocks().bootNanos();
          if (now - prunedNanos >= PRUNE_NANOS) {
            prunedNanos = now;
            prune(fleetMillis - KEPT_MILLIS);
          }
        });
  }

  /** The list of suspended jobs is read from the database. */
  void look(FleetMember member) {
    door.wire(false)
        .execute(
            () -> {
              try {
                List<String> found =
                    door.use(database -> database.records().suspended(MOST_SUSPENDED));
                member.tell(new FleetInput.Suspended(found));
              } catch (IOException | RuntimeException e) {
                // The next look tries again.
              }
            });
  }

  void suspended(List<String> jobs) {
    suspended = List.copyOf(jobs);
    hurry();
  }

  private void prune(long beforeMillis) {
    door.wire(false)
        .execute(
            () -> {
              try {
                door.use(database -> database.prune(beforeMillis, PRUNED_AT_ONCE));
              } catch (IOException | RuntimeException e) {
                // The next sweep, in a minute, tries again.
              }
            });
  }

  void close() {
    means.time().timers().cancel(KEEPING);
    means.reports().meters().faults.clear("fleet");
  }
}
