package dev.kron.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kron.cli.Call.Result;
import dev.kron.cli.line.Command;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.Operand;
import dev.kron.cli.online.OnlineCommands;
import dev.kron.cli.output.Output.Look;
import dev.kron.testing.SomebodyElse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands that ask a daemon, against a real one over its real socket. */
class OnlineCommandsTest {
  private static final Path ROOT =
      Path.of(System.getProperty("kron.root", "..")).toAbsolutePath().normalize();

  private static final String[] JOBS = {
    "0 3 * * * @win(after,2h) @policy(concurrency=allow) name=backup command=\"echo out; echo err"
        + " >&2\" shell=true env=MODE=full env=DB_PASSWORD=hunter2 umask=027 description=\"the"
        + " shop's data\"",
    "0 0 1 1 * name=failing command=\"exit 3\" shell=true",
    "0 0 1 1 * name=endless command=\"/bin/sleep 1000\" stdout=discard",
    "0 3 * * * @avoid(hours=3) @win(after,10m) name=never command=/bin/true nice=5"
        + " late=1m expect=10m least=5s silent=26h"
  };

  @TempDir Path directory;
  private RunningDaemon daemon;

  @BeforeEach
  void start() throws Exception {
    daemon = new RunningDaemon(directory, null, JOBS);
  }

  @AfterEach
  void stop() throws Exception {
    daemon.close();
  }

  private String ok(String... words) {
    Result result = daemon.kron(words);
    assertEquals(ExitCode.OK, result.code(), String.join(" ", words) + ": " + result.err());
    assertEquals("", result.err());
    return result.out();
  }

  private Result refused(int code, String... words) {
    Result result = daemon.kron(words);
    assertEquals(code, result.code(), String.join(" ", words) + ": " + result.out() + result.err());
    return result;
  }

  @Test
  void statusIsOneScreenThatTellsWhatMatters() {
    refused(ExitCode.REFUSED, "trigger", "failing", "--wait");
    ok("trigger", "endless");
    String status = ok("status");
    assertTrue(status.contains(": healthy\n4 jobs, 1 running, 0 suspended, 1 failed"), status);
    assertTrue(status.matches("(?s).*\nRUNNING .*\nendless .*"), status);
    assertTrue(status.matches("(?s).*\nNEXT .*\nbackup  +in .*"), status);
    assertTrue(status.matches("(?s).*\nFAILED .*\nfailing .*exit 3.*"), status);
    assertTrue(status.lines().count() <= 24, status);
    assertTrue(ok("status", "--format", "json").startsWith("{\n  \"healthy\": true,"));
  }

  @Test
  void jobsFitTheTerminalAndAreWholeInAPipe() {
    String piped = ok("jobs");
    assertTrue(piped.contains("0 3 * * * @avoid(hours=3) @win(after,10m)"), piped);
    String narrow = daemon.call().on(new Look(50, true, false)).run("jobs").out();
    assertTrue(narrow.lines().allMatch(line -> line.length() <= 50), narrow);
    assertTrue(narrow.contains("…"), narrow);
    String colourless = daemon.call().on(new Look(80, false, false)).run("jobs").out();
    assertFalse(colourless.contains("\u001b"), colourless);
    assertTrue(ok("jobs", "backup").lines().count() == 2);
    refused(ExitCode.REFUSED, "jobs", "nobody");
  }

  @Test
  void triggerRunsAJobAndTellsHowItEnded() {
    assertTrue(ok("trigger", "backup", "--wait").matches("run [0-9a-z]+: exit 0\n"));
    Result failed = refused(ExitCode.REFUSED, "trigger", "failing", "--wait");
    assertTrue(failed.out().endsWith(": exit 3\n"), failed.out());
    ok("trigger", "endless");
    Result second = refused(ExitCode.REFUSED, "trigger", "endless");
    assertTrue(second.err().contains("is still active"), second.err());
    refused(ExitCode.REFUSED, "trigger", "nobody");
    String runs = ok("runs");
    assertTrue(
        runs.matches("(?s)WHEN .*endless +(running|intended), by hand.*failing +exit 3.*"), runs);
    assertTrue(ok("runs", "backup", "--limit", "1").contains("exit 0, by hand"));
    refused(ExitCode.USAGE, "runs", "--limit", "x");
  }

