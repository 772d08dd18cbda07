package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.kron.daemon.Fault.Point;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobState;
import dev.kron.job.Outcome;
import dev.kron.job.Reason;
import dev.kron.store.LinuxDisk;
import dev.kron.store.StateDirectory;
import dev.kron.store.StateSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A load of jobs, some of which are tried again or follow others, and a daemon that is killed again
 * and again: at random moments, and right at each of the points that have a name. What the jobs
 * themselves wrote down is the evidence.
 *
 * <p>{@code -Dkron.crashes=300} makes it longer; {@code -Dkron.seed=…} repeats a run's moments.
 */
final class CrashTest {
  private static final int CRASHES = Integer.getInteger("kron.crashes", 20);
  private static final long SEED = Long.getLong("kron.seed", 20261115L);

  /** A minute lasts three seconds. */
  private static final int FASTER = 20;

  private static final int LINES = 500;
  private static final Duration DEADLINE = Duration.ofHours(2);

  private static final String SCRIPT =
      """
      echo "start $KRON_IDENTITY ${KRON_PERIOD:-after-$KRON_CAUSE}/$KRON_ATTEMPT $KRON_RUN_ID" >>"$EVIDENCE"
      case $1 in
      short) code=0 ;;
      failing) code=7 ;;
      long) sleep 1.5; code=5 ;;
      lasting) sleep 6; code=6 ;;
      stubborn) trap '' TERM; sleep 0.7; sleep 0.7; code=9 ;;
      forking) (sleep 0.5; echo "child $KRON_RUN_ID" >>"$EVIDENCE") & code=3 ;;
      chatty) i=0; while [ $i -lt %d ]; do echo "line $i"; i=$((i+1)); done; code=0 ;;
      endless) sleep 60; code=1 ;;
      flaky) [ "$KRON_ATTEMPT" -ge 3 ]; code=$? ;;
      esac
      echo "end $KRON_RUN_ID $code" >>"$EVIDENCE"
      exit $code
      """
          .formatted(LINES);

  private static final String KRONTAB =
      """
      * * * * * @policy(deadline=2h) name=short command="/bin/sh SCRIPT short" env=EVIDENCE
      * * * * * @win(after,50s) @policy(deadline=2h) name=spread command="/bin/sh SCRIPT short" env=EVIDENCE
      * * * * * @win(before,50s) @policy(deadline=2h) name=before command="/bin/sh SCRIPT failing" env=EVIDENCE
      * * * * * @win(around,40s) @policy(deadline=2h) name=failing command="/bin/sh SCRIPT failing" env=EVIDENCE
      * * * * * @policy(deadline=2h) name=long command="/bin/sh SCRIPT long" env=EVIDENCE
      * * * * * @policy(deadline=2h) name=lasting command="/bin/sh SCRIPT lasting" env=EVIDENCE
      * * * * * @policy(deadline=2h,concurrency=allow) name=allowed command="/bin/sh SCRIPT long" env=EVIDENCE
      */2 * * * * @policy(deadline=2h,concurrency=replace) name=replaced command="/bin/sh SCRIPT stubborn" env=EVIDENCE
      * * * * * @win(after,40s) @policy(deadline=2h) name=forking command="/bin/sh SCRIPT forking" env=EVIDENCE
      * * * * * @win(after,30s) @policy(deadline=2h) name=chatty command="/bin/sh SCRIPT chatty" env=EVIDENCE
      * * * * * @policy(deadline=2h) name=endless timeout=8s command="/bin/sh SCRIPT endless" env=EVIDENCE
      */2 * * * * @policy(deadline=2h) name=flaky retries=3 retrydelay=5s retrymax=10s command="/bin/sh SCRIPT flaky" env=EVIDENCE then=second
      * * * * * @policy(deadline=2h) name=first command="/bin/sh SCRIPT short" env=EVIDENCE then=second
      @manual @policy(concurrency=allow) name=second retries=3 retrydelay=2s retrymax=4s command="/bin/sh SCRIPT flaky" env=EVIDENCE then=third
      @manual @policy(concurrency=allow) name=third command="/bin/sh SCRIPT short" env=EVIDENCE
      """;

  /** What follows which job in the end. */
  private static final Map<String, String> FOLLOWERS =
      Map.of("flaky", "second", "first", "second", "second", "third");

  private static final List<Point> POINTS = List.of(Point.values());

  @TempDir Path directory;
  private final SplittableRandom random = new SplittableRandom(SEED);
  private final FastClocks clocks = FastClocks.startingNow(FASTER);
  private final Set<Point> hit = EnumSet.noneOf(Point.class);

