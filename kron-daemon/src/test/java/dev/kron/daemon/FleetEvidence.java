package dev.kron.daemon;

import dev.kron.schedule.DueTimes;
import dev.kron.schedule.Schedule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the jobs of a fleet wrote down themselves, held against what should have been and against
 * the fleet's own record.
 */
final class FleetEvidence {
  /** What every job executes; its argument says for how long. */
  static final String SCRIPT =
      """
      job=${KRON_IDENTITY##*:}
      echo "b $KRON_IDENTITY $KRON_PERIOD/$KRON_ATTEMPT $KRON_RUN_ID $(date +%s%3N) $NODE" >>"$EVIDENCE"
      if [ -e "$EVIDENCE.$job" ] && read -r before pid <"$EVIDENCE.$job" \\
          && grep -qs "KRON_RUN_ID=$before" "/proc/$pid/environ"; then
        echo "o $KRON_RUN_ID $before" >>"$EVIDENCE"
      fi
      echo "$KRON_RUN_ID $$" >"$EVIDENCE.$job.$$"
      mv "$EVIDENCE.$job.$$" "$EVIDENCE.$job"
      [ "$1" = 0 ] || sleep "$1"
      code=0
      case $job$KRON_ATTEMPT/$KRON_RUN_ID in
        retry1/*) code=3 ;;
        retry*) ;;
        *[a-m]) code=3 ;;
      esac
      echo "e $KRON_RUN_ID $code" >>"$EVIDENCE"
      exit $code
      """;

  /** A run that began. */
  record Begun(String identity, String period, String run, long millis, String node) {}

  /** A period that is due. */
  record Expected(String identity, String period, long nominal, long windowStart, long dueMillis) {}

  /**
   * The database went back: fleet's time.
   *
   * @param aheadMillis by how much that was ahead of the machine's, in which jobs write
   */
  record Restored(long toMillis, long countsFromMillis, long aheadMillis) {}

  /** What happened that explains what is missing: fleet's time. */
  record Known(List<Restored> restores, List<TestFleet.Away> outages, List<TestFleet.Away> copied) {
    /** Nothing of the kind. */
    static Known nothing() {
      return new Known(List.of(), List.of(), List.of());
    }
  }

  /** A row of the fleet's record. */
  private record Told(
      String run,
      String node,
      String state,
      String outcome,
      String exitCode,
      String reason,
      boolean removed) {
    boolean isOpen() {
      return state.equals("running") || state.equals("lost");
    }

    /** Of a node that will not come back, as its machine became another one. */
    boolean isGivenUp() {
      return removed && (isOpen() || state.equals("released"));
    }

    String text() {
      return "%s on %s: %s %s %s %s".formatted(run, node, state, outcome, exitCode, reason);
    }
  }

  private final TestFleet fleet;
  private final Map<String, Schedule> schedules;
  private final Known known;
  private final Map<String, List<Begun>> begun = new HashMap<>();
  private final Map<String, String> ends = new HashMap<>();
  private final Map<String, String> overlaps = new HashMap<>();
  private final Map<String, Told> told = new HashMap<>();
  private final Map<String, List<Told>> byPeriod = new HashMap<>();

  FleetEvidence(TestFleet fleet, Map<String, Schedule> schedules, Known known)
      throws IOException, SQLException {
    this.fleet = fleet;
    this.schedules = schedules;
    this.known = known;
    for (String line : Files.readAllLines(fleet.evidence)) {
      String[] words = line.split(" ");
      switch (words[0]) {
        case "b" ->
            begun
                .computeIfAbsent(words[1] + " " + words[2], key -> new ArrayList<>())
                .add(new Begun(words[1], words[2], words[3], Long.parseLong(words[4]), words[5]));
        case "e" -> ends.put(words[1], words[2]);
        default -> overlaps.put(words[1], words[2]);
      }
    }
    for (List<String> row :
        fleet.postgres.rows(
            "SELECT r.run, n.name, r.state, r.outcome, r.exit_code, r.reason, n.removed,"
                + " r.identity || ' ' || r.period FROM kron.run r JOIN kron.node n USING (node)")) {
      var each =
          new Told(
              row.get(0),
              row.get(1),
              row.get(2),
              row.get(3),
              row.get(4),
              row.get(5),
              row.get(6).equals("t"));
      told.put(each.run(), each);
      byPeriod.computeIfAbsent(row.get(7), key -> new ArrayList<>()).add(each);
    }
  }

  static String identity(String name) {
    return "fleet:jobs.kron:" + name;
  }

  static Path script(Path directory) throws IOException {
    return Files.writeString(directory.resolve("job.sh"), SCRIPT);
  }

  /** What falls due between two moments of the fleet's time. */
  List<Expected> expected(long fromMillis, long toMillis) {
    List<Expected> expected = new ArrayList<>();
    schedules.forEach(
        (name, schedule) -> {
          var times = DueTimes.of(schedule, identity(name)).after(fromMillis / 1000);
          for (var due = times.next(); due.dueEpochSecond() * 1000 < toMillis; due = times.next()) {
            long nominal = due.decision().nominalEpochSecond();
            expected.add(
                new Expected(
                    identity(name),
                    due.decision().periodId(),
                    nominal,
                    (nominal + schedule.window().startOffsetSeconds()) * 1000,
                    due.dueEpochSecond() * 1000));
          }
        });
    return expected;
  }

  /** The first run of a period, null: it did not begin yet. */
  @Nullable Begun begun(Expected period) {
    List<Begun> runs = begun.get(period.identity() + " " + period.period() + "/1");
    return runs == null ? null : runs.getFirst();
  }

