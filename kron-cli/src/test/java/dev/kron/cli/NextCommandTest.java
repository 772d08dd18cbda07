package dev.kron.cli;

import static dev.kron.cli.Call.kron;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cli.Call.Result;
import dev.kron.cli.line.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NextCommandTest {
  @TempDir Path directory;

  private static List<String> values(String json, String member) {
    return Pattern.compile("\"" + member + "\": \"([^\"]*)\"")
        .matcher(json)
        .results()
        .map((MatchResult match) -> match.group(1))
        .toList();
  }

  @Test
  void listsTheComingRunsOfASchedule() throws IOException {
    Result result =
        kron(
            "next",
            "--schedule",
            "*/10 * * * * @win(after,15m)",
            "--identity",
            "a",
            "--after=2026-03-01T00:00:00Z",
            "--count=6");
    assertEquals(ExitCode.OK, result.code(), result.err());
    Golden.check("next.txt", result.out());
  }

  @Test
  void writesTheFieldsOfExplainAndTheDueTime() throws IOException {
    Result result =
        kron(
            "next",
            "--schedule",
            "0 18 * * * @win(after,1h) @seed(stable,salt=lights) @only(between=18:59-19:00)",
            "--identity",
            "home/lights",
            "--after",
            "2026-03-01T00:00:00Z",
            "--count",
            "2",
            "--format",
            "json");
    Golden.check("next.json", result.out());
  }

  @Test
  void startsFromNowUnlessToldOtherwise() {
    String json =
        kron("next", "--schedule", "0 * * * *", "--identity", "a", "--count=1", "--format=json")
            .out();
    assertEquals(List.of("2026-03-01T13:00:00Z"), values(json, "dueTime"));
  }

  @Test
  void leavesOutWhatIsDueAtThatVerySecond() {
    String json =
        kron(
                "next",
                "--schedule=0 * * * *",
                "--identity=a",
                "--count=1",
                "--format=json",
                "--after=2026-03-01T12:00:00Z")
            .out();
    assertEquals(List.of("2026-03-01T13:00:00Z"), values(json, "dueTime"));
  }

  @Test
  void mergesAllJobsByDueTimeAndThenIdentity() throws IOException {
    Files.writeString(
        directory.resolve("jobs.kron"),
        """
        30 * * * * name=half command=/bin/true
        0 * * * * name=zulu command=/bin/true
        0 * * * * name=alpha command=/bin/true
        0 0 29 2 * name=leap command=/bin/true
        """);
    String json =
        new Call().in(directory).run("next", "--file", ".", "--count", "5", "--format=json").out();
    String file = directory + "/jobs.kron:";
    assertEquals(
        List.of(file + "half", file + "alpha", file + "zulu", file + "half", file + "alpha"),
        values(json, "identity"));
    assertEquals(
        List.of(
            "2026-03-01T12:30:00Z",
            "2026-03-01T13:00:00Z",
            "2026-03-01T13:00:00Z",
            "2026-03-01T13:30:00Z",
            "2026-03-01T14:00:00Z"),
        values(json, "dueTime"));
  }

  @Test
  void letsALaterPeriodWaitForTheOneBeforeIt() {
    String json =
        kron(
                "next",
                "--schedule=* * * * * @win(after,30m)",
                "--identity=a",
                "--count=200",
                "--format=json")
            .out();
    List<String> due = values(json, "dueTime");
    assertEquals(due.stream().sorted().toList(), due);
    assertEquals(due.size(), values(json, "chosenTime").size());
    assertTrue(!due.equals(values(json, "chosenTime")), "some period had to wait");
  }

  @Test
  void endsWithTheCalendar() {
    assertEquals(
        new Result(ExitCode.OK, "Nothing is due after 9999-12-31T23:59:59Z.\n", ""),
        kron("next", "--schedule=0 0 * * *", "--identity=a", "--after=9999-12-31T23:59:59Z"));
  }

  @Test
  void marksWhatWillNotRun() {
    String text =
        kron("next", "--schedule=0 * * * * @policy(suspend=true)", "--identity=a", "--count=1")
            .out();
    assertTrue(text.contains("(suspended: will not run)"), text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "x", "", "99999999999"})
  void refusesACountThatIsNone(String count) {
    Result result = kron("next", "--schedule=0 * * * *", "--identity=a", "--count=" + count);
    assertEquals(ExitCode.USAGE, result.code());
    assertTrue(result.err().startsWith("kron: --count is a whole number"), result.err());
  }

  @Test
  void tellsWhatMayFollowARun() throws IOException {
    Path file = directory.resolve("chain");
    Files.writeString(
        file,
        """
        0 2 * * * name=dump command=/bin/true retries=2 then="report ship"
        0 3 * * * name=ship command=/bin/true
        @manual name=report command=/bin/true retries=1
        """);
    String text = kron("next", "--file", file.toString(), "--count=2").out();
    assertTrue(
        text.contains(file + ":dump  (up to 2 retries)  then report, ship\n")
            && text.contains(file + ":ship\n")
            && text.endsWith(file + ":report runs after each success of dump.\n"),
        text);
    String one = kron("next", "report", "--file", file.toString()).out();
    assertTrue(one.endsWith(file + ":report runs after each success of dump.\n"), one);
    String json = kron("next", "--file", file.toString(), "--count=2", "--format=json").out();
    assertTrue(json.replaceAll("\\s+", "").contains("\"retries\":2,\"then\":["), json);
    assertEquals(1, json.split("\"retries\"", -1).length - 1, json);
  }
}