  @Test
  void nothingRunsTwiceAndNothingIsLostHoweverOftenTheDaemonIsKilled() throws Exception {
    Path config = Files.createDirectory(directory.resolve("config"));
    Path evidence = Files.createFile(directory.resolve("evidence"));
    Path script = Files.writeString(directory.resolve("job.sh"), SCRIPT);
    Files.writeString(
        config.resolve("load"),
        KRONTAB.replace("SCRIPT", script.toString()).replace("EVIDENCE", "EVIDENCE=" + evidence));
    Path state = directory.resolve("state");

    for (int i = 0; i < CRASHES; i++) {
      boolean atRandom = i % 2 == 0;
      Point point = POINTS.get(i / 2 % POINTS.size());
      String fault = atRandom ? "none" : Fault.at(point, 1 + random.nextInt(3));
      try (var daemon = DaemonProcess.start(config, state, clocks, fault)) {
        if (atRandom) {
          if (random.nextInt(4) != 0) {
            daemon.awaitLine("event=ready");
          }
          daemon.killAfterMillis(random.nextInt(1200));
        } else if (daemon.diesWithinMillis(2_500)) {
          hit.add(point);
        }
      }
      noPeriodTwice(Evidence.read(evidence));
    }
    hitEveryPoint(config, state);
    finish(config, state);
    check(Evidence.read(evidence), state);
  }

  /** Points that the load did not come by in time are brought about. */
  private void hitEveryPoint(Path config, Path state) throws Exception {
    for (Point point : EnumSet.complementOf(EnumSet.copyOf(hit))) {
      for (int attempt = 0; attempt < 8 && !hit.contains(point); attempt++) {
        bringAbout(point, config, state);
        try (var daemon = DaemonProcess.start(config, state, clocks, Fault.at(point, 1))) {
          if (daemon.diesWithinMillis(12_000)) {
            hit.add(point);
          }
        }
      }
    }
    assertEquals(EnumSet.allOf(Point.class), hit, "points that the daemon died at");
  }

  /** Some points need a daemon that finds what another one left. */
  private void bringAbout(Point point, Path config, Path state) throws Exception {
    switch (point) {
      case BEFORE_FORESTALL, AFTER_FORESTALL -> {
        String fault = Fault.at(Point.BEFORE_LAUNCH, 1);
        try (var daemon = DaemonProcess.start(config, state, clocks, fault)) {
          daemon.diesWithinMillis(12_000);
        }
      }
      case BEFORE_WATCH, AFTER_WATCH -> {
        try (var daemon = DaemonProcess.start(config, state, clocks, "none")) {
          daemon.await(
              () ->
                  daemon.log().stream()
                      .anyMatch(
                          line -> line.contains("event=run_started") && line.contains(":lasting ")),
              "a run that lasts");
        }
      }
      default -> {}
    }
  }

  /** A last daemon, which starts no new period, settles what is left. */
  private void finish(Path config, Path state) throws Exception {
    Path load = config.resolve("load");
    // What follows others goes on: each success is followed.
    Files.writeString(
        load, Files.readString(load).replace("* @policy(", "* @policy(suspend=true,"));
    try (var daemon = DaemonProcess.start(config, state, clocks, "none")) {
      daemon.awaitLine("event=ready");
      daemon.await(() -> isSettled(state), "every run settled");
      assertEquals(0, daemon.stop());
    }
  }

  /** All jobs as they are at one moment: a link moves from one file to another meanwhile. */
  private static boolean isSettled(Path state) {
    Map<Path, String> jobs = jobs(state);
    return jobs.values().stream().allMatch(CrashTest::isSettled) && jobs.equals(jobs(state));
  }

  private static Map<Path, String> jobs(Path state) {
    try (Stream<Path> files = Files.list(state)) {
      return files
          .filter(file -> file.toString().endsWith(".json"))
          .collect(Collectors.toMap(file -> file, CrashTest::read));
    } catch (IOException e) {
      return Map.of(state, "not listed");
    }
  }