  @Test
  void logsShowWhatARunWroteByteForByte() {
    refused(ExitCode.REFUSED, "logs", "backup");
    ok("trigger", "backup", "--wait");
    assertEquals("out\nerr\n", ok("logs", "backup"));
    assertEquals("err\n", ok("logs", "backup", "--stderr"));
    assertEquals("out\n", ok("logs", "backup", "--stdout", "--all"));
    ok("trigger", "backup", "--wait");
    String both = ok("logs", "backup", "--since", "-1h");
    assertTrue(both.matches("==> run .*exit 0\nout\nerr\n==> run .*exit 0\nout\nerr\n"), both);
    String id = both.substring("==> run ".length(), both.indexOf(','));
    assertEquals("out\nerr\n", ok("logs", "backup", "--run", id));
    // As messages to people say it.
    assertEquals("out\nerr\n", ok("logs", id));
    assertEquals("out\nerr\n", ok("logs", id, "-f"));
    assertTrue(ok("logs", "backup", "--format", "json").contains("\"stdout\": \"out\\n\""));
    refused(ExitCode.USAGE, "logs", "backup", "--run", id, "--since", "-1h");
  }

  @Test
  void showPrintsWhatWillBeAndWhatWasExecuted() {
    String job = ok("show", "backup");
    assertTrue(job.contains("  command      /bin/sh -c 'echo out; echo err >&2'\n"), job);
    assertTrue(job.contains("  umask        0027\n"), job);
    assertTrue(job.contains("    MODE=full\n"), job);
    assertTrue(job.contains("    DB_PASSWORD=********\n"), job);
    assertTrue(job.contains("the shop's data"), job);
    ok("trigger", "backup", "--wait");
    String runs = ok("runs", "backup", "--format", "json");
    String id = runs.replaceAll("(?s).*\"runId\": \"([0-9a-z]+)\".*", "$1");
    String run = ok("show", id);
    assertTrue(run.contains("What was executed\n  command      /bin/sh -c"), run);
    assertTrue(run.contains("    KRON_RUN_ID=" + id + "\n"), run);
    assertTrue(run.contains("    DB_PASSWORD=********\n"), run);
    for (String text : List.of(job, run, ok("show", "backup", "--format", "json"))) {
      assertFalse(text.contains("hunter2"), text);
    }
    String watched = ok("show", "never");
    for (String field : List.of("nice   5", "late   1m", "expect 10m", "least  5s", "silent 26h")) {
      String name = field.substring(0, 6);
      assertTrue(watched.contains("\n  " + name + " ".repeat(7) + field.substring(7)), watched);
    }
    assertTrue(ok("show", "never", "--format", "json").contains("\"silent\": \"26h0m0s\""));
    refused(ExitCode.REFUSED, "show", "nobody");
  }

  @Test
  void whyTellsOfTheRecordTheComputationAndWhatIsToCome() {
    String before = ok("why", "backup", "2020-01-01");
    assertTrue(before.contains("is known since"), before);
    String coming = ok("why", "backup", "2099-01-01");
    assertTrue(coming.contains("it is not due yet: it will start at 2099-01-01 0"), coming);
    String never = ok("why", "never", "2099-01-01");
    assertTrue(never.contains("rejected by @avoid(hours=3)"), never);
    String none = ok("why", "failing", "2099-06-01");
    assertTrue(none.contains("it is not due then: the period before is 2099-01-01"), none);
    refused(ExitCode.USAGE, "why", "backup", "someday");
    refused(ExitCode.REFUSED, "why", "nobody");
  }

  @Test
  void servicesAreStartedStoppedAndSignalled() throws Exception {
    ok("start", "web", "--wait");
    String services = ok("services");
    assertTrue(services.matches("(?s).*\ndb +down +inactive .*\nweb +up +running .*"), services);
    assertEquals("db is running\n", ok("start", "db", "--wait"));
    assertEquals("db is exited\n", ok("stop", "db", "--wait"));
    assertEquals("web is running\n", ok("restart", "web", "--wait"));
    assertEquals("SIGCONT to web\n", ok("signal", "web", "CONT"));
    refused(ExitCode.REFUSED, "signal", "web", "NOTHING");
    refused(ExitCode.REFUSED, "start", "nobody");
    daemon.await("its words", () -> ok("logs", "web").equals("hello\nhello\n"));
    assertTrue(ok("logs", "web@0", "--format", "json").contains("\"log\": \"hello\\nhello\\n\""));
    refused(ExitCode.USAGE, "logs", "web", "--stderr");
    assertEquals("read again\nweb is reloaded\n", ok("reload", "web"));
    refused(ExitCode.REFUSED, "reload", "db");
    refused(ExitCode.USAGE, "reload", "web", "--dry-run");
    String show = ok("show", "web");
    assertTrue(show.contains("\n  onfailure    /bin/echo web is down\n"), show);
    assertTrue(show.contains("  state        running, wanted up\n"), show);
    assertTrue(show.contains("  command      /bin/sh -c 'echo hello; exec sleep 1000'\n"), show);
    assertTrue(
        ok("status").contains("3 services: 1 inactive, 1 running, 1 exited\n"), ok("status"));
  }

