package dev.kron.cli;

import static dev.kron.cli.Call.kron;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cli.Call.Result;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Output.Look;
import dev.kron.cli.output.Surroundings;
import dev.kron.simulation.Invariant;
import dev.kron.simulation.Simulation.Alarm;
import dev.kron.simulation.Simulation.Failure;
import dev.kron.simulation.Simulation.Outcome;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SimulateCommandTest {
  private static final Failure FAILURE =
      new Failure(
          7,
          Invariant.AT_MOST_ONCE,
          "AT_MOST_ONCE: a ran twice",
          List.of("START", "CRASH"),
          List.of("0.0 -- START", "1.0 -- CRASH"));

  private static final List<Alarm> ALARMS =
      List.of(
          new Alarm(7, Invariant.AT_MOST_ONCE, "AT_MOST_ONCE: a ran twice"),
          new Alarm(9, Invariant.NO_BURST, "NO_BURST: b caught up"));

  /** With somebody who plays 12 histories, of which one goes wrong, or two if all are played. */
  private static Result failing(Look look, String... words) {
    var out = new ByteArrayOutputStream();
    var err = new ByteArrayOutputStream();
    var command =
        new SimulateCommand(
            (task, progress) -> {
              progress.accept(5);
              return new Outcome(12, 345, FAILURE, ALARMS.subList(0, task.keepGoing() ? 2 : 1));
            });
    int code =
        new Kron(new Commands(List.of(command)))
            .run(
                List.of(words),
                new Surroundings(
                    new Output(out, look),
                    new Output(err, look),
                    Path.of(""),
                    _ -> null,
                    () -> 0,
                    java.time.ZoneOffset.UTC));
    return new Result(code, out.toString(UTF_8), err.toString(UTF_8));
  }

  @Test
  void playsHistoriesAndTellsHowManyAndHowFast() {
    Result result = kron("simulate", "--seeds", "9", "--from", "4");
    assertEquals(ExitCode.OK, result.code(), result.out() + result.err());
    assertEquals("", result.err());
    assertTrue(
        result
            .out()
            .matches(
                "9 histories from seed 4, \\d+ commands executed in them, \\d+ histories a"
                    + " second\nEverything held in every one of them.\n"),
        result.out());
  }

  @Test
  void theSameSeedPrintsTheSameHistoryByteForByte() {
    String first = history("3");
    assertEquals(first, history("3"));
    assertNotEquals(first, history("4"));
    assertTrue(first.contains("-- START"), first);
  }

  private static String history(String seed) {
    Result result = kron("simulate", "--from", seed, "--seeds", "1", "--history");
    assertEquals(ExitCode.OK, result.code(), result.err());
    return result.out().substring(0, result.out().indexOf("1 histories from seed"));
  }

  @Test
  void playsFleets() {
    Result result = kron("simulate", "--fleet", "--from", "3", "--seeds", "2", "--history");
    assertEquals(ExitCode.OK, result.code(), result.out() + result.err());
    assertTrue(result.out().contains("  n2 starts\n"), result.out());
    assertTrue(result.out().contains("2 histories from seed 3, "), result.out());
    Result failure = failing(Look.PLAIN, "simulate", "--fleet");
    assertTrue(
        failure.out().contains("To play it again: kron simulate --fleet --from 7 --seeds 1\n"),
        failure.out());
  }

  @Test
  void moreStepsMakeALongerHistory() {
    Result result = kron("simulate", "--from", "5", "--seeds", "1", "--steps", "200", "--history");
    assertTrue(result.out().length() > history("5").length());
  }

  @Test
  void writesNumbersForPrograms() {
    String json = kron("simulate", "--seeds", "2", "--format", "json").out();
    assertTrue(
        json.startsWith(
            "{\n  \"fleet\": false,\n  \"from\": 1,\n  \"seeds\": 2,\n  \"steps\": 24,\n"),
        json);
    assertTrue(json.contains("\"histories\": 2,"), json);
    assertTrue(json.contains("\"historiesPerSecond\": "), json);
    assertTrue(json.endsWith("\"failure\": null,\n  \"alarms\": []\n}\n"), json);
  }

  @Test
  void tellsSeedInvariantAndShrunkHistoryOfAFailure() {
    Result result = failing(Look.PLAIN, "simulate", "--seeds", "100", "--steps", "30");
    assertEquals(ExitCode.REFUSED, result.code());
    assertEquals("", result.err(), "no progress where nobody watches");
    String text = result.out().substring(result.out().indexOf('\n') + 1);
    assertEquals(
        """

        Seed 7 violates AT_MOST_ONCE: For each job, period and attempt the command is executed at most once, and without retries there is one attempt.
        AT_MOST_ONCE: a ran twice

        The shortest history found that violates it has these steps:
          START
          CRASH

        0.0 -- START
        1.0 -- CRASH

        To play it again: kron simulate --from 7 --seeds 1 --steps 30
        """,
        text);
  }

  @Test
  void listsAllThatWentWrongWhereItKeepsGoing() {
    Result result = failing(Look.PLAIN, "simulate", "--keep-going");
    assertEquals(ExitCode.REFUSED, result.code());
    assertTrue(
        result
            .out()
            .endsWith(
                """

                To play it again: kron simulate --from 7 --seeds 1

                2 of them went wrong:
                  seed 7  AT_MOST_ONCE: a ran twice
                  seed 9  NO_BURST: b caught up
                """),
        result.out());
    String json = failing(Look.PLAIN, "simulate", "--keep-going", "--format", "json").out();
    assertTrue(
        json.endsWith(
            """
              "alarms": [
                {
                  "seed": 7,
                  "invariant": "AT_MOST_ONCE",
                  "message": "AT_MOST_ONCE: a ran twice"
                },
                {
                  "seed": 9,
                  "invariant": "NO_BURST",
                  "message": "NO_BURST: b caught up"
                }
              ]
            }
            """),
        json);
  }

  @Test
  void tellsAFailureToPrograms() {
    Result result = failing(Look.PLAIN, "simulate", "--format", "json");
    assertEquals(ExitCode.REFUSED, result.code());
    assertTrue(result.out().contains("\"seed\": 7,"), result.out());
    assertTrue(result.out().contains("\"invariant\": \"AT_MOST_ONCE\","), result.out());
    assertTrue(result.out().contains("\"steps\": [\n      \"START\","), result.out());
  }

  @Test
  void showsProgressOnATerminal() {
    Result result = failing(new Look(100, true, false), "simulate", "--seeds", "50");
    assertTrue(result.err().contains("5 of 50 histories, "), result.err());
    assertTrue(result.err().endsWith("\r\u001b[K"), "the line is taken back");
    assertFalse(result.out().contains("of 50"), result.out());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--seeds=0",
        "--seeds=many",
        "--from=-1",
        "--steps=0",
        "--steps=10001",
        "--seeds="
      })
  void refusesNumbersThatMeanNothing(String option) {
    Result result = kron("simulate", option);
    assertEquals(ExitCode.USAGE, result.code());
    assertTrue(result.err().contains("is a whole number from"), result.err());
  }

  @Test
  void refusesAHistoryForPrograms() {
    assertEquals(ExitCode.USAGE, kron("simulate", "--history", "--format", "json").code());
  }
}