  /** Nothing of the job goes on, waits to be tried again or is owed to what follows it. */
  private static boolean isSettled(String file) {
    return file.contains("\"ActiveExecution\":null")
        && !file.contains("\"Retry\":{")
        && !file.contains("\"OwedLinks\":[");
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return "";
    }
  }

  private static void noPeriodTwice(Evidence evidence) {
    for (Map.Entry<String, List<String>> runs : evidence.runsOfPeriod.entrySet()) {
      assertEquals(1, runs.getValue().size(), () -> "seed " + SEED + ": ran twice: " + runs);
    }
  }

  /**
   * A machine that is slow enough keeps a daemon from living long enough to start a run in time.
   */
  private static boolean mayBeMissed(HistoryEntry entry) {
    return entry.outcome() != Outcome.MISSED
        || "ended before it began".equals(entry.reason())
        || entry.completedAt() - entry.chosen() * 1000L > DEADLINE.toMillis();
  }

  private void check(Evidence evidence, Path state) throws Exception {
    noPeriodTwice(evidence);
    Map<String, HistoryEntry> byRun = new HashMap<>();
    Set<String> periods = new HashSet<>();
    Map<String, List<HistoryEntry>> histories = new HashMap<>();
    try (StateDirectory opened =
        StateDirectory.open(
            state,
            new LinuxDisk(),
            StateSettings.standard(1_000_000, Clock.systemUTC()),
            "the test")) {
      for (JobState job : opened.load(identity -> identity).states()) {
        List<HistoryEntry> history = opened.jobs().history(job.identity());
        histories.put(job.identity().substring(job.identity().lastIndexOf(':') + 1), history);
        for (HistoryEntry entry : history) {
          String period =
              "%s %s %s attempt %s"
                  .formatted(job.identity(), entry.nominal(), entry.cause(), entry.attempt());
          assertTrue(periods.add(period), "seed " + SEED + ": twice in the history: " + period);
          if (entry.runId() != null) {
            byRun.put(entry.runId(), entry);
          }
          assertTrue(
              mayBeMissed(entry),
              () -> "seed " + SEED + ": missed within its deadline: " + period + " " + entry);
        }
      }
    }
    int links = 0;
    for (Map.Entry<String, String> follows : FOLLOWERS.entrySet()) {
      links += everySuccessIsFollowedOnce(histories, follows.getKey(), follows.getValue());
    }
    int unknown = 0;
    for (String run : evidence.started) {
      HistoryEntry entry = byRun.get(run);
      if (entry == null) {
        fail("seed " + SEED + ": run " + run + " began and is not in the history");
      }
      assertEquals(Outcome.EXECUTED, entry.outcome(), () -> "seed " + SEED + ": " + entry);
      Integer code = evidence.ended.get(run);
      if (code != null) {
        // Its last word was written before it exited: TERM may still have come in between.
        boolean ended = code.equals(entry.exitCode()) || "replaced".equals(entry.reason());
        assertTrue(ended, () -> "seed " + SEED + ": exited " + code + ", recorded as " + entry);
        outputIsComplete(state, run);
      }
      unknown += entry.exitCode() == null ? 1 : 0;
    }
    assertEquals(0, unknown, "no keeper was killed, so every exit code is known");
    for (HistoryEntry entry : byRun.values()) {
      if (entry.outcome() == Outcome.EXECUTED) {
        // TERM may have come before its first word was written.
        boolean ended =
            entry.why() != null
                && (entry.why().cause() == Reason.Cause.REPLACED
                    || entry.why().cause() == Reason.Cause.TIMED_OUT);
        assertTrue(
            evidence.started.contains(entry.runId()) || entry.stage() != null || ended,
            () -> "seed " + SEED + ": recorded as executed, never began: " + entry);
      }
    }
    System.out.println(
        "crashes "
            + CRASHES
            + ", points "
            + hit.size()
            + ", runs "
            + evidence.started.size()
            + ", links "
            + links
            + ", periods twice 0, lost 0, unknown exit codes "
            + unknown);
  }

  /** Neither lost nor doubled; says how many there were. */
  private static int everySuccessIsFollowedOnce(
      Map<String, List<HistoryEntry>> histories, String name, String follower) {
    Map<String, Integer> followed = new HashMap<>();
    for (HistoryEntry entry : histories.getOrDefault(follower, List.of())) {
      if (entry.attempt() == 1) {
        followed.merge(String.valueOf(entry.cause()), 1, Integer::sum);
      }
    }
    int links = 0;
    for (HistoryEntry entry : histories.getOrDefault(name, List.of())) {
      if (entry.success()) {
        links++;
        assertEquals(
            1,
            followed.get(entry.runId()),
            () -> "seed " + SEED + ": " + follower + " after " + entry);
      }
    }
    return links;
  }

  private static void outputIsComplete(Path state, String run) throws IOException {
    Path note = state.resolve("runs").resolve(run).resolve("note");
    if (Files.exists(note) && Files.readString(note).contains("name chatty\n")) {
      List<String> lines = Files.readAllLines(note.resolveSibling("stdout"));
      List<String> expected = new ArrayList<>();
      for (int i = 0; i < LINES; i++) {
        expected.add("line " + i);
      }
      assertEquals(expected, lines, "seed " + SEED);
    }
  }

  /** What the jobs wrote down. */
  private record Evidence(
      Map<String, List<String>> runsOfPeriod, Set<String> started, Map<String, Integer> ended) {
    static Evidence read(Path file) throws IOException {
      var evidence = new Evidence(new TreeMap<>(), new HashSet<>(), new HashMap<>());
      for (String line : Files.readAllLines(file)) {
        String[] words = line.split(" ");
        if (words[0].equals("start") && words.length == 4) {
          evidence
              .runsOfPeriod
              .computeIfAbsent(words[1] + " " + words[2], key -> new ArrayList<>())
              .add(words[3]);
          evidence.started.add(words[3]);
        } else if (words[0].equals("end") && words.length == 3) {
          evidence.ended.put(words[1], Integer.valueOf(words[2]));
        }
      }
      return evidence;
    }
  }
}
