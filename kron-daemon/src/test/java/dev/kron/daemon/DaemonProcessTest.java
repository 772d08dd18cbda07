package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kron.daemon.api.Caller;
import dev.kron.store.JobStates;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A daemon as the system sees it: exit codes, signals, locks. */
final class DaemonProcessTest {
  /** A minute lasts three seconds. */
  private final FastClocks clocks = FastClocks.startingNow(20);

  @TempDir Path directory;
  private Path config = Path.of("");
  private Path state = Path.of("");

  @BeforeEach
  void makeDirectories() throws IOException {
    config = Files.createDirectory(directory.resolve("config"));
    state = directory.resolve("state");
  }

  private void krontab(String... lines) throws IOException {
    Files.writeString(config.resolve("jobs"), String.join("\n", lines) + "\n");
  }

  private DaemonProcess start() throws IOException {
    return DaemonProcess.start(config, state, clocks, "none");
  }

  private int startAndEnd(List<String> log) throws Exception {
    try (var daemon = start()) {
      int code = daemon.awaitEnd();
      log.addAll(daemon.log());
      return code;
    }
  }

  @Test
  void aSecondDaemonLeavesAtOnceAndNamesTheHolder() throws Exception {
    krontab("0 0 * * * name=any command=/bin/true");
    try (var first = start()) {
      first.awaitLine("event=ready");
      var log = new ArrayList<String>();
      assertEquals(Daemon.LOCK, startAndEnd(log));
      assertTrue(String.join("\n", log).contains("pid " + first.pid()), log.toString());
      first.killAfterMillis(0);
      try (var next = start()) {
        next.awaitLine("event=ready"); // the kernel let go of the lock
      }
    }
  }

  @Test
  void everyErrorOfEveryFileIsReportedAndNothingStarts() throws Exception {
    krontab("61 * * * * name=minute command=/bin/true", "* * * * * name=Bad command=/bin/true");
    Files.writeString(config.resolve("more"), "* * * * * name=none\n");
    var log = new ArrayList<String>();
    assertEquals(Daemon.CONFIGURATION, startAndEnd(log));
    String text = String.join("\n", log);
    assertTrue(text.contains("jobs:1:1:"), text);
    assertTrue(text.contains("jobs:2:"), text);
    assertTrue(text.contains("more:1:"), text);
    assertTrue(!Files.exists(state), "nothing was started");
  }