  int runs() {
    return begun.size();
  }

  /** What ran twice, or beside another run of its job. */
  List<String> tooMuch() {
    List<String> wrong = new ArrayList<>();
    begun.forEach(
        (period, runs) -> {
          if (runs.size() > 1) {
            wrong.add("twice: " + runs);
          }
        });
    overlaps.forEach(
        (run, before) -> {
          if (!mayOverlap(run, before)) {
            wrong.add("at the same time: " + find(before) + " and " + find(run));
          }
        });
    return wrong;
  }

  /** A run goes on beside its rerun where its daemon was not there to end it. */
  private boolean mayOverlap(String run, String before) {
    Begun first = find(before);
    Begun second = find(run);
    Told record = told.get(before);
    return (record != null && record.isGivenUp() && !isOf(first, "again"))
        || (wasCopied(first) && !isOf(first, "again"))
        || (isOf(first, "again")
            && fleet.away.stream()
                .anyMatch(
                    each ->
                        each.node().equals(first.node())
                            && each.to() >= first.millis()
                            && each.from() <= second.millis()));
  }

  private static boolean isOf(Begun run, String job) {
    return run.identity().startsWith(identity(job));
  }

  private Begun find(String run) {
    return begun.values().stream()
        .flatMap(List::stream)
        .filter(each -> each.run().equals(run))
        .findFirst()
        .orElseThrow();
  }

  /** What was due and neither ran nor is told with a reason that is to be expected. */
  List<String> missing(long fromMillis, long toMillis) {
    List<String> wrong = new ArrayList<>();
    for (Expected each : expected(fromMillis, toMillis)) {
      List<Told> record = byPeriod.getOrDefault(each.identity() + " " + each.nominal(), List.of());
      if (begun(each) == null
          && record.stream().noneMatch(FleetEvidence::excuses)
          && !wasForgotten(each)
          && !wasOvertaken(each)) {
        wrong.add("not run: " + each + ", on record: " + record.stream().map(Told::text).toList());
      }
    }
    return wrong;
  }

  private boolean wasForgotten(Expected period) {
    return known.restores().stream()
        .anyMatch(
            back ->
                period.windowStart() <= back.countsFromMillis()
                    && period.dueMillis() >= back.toMillis() - 6000);
  }

  /** The next one was due as well before anybody was there again: there is no burst. */
  private boolean wasOvertaken(Expected period) {
    long due = period.dueMillis();
    return known.outages().stream()
        .anyMatch(
            out ->
                out.from() - 3000 <= due
                    && due <= out.to()
                    && expected(due + 1000, out.to() + 15_000).stream()
                        .anyMatch(each -> each.identity().equals(period.identity())));
  }

  /** What was due and did not run, whatever is told of it. */
  List<String> notRun(long fromMillis, long toMillis) {
    List<String> wrong = new ArrayList<>();
    for (Expected each : expected(fromMillis, toMillis)) {
      if (begun(each) == null) {
        String key = each.identity() + " " + each.nominal();
        wrong.add(each + ": " + byPeriod.getOrDefault(key, List.of()));
      }
    }
    return wrong;
  }

  private static boolean excuses(Told told) {
    return told.isGivenUp()
        || told.outcome().equals("skipped")
        || told.reason().contains("its node stopped between claim and start");
  }

  /** Records that do not say what the run itself wrote, or nothing yet. */
  List<String> untrue() {
    List<String> wrong = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (List<Begun> runs : begun.values()) {
      for (Begun run : runs) {
        seen.add(run.run());
        Told record = told.get(run.run());
        String end = ends.get(run.run());
        if (record == null ? !mayBeForgotten(run) : !isTrue(record, end) && !wasCopied(run)) {
          wrong.add(
              "%s ended with %s, on record: %s"
                  .formatted(run, end, record == null ? "nothing" : record.text()));
        }
      }
    }
    told.values().stream()
        .filter(each -> !seen.contains(each.run()))
        .filter(each -> !isWithoutRun(each))
        .forEach(each -> wrong.add("never began, on record: " + each.text()));
    return wrong;
  }

  private static boolean isWithoutRun(Told told) {
    return told.isGivenUp()
        || told.outcome().equals("skipped")
        || told.outcome().equals("missed")
        || told.outcome().equals("unschedulable");
  }

  /** Its node told the end to a database that has forgotten it, and did not live to tell again. */
  private boolean mayBeForgotten(Begun run) {
    return known.restores().stream()
        .anyMatch(
            back ->
                run.millis() + back.aheadMillis() >= back.toMillis() - 60_000
                    && run.millis() + back.aheadMillis() <= back.countsFromMillis() + 1000
                    && fleet.away.stream()
                        .anyMatch(
                            each ->
                                each.node().equals(run.node())
                                    && each.to() >= run.millis()
                                    && each.from() + back.aheadMillis()
                                        <= back.countsFromMillis() + 20_000));
  }

  /** A copy of its node's directory was started, and knows less of it than the node. */
  private boolean wasCopied(Begun run) {
    return known.copied().stream()
        .anyMatch(
            each ->
                each.node().equals(run.node())
                    && run.millis() >= each.from() - 60_000
                    && run.millis() <= each.to());
  }

  private static boolean isTrue(Told record, @Nullable String end) {
    if (record.isGivenUp()) {
      return true;
    }
    if (end == null) { // it was ended, or goes on
      return record.state().equals("running")
          || (record.state().equals("ended")
              && !Set.of("success", "missed", "skipped").contains(record.outcome()));
    }
    return record.state().equals("ended")
        && record.exitCode().equals(end)
        && record.outcome().equals(end.equals("0") ? "success" : "failed");
  }
}
