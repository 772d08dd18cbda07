package dev.kron.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cli.Call.Result;
import dev.kron.cli.line.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code kron stop} against a real daemon with real processes. */
class StopCommandTest {
  @TempDir Path directory;
  private RunningDaemon daemon;

  @BeforeEach
  void start() throws Exception {
    Path told = directory.resolve("told");
    daemon =
        new RunningDaemon(
            directory,
            null,
            "0 0 1 1 * @policy(concurrency=allow) name=endless command=\"/bin/sleep 1000\""
                + " onfailure=\"/bin/touch "
                + told
                + "\"",
            "0 0 1 1 * name=polite command=\"trap 'echo got HUP; exit 0' HUP; echo ready; while :;"
                + " do sleep 0.1; done\" shell=true",
            "0 0 1 1 * name=web command=\"/bin/sleep 1000\"");
  }

  @AfterEach
  void stop() throws Exception {
    daemon.close();
  }

  private Result kron(String... words) {
    return daemon.kron(words);
  }

  private String trigger(String job) throws Exception {
    String runId = kron("trigger", job).out().strip().substring("run ".length());
    daemon.await("it runs", () -> kron("runs", job).out().contains("running"));
    return runId;
  }

  @Test
  void endsARunAndRecordsWhoWantedIt() throws Exception {
    String runId = trigger("endless");
    Result result = kron("stop", "endless", "--wait");
    assertEquals(ExitCode.OK, result.code(), result.err());
    String me = System.getProperty("user.name");
    assertEquals("run " + runId + ": stopped by " + me + "\n", result.out());
    String runs = kron("runs", "endless").out();
    assertTrue(runs.contains("stopped"), runs);
    assertTrue(kron("status").out().contains("0 failed"), "it is no failure");
    assertFalse(Files.exists(directory.resolve("told")), "nobody is alarmed");
    Result again = kron("stop", "endless");
    assertEquals(ExitCode.REFUSED, again.code());
    assertTrue(again.err().contains("has no run that goes on"), again.err());
    assertTrue(kron("stop", runId).err().contains("does not go on"));
  }

  @Test
  void endsOneRunOfSeveral() throws Exception {
    String first = trigger("endless");
    String second = trigger("endless");
    assertEquals(ExitCode.OK, kron("stop", first, "--wait").code());
    String runs = kron("runs", "endless", "--format", "json").out();
    assertTrue(runs.contains("\"stopped by "), runs);
    assertTrue(kron("show", second).out().contains("started"), "the other one goes on");
    assertEquals(ExitCode.OK, kron("stop", second, "--wait").code());
  }

  @Test
  void beginsWithTheSignalThatIsNamed() throws Exception {
    String runId = trigger("polite");
    daemon.await("it is ready", () -> kron("logs", "polite").out().startsWith("ready"));
    assertEquals(ExitCode.OK, kron("stop", "polite", "--signal", "HUP", "--wait").code());
    assertEquals("ready\ngot HUP\n", kron("logs", "polite", "--stdout").out());
    assertTrue(kron("show", runId).out().contains("stopped by "));
    assertEquals(ExitCode.REFUSED, kron("stop", "polite", "--signal", "NOPE").code());
  }

  @Test
  void refusesANameThatAJobAndAServiceHave() throws Exception {
    for (String command : new String[] {"stop", "show", "why", "logs"}) {
      Result both = kron(command, "web");
      assertEquals(ExitCode.REFUSED, both.code(), command);
      assertTrue(both.err().contains("say job:web or service:web"), both.err());
    }
    assertEquals(ExitCode.OK, kron("logs", "we?").code(), "patterns mean services");
    trigger("job:web");
    assertTrue(kron("stop", "job:web", "--wait").out().contains("stopped by "));
    assertEquals("web is exited\n", kron("stop", "service:web", "--wait").out());
    assertTrue(kron("show", "service:web").out().contains("wanted down"));
    assertTrue(kron("show", "job:web").out().contains("/bin/sleep"));
    assertEquals(ExitCode.USAGE, kron("stop", "service:web", "--signal", "INT").code());
  }

  @Test
  void suggestsWhatWasMeant() {
    assertTrue(kron("stop", "endles").err().contains("did you mean endless?"));
    assertTrue(kron("trigger", "polit").err().contains("did you mean polite?"));
    assertTrue(kron("start", "crashi").err().contains("did you mean crashy?"));
    assertTrue(kron("stop", "crashy@7").err().contains("crashy@7: its instances are 0 to 0"));
    assertTrue(kron("show", "crashy@7").err().contains("crashy@7: its instances are 0 to 0"));
    assertTrue(kron("why", "crashy@7").err().contains("crashy@7: its instances are 0 to 0"));
    assertTrue(kron("logs", "endless", "--follow").err().contains("did you mean -f?"));
    assertTrue(kron("logs", "endless", "--lines=3").err().contains("did you mean -n?"));
    assertFalse(kron("events", "-n").err().contains("did you mean"));
    assertTrue(kron("cancel", "endless").err().contains("'kron stop JOB'"));
    assertTrue(kron("kill", "web").err().contains("'kron signal SERVICE KILL'"));
    for (String word : new String[] {"list", "ps", "tail", "kill"}) {
      Result result = kron(word);
      assertEquals(ExitCode.USAGE, result.code());
      assertTrue(result.err().contains("there is no command \"" + word + "\": "), result.err());
    }
  }

  @Test
  void goesOnAfterACrashOfTheDaemon() throws Exception {
    String runId = trigger("endless");
    assertEquals(ExitCode.OK, kron("stop", runId).code());
    assertEquals(ExitCode.OK, kron("shutdown").code());
    daemon.awaitEnd();
    daemon.again();
    daemon.await("it is on record", () -> kron("show", runId).out().contains("stopped by "));
  }
}