  @Test
  void theGraphIsDrawnWithTheStatesOfTheRunningDaemon() throws Exception {
    ok("start", "web", "--wait");
    ok("start", "db", "--wait");
    ok("stop", "db", "--wait");
    ok("start", "crashy");
    daemon.await("it to give up", () -> ok("services").contains("gave up"));
    String graph = ok("graph", "--live");
    assertTrue(graph.contains("[X] crashy\n"), graph);
    assertTrue(graph.contains("[+] web\n"), graph);
    assertTrue(graph.contains("[.] db\n"), graph);
    assertTrue(ok("graph", "--live", "--format", "dot").contains("[+]"));
    assertTrue(ok("graph", "--live", "--format", "svg").contains("class=\"running\""));
    assertTrue(ok("graph", "--live", "--format", "json").contains("\"state\": \"failed\""));
    refused(ExitCode.USAGE, "graph", "--live", "files");
    refused(ExitCode.UNAVAILABLE, "graph", "--live", "--socket", "/nonexistent");
  }

  @Test
  void saysThatItGaveUpAndStopsWhatHasFailedAlready() throws Exception {
    ok("start", "crashy");
    String reason = "  exit code 3; gave up after 2 restarts\n";
    daemon.await("it to give up", () -> ok("services").contains(reason));
    String status = daemon.kron("status").out();
    assertTrue(status.contains("crashy   failed  exit code 3; gave up after 2 restarts\n"), status);
    assertTrue(
        status.contains("not healthy\n  service crashy is wanted up and has failed"), status);
    assertEquals(ExitCode.REFUSED, daemon.kron("status").code());
    assertEquals("crashy is failed\n", ok("stop", "crashy", "--wait"));
    assertFalse(ok("services").contains("gave up"), ok("services"));
    assertTrue(ok("status").contains("healthy\n"));
  }

  @Test
  void channelsAreTriedAndJobsAreMuted() throws Exception {
    assertEquals("nothing was sent, and nothing waits\n", ok("notify", "log"));
    refused(ExitCode.REFUSED, "notify", "mute", "backup", "2h");
    daemon.service(
        "notify",
        """
        [channel.chat]
        type = "slack"
        profile = "chat"

        [[rule]]
        jobs = ["*"]
        on = ["failed"]
        notify = ["chat"]
        """);
    daemon.credentials("chat", "URL=nonsense-hunter2\n");
    ok("reload");
    Result result = daemon.kron("notify", "test", "chat");
    assertEquals(ExitCode.REFUSED, result.code(), result.err());
    assertEquals(
        "chat does not have it: URL is no address: expected https://HOST/…\n", result.out());
    String muted = ok("notify", "mute", "backup", "2h");
    assertTrue(muted.startsWith("muted until 20"), muted);
    String until = muted.substring("muted until ".length()).strip();
    assertTrue(
        ok("show", "backup", "--format", "json").contains("\"mutedUntil\": \"" + until + "\""));
    assertTrue(ok("show", "backup").contains("muted until"));
    assertEquals("unmuted\n", ok("notify", "unmute", "backup"));
    assertTrue(ok("show", "backup", "--format", "json").contains("\"mutedUntil\": null"));
    assertTrue(ok("notify", "log", "--format", "json").contains("\"channels\""));
    refused(ExitCode.REFUSED, "notify", "test", "nobody");
    refused(ExitCode.USAGE, "notify", "mute", "backup");
    refused(ExitCode.USAGE, "notify", "lose");
    daemon.service("notify", "");
    ok("reload");
  }

