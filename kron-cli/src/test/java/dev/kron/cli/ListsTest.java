package dev.kron.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cli.Call.Result;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.output.Output.Look;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What lists and logs tell, against a real daemon. */
class ListsTest {
  @TempDir Path directory;
  private RunningDaemon daemon;
  private String[] jobs;

  @BeforeEach
  void start() throws Exception {
    jobs =
        new String[] {
          "0  3 * * *  @win(after,90m) name=lines command=\"seq 1 9\" shell=true",
          "0 0 1 1 * name=failing command=\"exit 3\" shell=true",
          "0 0 1 1 * name=elsewhere command=\"echo hi\" shell=true stdout=file:"
              + directory.resolve("out.log")
        };
    daemon = new RunningDaemon(directory, null, jobs);
  }

  @AfterEach
  void stop() throws Exception {
    daemon.close();
  }

  private String ok(String... words) {
    Result result = daemon.kron(words);
    assertEquals(ExitCode.OK, result.code(), String.join(" ", words) + ": " + result.err());
    return result.out();
  }

  @Test
  void showsTheScheduleAsItWasWritten() {
    assertTrue(ok("jobs").contains("0  3 * * *  @win(after,90m)"), ok("jobs"));
  }

  @Test
  void showsHowJobsEndedLatelyAndForHowLong() throws Exception {
    daemon.kron("trigger", "failing", "--wait");
    ok("trigger", "lines", "--wait");
    assertTrue(
        ok("jobs").matches("(?s).*\nfailing +ready +exit 3 +\\S+( ago)? +\\S+ +x .*"), ok("jobs"));
    daemon.kron("trigger", "failing", "--wait");
    assertTrue(ok("jobs").matches("(?s).*\nlines +ready +exit 0 .* \\. .*"), ok("jobs"));
    ok("shutdown");
    daemon.awaitEnd();
    daemon.again();
    daemon.kron("trigger", "failing", "--wait");
    assertTrue(ok("jobs").matches("(?s).*\nfailing +ready +exit 3 .* xxx .*"), ok("jobs"));
  }

  @Test
  void sumsUpADayOfManyPeriods() throws Exception {
    String[] often = Arrays.copyOf(jobs, jobs.length + 1);
    often[jobs.length] = "* * * * * name=often command=true shell=true";
    daemon.write(often);
    ok("reload");
    String why = ok("why", "often", "yesterday");
    assertTrue(why.contains("1,440 periods:\n  1,440 uncounted, from 00:00 to 23:59: "), why);
    assertTrue(why.contains("'kron why often "), why);
  }

  @ParameterizedTest
  @ValueSource(ints = {40, 80, 200})
  void fitTerminalsOfAnyWidth(int width) throws Exception {
    daemon.kron("trigger", "failing", "--wait");
    daemon.kron("start", "crashy");
    Path config = directory.resolve("config/shop");
    for (String words :
        List.of("jobs", "runs", "services", "events", "status", "next --file " + config)) {
      Result result = daemon.call().on(new Look(width, true, false)).run(words.split(" "));
      List<String> tooWide = result.out().lines().filter(line -> line.length() > width).toList();
      assertEquals(List.of(), tooWide, words);
      assertTrue(result.out().contains("failing") || words.matches("(services|next .*)"), words);
      assertTrue(result.out().lines().count() > 1, result.out() + result.err());
    }
  }

  @Test
  void nothingIsLeftOutWhereNobodyLooks() {
    Path config = directory.resolve("config/shop");
    String next = ok("next", "--file", config.toString());
    assertTrue(next.matches("(?s)due \\(local time\\) +UTC +in +job\n.*"), next);
    assertTrue(next.contains(config + ":lines"), next);
  }

  @Test
  void listsWhatFailedAndWhen() {
    daemon.kron("trigger", "failing", "--wait");
    daemon.kron("trigger", "failing", "--wait");
    ok("trigger", "lines", "--wait");
    String failed = ok("runs", "--failed", "--since", "-1h");
    assertEquals(3, failed.lines().count(), failed);
    assertFalse(failed.contains("lines"), failed);
    assertEquals(2, ok("runs", "--failed", "--limit", "1").lines().count());
    assertEquals("no such runs\n", ok("runs", "--until", "yesterday"));
    assertEquals("no such runs\n", ok("runs", "failing", "lines", "--since", "tomorrow"));
    assertEquals(4, ok("runs", "failing", "lines", "--since", "today").lines().count());
    assertTrue(ok("runs", "--failed", "--format", "json").contains("\"failed\": true"));
    String status = ok("status");
    assertTrue(status.matches("(?s).*\nFAILED +TIMES .*\nfailing +2 .*"), status);
  }

  @Test
  void showsTheLastLinesAndThoseThatMatch() {
    ok("trigger", "lines", "--wait");
    assertEquals("8\n9\n", ok("logs", "lines", "-n", "2"));
    assertEquals("3\n", ok("logs", "lines", "--grep", "^3$"));
    assertEquals("8\n", ok("logs", "lines", "-n", "1", "--grep", "[2468]"));
    assertEquals(ExitCode.USAGE, daemon.kron("logs", "lines", "-n", "x").code());
    assertEquals(ExitCode.USAGE, daemon.kron("logs", "lines", "--grep", "(").code());
  }

  @Test
  void saysWhereOutputIsThatIsNotHere() {
    ok("trigger", "elsewhere", "--wait");
    Result result = daemon.kron("logs", "elsewhere");
    assertEquals("", result.out());
    assertEquals("kron: its stdout goes to " + directory.resolve("out.log") + "\n", result.err());
  }

  @Test
  void takesTimesAsPeopleSayThem() {
    assertTrue(ok("why", "lines", "yesterday").contains("The period of "));
    ok("why", "lines", "-2h");
  }

  @Test
  void aLineThatMovedIsNoChange() throws Exception {
    String[] moved = new String[jobs.length + 1];
    moved[0] = "# a comment";
    System.arraycopy(jobs, 0, moved, 1, jobs.length);
    daemon.write(moved);
    String reload = ok("reload", "--format", "json");
    assertTrue(reload.contains("\"changed\": []"), reload);
    assertTrue(ok("show", "failing").contains("shop:3"), ok("show", "failing"));
  }

  @Test
  void namesWhatCanBeCompleted() {
    assertEquals(
        List.of("elsewhere", "failing", "lines"),
        ok("completion", "--names", "jobs").lines().sorted().toList());
    assertTrue(ok("completion", "--names", "services").contains("web\n"));
    Result nobody =
        new Call().with("KRON_SOCKET", directory + "/none").run("completion", "--names", "jobs");
    assertEquals(new Result(ExitCode.OK, "", ""), nobody);
    assertFalse(Files.exists(directory.resolve("none")));
  }
}
