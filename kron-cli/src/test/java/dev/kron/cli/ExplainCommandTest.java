package dev.kron.cli;

import static dev.kron.cli.Call.kron;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cli.Call.Result;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.output.Output.Look;
import dev.kron.job.RetryPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExplainCommandTest {
  private static final String MESSAGES =
      "0 10 * * * @tz(Europe/Paris) @win(around,90m) @dist(skewLate,shape=2.5)"
          + " @seed(stable,salt=msgs)";
  private static final String LIGHTS =
      "0 18 * * * @win(after,1h) @seed(stable,salt=lights) @only(between=18:40-19:00)";
  private static final String UNSCHEDULABLE =
      "0 18 * * * @win(after,1h) @seed(stable,salt=lights) @only(between=18:59-19:00)";

  @TempDir Path directory;

  private static Result explain(String schedule, String identity, String... more) {
    String[] words = new String[5 + more.length];
    words[0] = "explain";
    words[1] = "--schedule";
    words[2] = schedule;
    words[3] = "--identity";
    words[4] = identity;
    System.arraycopy(more, 0, words, 5, more.length);
    return kron(words);
  }

  private static String answer(String schedule, String identity, String... more) {
    Result result = explain(schedule, identity, more);
    assertEquals("", result.err());
    assertEquals(ExitCode.OK, result.code());
    return result.out();
  }

  @Test
  void tellsTheStoryOfAnOrdinaryDecision() throws IOException {
    Golden.check(
        "explain-around.txt", answer(MESSAGES, "msgs/paris", "--period", "2026-03-02T09:00:00Z"));
  }

  @Test
  void namesTheClauseThatRejectedEachCandidate() throws IOException {
    Golden.check(
        "explain-rejections.txt", answer(LIGHTS, "home/lights", "--at", "2026-03-01T23:00"));
  }

  @Test
  void tellsAnExactChoice() throws IOException {
    String exact = LIGHTS + " @choose(exact)";
    Golden.check("explain-choose.txt", answer(exact, "home/lights", "--at", "2026-03-01T23:00"));
    assertTrue(
        answer(exact, "home/lights", "--at", "2026-03-01T23:00", "--format", "json")
            .contains("\"choose\": \"exact\""));
  }

  @Test
  void refusesToExplainAManualJob() {
    Result result = explain("@manual", "home/lights", "--at", "now");
    assertEquals(ExitCode.REFUSED, result.code());
    assertTrue(result.err().contains("kron trigger runs it"), result.err());
  }

  @Test
  void saysThatNothingWasChosenWhereNothingIsAllowed() throws IOException {
    Golden.check(
        "explain-unschedulable.txt",
        answer(UNSCHEDULABLE, "home/lights", "--period", "2026-03-01T18:00:00Z"));
    Golden.check(
        "explain-unschedulable.json",
        answer(UNSCHEDULABLE, "home/lights", "--period=2026-03-01T18:00:00Z", "--format=json"));
  }

  @Test
  void saysThatASecondAloneWasTheOnlyCandidate() throws IOException {
    Golden.check("explain-exact.txt", answer("0 0 1 1 *", "exact/nojitter", "--at", "2026-06-01"));
  }

  @Test
  void writesEveryFieldAsJson() throws IOException {
    Golden.check(
        "explain-around.json",
        answer(MESSAGES, "msgs/paris", "--period", "2026-03-02T09:00:00Z", "--format", "json"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0 0 * * * @win(after,3h) @dist(uniform) @seed(stable,salt=backup)|prod/db-backup"
            + "|2026-03-01T00:00:00Z|2026-03-01T02:32:20Z",
        "0 0 * * * @win(after,1h) @seed(daily)|daily/test|2026-03-01T00:00:00Z"
            + "|2026-03-01T00:21:10Z",
        "0 0 1 1 *|exact/nojitter|2026-01-01T00:00:00Z|2026-01-01T00:00:00Z"
      })
  void choosesAsThePublishedVectorsDo(
      String schedule, String identity, String period, String chosen) {
    String json = answer(schedule, identity, "--period", period, "--format", "json");
    assertTrue(json.contains("\"chosenTime\": \"" + chosen + "\""), json);
  }

  @Test
  void fillsInTheDefaultsOfADistribution() {
    assertTrue(
        answer("0 0 * * * @win(after,6m) @dist(normal)", "x", "--at=2026-03-01", "--format=json")
            .contains(
                """
                  "distribution": {
                    "name": "normal",
                    "parameters": {
                      "mu": "mid",
                      "sigma": "1m0s"
                    }
                  },
                """));
  }

  @Test
  void looksTheSameWhateverTheTimeAndTheEnvironment() {
    String[] words = {
      "explain", "--schedule", MESSAGES, "--identity", "x", "--period", "2026-03-02T09:00:00Z"
    };
    assertEquals(
        kron(words),
        new Call().with("TZ", "Asia/Tokyo").with("LANG", "tr_TR.UTF-8").in(directory).run(words));
  }

  @Test
  void drawsWithAsciiOnATerminalWithoutUnicode() throws IOException {
    Result result =
        new Call()
            .on(new Look(60, false, false))
            .run(
                "explain", "--schedule", LIGHTS, "--identity", "home/lights", "--at", "2026-03-02");
    Golden.check("explain-ascii.txt", result.out());
    assertTrue(result.out().chars().allMatch(c -> c < 0x80), result.out());
  }

  @Test
  void namesBothNeighboursOfATimeThatIsNoPeriod() {
    assertEquals(
        new Result(
            ExitCode.REFUSED,
            "",
            "kron: 2026-03-02T09:30:00Z is not a period of this schedule; the one before it is"
                + " 2026-03-02T09:00:00Z, the one after it 2026-03-03T09:00:00Z\n"),
        explain(MESSAGES, "x", "--period", "2026-03-02T09:30:00Z"));
  }

  @Test
  void takesThePeriodBeforeTheGivenTime() {
    String json = answer(MESSAGES, "x", "--at", "2026-03-03T09:59", "--format", "json");
    assertTrue(json.contains("\"periodId\": \"2026-03-02T09:00:00Z\""), json);
  }

  @Test
  void findsAJobByNameOrIdentity() throws IOException {
    Path file = directory.resolve("a.krontab");
    Files.writeString(file, "0 0 * * * name=one command=/bin/true\n");
    Call call = new Call().in(directory);
    Result byName = call.run("explain", "one", "--file", "a.krontab", "--at", "2026-03-01");
    assertEquals(ExitCode.OK, byName.code(), byName.err());
    assertEquals(
        byName, call.run("explain", file + ":one", "--file", "a.krontab", "--at", "2026-03-01"));
    assertTrue(byName.out().startsWith(file + ":one\n"), byName.out());
  }

  @Test
  void looksIntoTheConfigurationDirectoryWithoutAFile() {
    Result result = new Call().with("HOME", directory + "/none").run("explain", "x", "--at", "now");
    assertEquals(ExitCode.UNREADABLE, result.code());
  }

  @Test
  void listsTheCandidatesWhereANameIsAmbiguous() throws IOException {
    Files.writeString(directory.resolve("a.kron"), "0 0 * * * name=one command=/bin/true\n");
    Files.writeString(directory.resolve("b.kron"), "0 1 * * * name=one command=/bin/true\n");
    Result result = new Call().in(directory).run("explain", "one", "--file", ".", "--at", "now");
    assertEquals(
        new Result(
            ExitCode.REFUSED,
            "",
            "kron: 2 jobs are called \"one\"; give --file, or one of these identities: "
                + directory
                + "/a.kron:one, "
                + directory
                + "/b.kron:one\n"),
        result);
  }

  @Test
  void suggestsAJobWhereThereIsNone() throws IOException {
    Files.writeString(directory.resolve("a.kron"), "0 0 * * * name=backup command=/bin/true\n");
    Result result = new Call().in(directory).run("explain", "bakcup", "--file=.", "--at", "now");
    assertEquals(
        new Result(
            ExitCode.REFUSED,
            "",
            "kron: there is no job \"bakcup\" among 1; did you mean backup?\n"),
        result);
  }

  @Test
  void saysWhereAScheduleIsWrong() {
    Result result = explain("61 0 * * * @win(sideways,1h)", "x", "--at", "now");
    assertEquals(ExitCode.REFUSED, result.code());
    assertTrue(result.err().startsWith("kron: --schedule, column 1: "), result.err());
    assertTrue(result.err().contains("\nkron: --schedule, column 17: "), result.err());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "explain|say which period",
        "explain --at now|say what to explain",
        "explain x --at now --period now|exclude each other",
        "explain x --at now --identity i|go together",
        "explain x --at now --schedule s --identity i|leave JOB and --file out",
        "explain --schedule s --identity i --file f --at now|leave JOB and --file out",
      })
  void refusesWhatDoesNotFitTogether(String words, String message) {
    Result result = kron(words.split(" "));
    assertEquals(ExitCode.USAGE, result.code(), result.err());
    assertTrue(result.err().contains(message), result.err());
  }

  @Test
  void tellsWhenAttemptsWouldComeAndWhatFollows(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("chain");
    Files.writeString(
        file,
        """
        0 2 * * * name=dump command=/bin/true retries=2 retrydelay=10s then=ship
        0 3 * * * name=ship command=/bin/true
        """);
    String[] words = {
      "explain", "dump", "--file", file.toString(), "--period=2026-03-01T02:00:00Z"
    };
    var policy = new RetryPolicy(2, 10_000, 3_600_000, List.of(0));
    long first = policy.delayMillis(file + ":dump", "2026-03-01T02:00:00Z", 1);
    long second = policy.delayMillis(file + ":dump", "2026-03-01T02:00:00Z", 2);
    String text = kron(words).out();
    for (long millis : new long[] {first, second}) {
      String seconds =
          "%d.%03d s after the end of attempt ".formatted(millis / 1000, millis % 1000);
      assertTrue(text.contains(seconds + (millis == first ? 1 : 2)), text);
    }
    assertTrue(text.contains("Each success starts ship.\n"), text);
    String[] asJson = Arrays.copyOf(words, words.length + 1);
    asJson[words.length] = "--format=json";
    String json = kron(asJson).out().replaceAll("\\s+", "");
    assertTrue(json.contains("\"retryDelaysMillis\":[" + first + "," + second + "]"), json);
    assertTrue(json.contains("\"then\":[\"" + file + ":ship\"]"), json);
    words[1] = "ship";
    words[4] = "--at=2026-03-02";
    assertTrue(
        kron(words).out().contains("It is also started by each success of dump."),
        () -> kron(words).out());
  }

  /** The vector of docs/fleet.md, which sha256sum gives too. */
  @Test
  void ranksTheNodesOfAFleetWithoutAskingThem() {
    String[] fixed = {"--period", "2026-03-01T00:00:00Z", "--nodes", "web-1,web-2,web-3"};
    String identity = "fleet:db.kron:backup";
    String text = answer("0 0 * * *", identity, fixed);
    assertTrue(
        text.contains(
            """
              web-2  at once    8555f4ad8bdf80641f72d92177bc150b05f047c1c300a933b143e4f89f56bcef
              web-3  1 s later  b99b0a74f18902957816d7ae3439d36d372b2ee8c7c68d3d8e3ee3e44e1820a5
              web-1  2 s later  c4d8ec80a6dcc8440f5f50a0929d04ffc5e66f06a45e816180be46ee43e1371d
            """),
        text);
    String[] asJson = Arrays.copyOf(fixed, 6);
    asJson[4] = "--format";
    asJson[5] = "json";
    String json = answer("0 0 * * *", identity, asJson).replaceAll("\\s+", "");
    assertTrue(json.contains("\"ranking\":[{\"node\":\"web-2\",\"turnMillis\":0,\"hash\":"), json);
  }

  @Test
  void ranksNobodyWhereNoNodeWaitsForAnother(@TempDir Path directory) throws Exception {
    Path fleet = Files.createDirectory(directory.resolve("fleet"));
    Files.writeString(
        directory.resolve("fleet.toml"),
        "[fleet]\nurl = \"jdbc:postgresql://127.0.0.1/kron\"\nprofile = \"fleet\"\n");
    Files.writeString(
        fleet.resolve("shop.kron"),
        """
        0 3 * * * name=any command=/bin/true
        0 3 * * * name=web on="label:web" command=/bin/true
        0 3 * * * name=each on=all command=/bin/true
        """);
    Files.writeString(directory.resolve("own.kron"), "0 3 * * * name=own command=/bin/true\n");
    Call call = new Call().in(directory);
    for (String name : List.of("any", "web")) {
      Result told = call.run("explain", name, "--file=.", "--at=2026-03-02", "--nodes=a,b");
      assertEquals(ExitCode.OK, told.code(), told.err());
      assertTrue(told.out().contains("Turns: "), told.out());
    }
    for (String name : List.of("each", "own")) {
      Result refused = call.run("explain", name, "--file=.", "--at=2026-03-02", "--nodes=a,b");
      assertEquals(ExitCode.REFUSED, refused.code(), refused.out());
    }
    for (String nodes : List.of("", "a,", "a,b,a", "a b")) {
      Result refused =
          call.run("explain", "any", "--file=.", "--at=2026-03-02", "--nodes=" + nodes);
      assertEquals(ExitCode.USAGE, refused.code(), nodes + refused.out());
    }
  }
}