  @Test
  void aStateDirectoryThatOthersCanReadIsRefused() throws Exception {
    krontab("0 0 * * * name=any command=/bin/true");
    Files.createDirectory(
        state, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
    var log = new ArrayList<String>();
    assertEquals(Daemon.STATE, startAndEnd(log));
    assertTrue(String.join("\n", log).contains("chmod 0700"), log.toString());
  }

  @Test
  void aStateFileOfANewerVersionIsRefused() throws Exception {
    krontab("0 0 * * * name=any command=/bin/true");
    Files.createDirectory(
        state, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    String identity = config.resolve("jobs") + ":any";
    Files.writeString(
        state.resolve(JobStates.fileName(identity)),
        "{\"Version\":\"2\",\"Identity\":\"" + identity + "\"}");
    var log = new ArrayList<String>();
    assertEquals(Daemon.STATE, startAndEnd(log));
    assertTrue(String.join("\n", log).contains("version 2"), log.toString());
  }

  @Test
  void termLeavesJobsRunningAndHupReloads() throws Exception {
    Path started = directory.resolve("started");
    Path go = directory.resolve("go");
    String command =
        "* * * * * name=long shell=true command=\"echo $$ > "
            + started
            + "; while [ ! -e "
            + go
            + " ]; do sleep 0.02; done\"";
    krontab(command);
    try (var daemon = start()) {
      daemon.await(() -> Files.exists(started), "the job to begin");
      krontab(command, "0 0 * * * name=more command=/bin/true");
      signal("HUP", daemon.pid());
      daemon.awaitLine("event=reloaded");
      assertEquals(0, daemon.stop());
      long pid = Long.parseLong(Files.readString(started).strip());
      assertTrue(ProcessHandle.of(pid).isPresent(), "the job goes on");
    } finally {
      Files.createFile(go);
    }
    try (var daemon = start()) {
      daemon.awaitLine("event=run_ended");
      assertTrue(daemon.log().stream().anyMatch(line -> line.contains("exit=0")));
    }
  }

  @Test
  void hearsSignalsWhateverTheShellThatStartedItIgnoresOrBlocks() throws Exception {
    krontab("0 0 * * * name=any command=/bin/true");
    var ignoring = List.of("sh", "-c", "trap '' HUP INT TERM; exec \"$@\"", "sh");
    reloadsAndStops(ignoring, "TERM");
    var blocking = List.of("env", "--block-signal=HUP,INT,TERM");
    if (runs(blocking)) {
      var both = new ArrayList<>(blocking);
      both.addAll(ignoring);
      reloadsAndStops(both, "INT");
    }
  }

  private void reloadsAndStops(List<String> prefix, String stop) throws Exception {
    try (var daemon = DaemonProcess.start(prefix, config, state, clocks, "none")) {
      daemon.awaitLine("event=ready");
      signal("HUP", daemon.pid());
      daemon.awaitLine("event=reloaded");
      signal(stop, daemon.pid());
      assertEquals(0, daemon.awaitEnd());
    }
  }

  @Test
  void aDaemonThatWasStoppedForAMinuteTellsAbsenceFromLoad() throws Exception {
    krontab(
        "* * * * * @policy(concurrency=allow) name=strict command=/bin/true",
        "* * * * * @policy(concurrency=allow,deadline=5m) name=patient command=/bin/true");
    try (var daemon = start()) {
      daemon.awaitLine("event=run_started");
      signal("STOP", daemon.pid());
      // On a busy machine its threads go on until the one has had its turn that hears the signal.
      daemon.await(() -> isStopped(daemon.pid()), "it to stop");
      long stopped = clocks.wallMillis();
      long back = stopped + 70_000;
      try {
        daemon.await(
            () -> clocks.wallMillis() > back && isWellIntoAMinute(clocks.wallMillis()),
            "more than a minute to pass");
      } finally {
        signal("CONT", daemon.pid());
      }
      // On these clocks the daemon takes a busy machine for a pause soon; this one is the long one.
      daemon.await(
          () -> pauses(daemon).stream().anyMatch(pause -> pause.covers(stopped, back)),
          "event=was_paused");
      Pause pause =
          pauses(daemon).stream().filter(it -> it.covers(stopped, back)).findFirst().orElseThrow();
      Instant latest = pause.to().truncatedTo(ChronoUnit.MINUTES);
      Instant strict = firstDecided(daemon, "strict", pause);
      Instant patient = firstDecided(daemon, "patient", pause);
      assertFalse(strict.isBefore(latest), "only the latest is looked at: " + strict);
      assertFalse(patient.isBefore(latest), "only the latest is looked at: " + patient);
      // On a very slow machine the daemon may have come back right at a minute, or in another one:
      // then it is not late.
      boolean late = strict.equals(latest) && pause.to().isAfter(latest.plusSeconds(5));
      daemon.await(
          () ->
              told(daemon, "event=missed", "strict", strict)
                  || (!late && told(daemon, "event=run_ended", "strict", strict)),
          "the strict job to miss");
      daemon.await(
          () -> told(daemon, "event=run_ended", "patient", patient), "the patient job to run late");
      assertEquals(0, daemon.stop());
      assertEquals(List.of(), decidedWithin(daemon, "strict", pause.from(), latest));
      assertEquals(List.of(), decidedWithin(daemon, "patient", pause.from(), latest));
    }
  }

  private static boolean isStopped(long pid) {
    try {
      return Files.readString(Path.of("/proc", Long.toString(pid), "stat")).contains(") T ");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isWellIntoAMinute(long millis) {
    long second = millis / 1000 % 60;
    return second >= 10 && second <= 40;
  }

  /** A time that the daemon did not see. */
  private record Pause(Instant from, Instant to) {
    boolean covers(long fromMillis, long toMillis) {
      return from.toEpochMilli() <= fromMillis && to.toEpochMilli() >= toMillis;
    }
  }

  private static List<Pause> pauses(DaemonProcess daemon) {
    return daemon.log().stream()
        .filter(line -> line.contains("event=was_paused"))
        .map(line -> new Pause(instant(line, "from"), instant(line, "to")))
        .toList();
  }

  private static Instant instant(String line, String name) {
    return Instant.parse(line.replaceAll(".* " + name + "=([^ ]+).*", "$1"));
  }

  private static Instant firstDecided(DaemonProcess daemon, String job, Pause pause)
      throws Exception {
    daemon.await(
        () -> !decidedWithin(daemon, job, pause.from(), Instant.MAX).isEmpty(),
        job + " to be looked at again");
    return decidedWithin(daemon, job, pause.from(), Instant.MAX).getFirst();
  }

  /** The periods of a job after a moment and before another one that were decided, in order. */
  private static List<Instant> decidedWithin(
      DaemonProcess daemon, String job, Instant after, Instant before) {
    return daemon.log().stream()
        .filter(line -> line.contains("event=decided") && line.contains(":" + job + " "))
        .map(line -> instant(line, "period"))
        .filter(period -> period.isAfter(after) && period.isBefore(before))
        .toList();
  }

  /** Whether there is such an event of a period. */
  private static boolean told(DaemonProcess daemon, String event, String job, Instant period) {
    String what = ":" + job + " period=" + period + " ";
    return daemon.log().stream().anyMatch(line -> line.contains(event) && line.contains(what));
  }

  @Test
  void asPidOneItEndsItsJobsAndReapsWhatIsLeft() throws Exception {
    krontab("* * * * * name=long shell=true command=\"(sleep 600 &) ; echo begun; sleep 600\"");
    List<String> namespace = List.of("unshare", "--pid", "--fork", "--mount-proc", "--kill-child");
    assumeTrue(runs(namespace), "needs the right to make a PID namespace");
    try (var daemon = DaemonProcess.start(namespace, config, state, clocks, "none")) {
      daemon.awaitLine("event=run_started");
      signal("TERM", daemon.onlyChild());
      assertEquals(0, daemon.awaitEnd());
      String log = String.join("\n", daemon.log());
      assertTrue(log.contains("reason=stopped"), log);
    }
  }

  @Test
  void asPidOneItEndsHooksWithinItsTime() throws Exception {
    Path said = directory.resolve("said");
    String deaf = "trap '' TERM; echo %s >>" + said + "; while :; do sleep 1; done";
    for (String hook : List.of("before_start", "after_stop", "reload")) {
      Files.writeString(
          config.resolve(hook.replace('_', '-') + ".toml"),
          "[service]\nexec = \"sleep 1000\"\n[hooks]\nshell = true\ntimeout_ms = 3600000\n"
              + hook
              + " = \"\"\""
              + deaf.formatted(hook)
              + "\"\"\"\n");
    }
    List<String> namespace = List.of("unshare", "--pid", "--fork", "--mount-proc", "--kill-child");
    assumeTrue(runs(namespace), "needs the right to make a PID namespace");
    Path socket = directory.resolve("run/krond.sock");
    try (var daemon =
        DaemonProcess.start(
            namespace, config, state, FastClocks.startingNow(1), "none", socket.toString(), "10")) {
      daemon.awaitLine("event=running instance=after-stop@0");
      daemon.awaitLine("event=running instance=reload@0");
      Caller.at(socket).post("/v1/services/reload/reload");
      daemon.await(() -> lines(said).containsAll(List.of("before_start", "reload")), "two hooks");
      signal("TERM", daemon.onlyChild());
      assertEquals(0, daemon.awaitEnd());
      assertTrue(lines(said).contains("after_stop"), "there was time to begin it");
      String log = String.join("\n", daemon.log());
      assertTrue(!log.contains("left_behind"), log);
      assertTrue(log.contains("event=hook_failed instance=after-stop@0"), log);
      assertTrue(log.contains("event=hook_failed instance=reload@0"), log);
      assertTrue(log.contains("event=exited instance=before-start@0"), log);
    }
  }

  private static List<String> lines(Path file) {
    try {
      return Files.exists(file) ? Files.readAllLines(file) : List.of();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void tellsItsServiceManagerAndNoJobHearsOfThat() throws Exception {
    Path seen = directory.resolve("seen");
    krontab(
        "* * * * * name=look shell=true command=\"env >%1$s.new && mv %1$s.new %1$s\""
            .formatted(seen));
    Path socket = directory.resolve("notify");
    List<String> prefix =
        List.of(
            "env",
            "NOTIFY_SOCKET=" + socket,
            "WATCHDOG_USEC=60000000",
            "LISTEN_FDS=1",
            "INVOCATION_ID=abc",
            "CREDENTIALS_DIRECTORY=/run/credentials/krond.service",
            "STATE_DIRECTORY=/var/lib/krond",
            // names that no shell can hand on
            "with.dot=1",
            "UID=1",
            "kron_keeper_1=EVIL=1");
    try (var manager = new ServiceManagerSocket(socket);
        var daemon = DaemonProcess.start(prefix, config, state, clocks, "none")) {
      daemon.await(() -> !manager.received().isEmpty(), "a word that it is ready");
      assertEquals(List.of("READY=1\nSTATUS=1 jobs, 0 services"), manager.received());
      daemon.await(() -> Files.exists(seen), "the job to look around");
      String environment = Files.readString(seen);
      for (String variable : prefix.subList(1, prefix.size())) {
        String name = variable.substring(0, variable.indexOf('='));
        assertTrue(!environment.contains(name + "="), environment);
      }
      assertTrue(!environment.contains("EVIL"), environment);
      assertEquals(0, daemon.stop());
      assertEquals("STOPPING=1", manager.received().getLast());
    }
  }

  private static boolean runs(List<String> prefix) throws Exception {
    var command = new ArrayList<>(prefix);
    command.add("/bin/true");
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getInputStream().readAllBytes();
      return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  private static void signal(String name, long pid) throws Exception {
    Process kill =
        new ProcessBuilder("kill", "-" + name, Long.toString(pid))
            .redirectErrorStream(true)
            .start();
    String said = new String(kill.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, kill.waitFor(), said);
  }
}