  @Test
  void credentialsAreBoundByNameAndNeverShown() throws Exception {
    daemon.credentials("other", "DB_WORD=hunter2\n");
    ok("start", "web", "--wait");
    assertTrue(ok("credentials", "bind", "web", "other").contains("credentials other"));
    String show = ok("show", "web");
    assertTrue(show.contains("  credentials  other, by command; in its file: none\n"), show);
    assertTrue(show.contains("    and what profile other has, which is never shown\n"), show);
    assertFalse(show.contains("hunter2") || show.contains("DB_WORD"), show);
    ok("credentials", "unbind", "web");
    assertTrue(ok("show", "web").contains("  credentials  none\n"));
    refused(ExitCode.REFUSED, "credentials", "bind", "web", "missing");
    assertTrue(ok("show", "web").contains("  credentials  none\n"));
    refused(ExitCode.REFUSED, "credentials", "bind", "web", "No Name");
    refused(ExitCode.USAGE, "credentials", "lose", "web");
    refused(ExitCode.USAGE, "credentials", "bind", "web");
  }

  @Test
  void suspendAndResumeAreDurableWords() {
    assertEquals("backup is suspended\n", ok("suspend", "backup"));
    assertTrue(ok("jobs", "backup").contains("suspended"));
    assertTrue(ok("why", "backup").contains("kron resume backup"));
    assertEquals("backup is resumed\n", ok("resume", "backup"));
    assertFalse(ok("jobs", "backup").contains("suspended"));
    refused(ExitCode.USAGE, "forget", "backup");
    ok("forget", "backup", "--periods-after", "now");
  }

  @Test
  void reloadShowsWhatChangesAndRefusesFilesWithErrors() throws Exception {
    assertEquals("nothing changes\n", ok("reload", "--dry-run"));
    daemon.write(JOBS[0].replace("027", "022"), JOBS[1], JOBS[2], "0 0 * * * name=new command=/x");
    String dry = ok("reload", "--dry-run");
    assertTrue(dry.matches("(?s)\\+ .*:new\n~ .*:backup\n- .*:never\n3 changes; .*dry run\n"), dry);
    assertTrue(ok("jobs").contains("never"));
    assertTrue(ok("reload").endsWith("3 changes\n"));
    assertFalse(ok("jobs").contains("never"));
    daemon.write("nonsense");
    Result bad = refused(ExitCode.REFUSED, "reload");
    assertTrue(bad.err().matches("(?s)kron: \\d+ errors? in the files.*shop:1:.*"), bad.err());
    assertTrue(ok("jobs").contains("new"));
  }

  @Test
  void eventsAreHeldAndCanBeGoneThroughAgain() {
    ok("trigger", "backup", "--wait");
    String all = ok("events");
    assertTrue(all.contains(" ready jobs=4 ") && all.contains(" run_ended "), all);
    String one = ok("events", "--job", "failing");
    assertEquals("", one);
    String json = ok("events", "--format", "json");
    String first = json.lines().findFirst().orElseThrow();
    String id = first.replaceAll(".*\"id\":\"([^\"]+)\".*", "$1");
    assertEquals(json.lines().count() - 1, ok("events", "--after", id).lines().count());
    refused(ExitCode.REFUSED, "events", "--after", "x-y");
  }

  @Test
  void shutdownWaitsForRunsOrEndsThem() throws Exception {
    ok("trigger", "endless");
    refused(ExitCode.USAGE, "shutdown", "--wait", "--kill");
    assertEquals("the daemon has ended\n", ok("shutdown", "--kill"));
    assertEquals(0, daemon.awaitEnd());
    Result nobody = refused(ExitCode.UNAVAILABLE, "status");
    assertTrue(nobody.err().contains("no daemon answers at " + daemon.socket()), nobody.err());
    assertTrue(nobody.err().contains("start one with 'kron run'"), nobody.err());
  }

  @Test
  void shutdownWaitsForWhatRuns() throws Exception {
    Path go = directory.resolve("go");
    daemon.write(
        "0 0 1 1 * name=slow shell=true command=\"until test -e %s; do sleep 0.05; done\""
            .formatted(go));
    ok("reload");
    ok("trigger", "slow");
    var ending = new FutureTask<>(() -> ok("shutdown", "--wait"));
    Thread.ofPlatform().daemon().start(ending);
    daemon.await(
        "the daemon knows that it is to stop",
        () -> ok("events").contains(" stopping how=WAIT_FOR_JOBS"));
    assertFalse(ending.isDone());
    Files.createFile(go);
    assertEquals("the daemon has ended\n", ending.get());
    assertEquals(0, daemon.awaitEnd());
  }

  @Test
  void everyCommandAnswersProgramsInJson() throws Exception {
    daemon.credentials("other", "A=b\n");
    ok("trigger", "backup", "--wait");
    var left = new TreeSet<String>();
    OnlineCommands.all().forEach(command -> left.add(command.name()));
    for (String line :
        List.of(
            "status",
            "jobs",
            "services",
            "runs",
            "runs backup",
            "show backup",
            "show web",
            "logs backup",
            "logs web",
            "trigger backup",
            "trigger backup --wait",
            "suspend backup",
            "resume backup",
            "start web",
            "restart web --wait",
            "signal web CONT",
            "scale web 2 --dry-run",
            "scale web 2 --wait",
            "stop web@1 --wait",
            "start web@1",
            "scale web 1",
            "stop web --wait",
            "reload --dry-run",
            "reload",
            "events",
            "why backup",
            "credentials bind web other",
            "credentials unbind web",
            "notify log",
            "dashboard",
            "forget backup --periods-after now",
            "shutdown --kill")) {
      List<String> words = new ArrayList<>(List.of(line.split(" ")));
      left.remove(words.getFirst());
      words.addAll(List.of("--format", "json"));
      String json = ok(words.toArray(String[]::new));
      List<String> texts =
          line.equals("events") ? json.lines().toList() : List.of(json.stripTrailing());
      assertFalse(texts.isEmpty(), line);
      for (String text : texts) {
        assertTrue(text.startsWith("{") && text.endsWith("}"), line + ": " + text);
      }
    }
    left.remove("watch"); // draws on a terminal
    left.remove("fleet"); // of a daemon that is a node: FleetCommandTest
    assertEquals(Set.of(), left);
    assertEquals(0, daemon.awaitEnd());
  }

  @Test
  void logsAreFollowedInLinesOfJson() {
    ok("trigger", "backup", "--wait");
    String runs = ok("runs", "backup", "--format", "json");
    String id = runs.replaceAll("(?s).*\"runId\": \"([0-9a-z]+)\".*", "$1");
    assertEquals(
        "{\"runId\": \"%1$s\",\"stream\": \"stdout\",\"line\": \"out\"}\n{\"runId\": \"%1$s\",\"stream\": \"stderr\",\"line\": \"err\"}\n"
            .formatted(id),
        ok("logs", "backup", "-f", "--run", id, "--format", "json"));
  }

  @Test
  void everyCommandRefusesSomebodyElse() throws Exception {
    assumeTrue(SomebodyElse.isPossible(), "needs root");
    for (Command command : OnlineCommands.all()) {
      List<String> words = new ArrayList<>(List.of(command.name()));
      Operand operand = command.spec().operand();
      if (operand != null && operand.minimum() > 0) {
        words.add("backup");
      }
      switch (command.name()) {
        case "signal" -> words.add("HUP");
        case "scale" -> words.add("2");
        case "start", "stop", "restart" -> words.add("web");
        case "notify" -> words.set(1, "log");
        case "fleet" -> words.set(1, "status");
        case "credentials" -> words.addAll(1, List.of("bind", "web"));
        default -> {}
      }
      if (command.name().equals("forget")) {
        words.addAll(List.of("--periods-after", "now"));
      }
      Call call = daemon.call();
      if (command.name().equals("watch")) {
        call.on(new Look(100, true, false)); // it needs a terminal
      }
      Result result = SomebodyElse.does(() -> call.run(words.toArray(String[]::new)));
      assertEquals(ExitCode.NOT_ALLOWED, result.code(), command.name() + ": " + result.err());
      assertTrue(result.err().contains("you may not talk to the daemon"), result.err());
    }
  }

  /** Each line of the manual that shows a command is run. */
  @Test
  void doesWhatTheManualShows() throws Exception {
    daemon.credentials("other", "A=b\n");
    ok("start", "web", "--wait");
    String manual = Files.readString(ROOT.resolve("docs/control.md"));
    var shown = new TreeSet<String>();
    for (String line : manual.split("\n")) {
      if (!line.startsWith("    kron ")) {
        continue;
      }
      String[] parts = line.strip().split(" +# ");
      String[] words = parts[0].split(" ");
      shown.add(words[1]);
      boolean endless = words[1].equals("watch") || parts[0].contains(" -f");
      if (!endless && !words[1].equals("shutdown") && !words[1].equals("run")) {
        Result result = daemon.kron(List.of(words).subList(1, words.length).toArray(String[]::new));
        assertEquals(ExitCode.OK, result.code(), line + ": " + result.err());
      }
    }
    shown.add("fleet"); // docs/fleet.md shows it, for a daemon that is a node
    for (Command command : OnlineCommands.all()) {
      assertTrue(shown.contains(command.name()), "the manual does not show " + command.name());
    }
  }
}
