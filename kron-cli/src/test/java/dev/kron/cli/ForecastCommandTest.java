package dev.kron.cli;

import static dev.kron.cli.Call.kron;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cli.Call.Result;
import dev.kron.cli.forecast.Forecast;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.output.Output.Look;
import dev.kron.schedule.Schedule;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;

class ForecastCommandTest {
  private static final long MIDNIGHT = Instant.parse("2026-03-02T00:00:00Z").getEpochSecond();

  @TempDir Path directory;

  private Result forecast(String krontab, String... more) throws IOException {
    Files.writeString(directory.resolve("jobs.kron"), krontab);
    String[] words = new String[3 + more.length];
    words[0] = "forecast";
    words[1] = "jobs.kron";
    words[2] = "--from=2026-03-02";
    System.arraycopy(more, 0, words, 3, more.length);
    return new Call().in(directory).run(words);
  }

  /** Without windows nothing depends on where the file lies. */
  private static final String EXACT =
      """
      0 * * * * name=hourly command=/bin/true
      0 0 * * * name=a command=/bin/true
      0 0 * * * name=b command=/bin/true
      */20 6-8 * * * name=morning command=/bin/true
      0 0 * * * @policy(suspend=true) name=off command=/bin/true
      0 3 * * * @only(dow=SUN) name=never command=/bin/true
      """;

  @Test
  void countsStartsWithAndWithoutWindows() {
    Forecast forecast = new Forecast(MIDNIGHT, 6 * 3600, 300);
    for (int i = 0; i < 300; i++) {
      forecast.add(Schedule.parse("0 0 * * * @win(after,3h)"), "tenant-" + i);
    }
    assertEquals(300, forecast.withoutWindows().peak());
    assertEquals(0, forecast.withoutWindows().peakBucket());
    assertEquals(300, forecast.withoutWindows().total());
    assertEquals(300, forecast.withWindows().total());
    assertTrue(forecast.withWindows().peak() < 25, "" + forecast.withWindows().peak());
    assertTrue(forecast.factor() > 12, "" + forecast.factor());
  }

  @Test
  void drawsAHistogram() throws IOException {
    Golden.check("forecast.txt", forecast(EXACT).out());
  }

  @Test
  void drawsWithAsciiWhereThereIsNothingElse() throws IOException {
    Files.writeString(directory.resolve("jobs.kron"), EXACT);
    Result result =
        new Call()
            .in(directory)
            .on(new Look(60, false, false))
            .run("forecast", "jobs.kron", "--from=2026-03-02", "--hours=12", "--bucket=1h");
    Golden.check("forecast-ascii.txt", result.out());
  }

  @Test
  void writesNumbersForPrograms() throws IOException {
    Golden.check("forecast.json", forecast(EXACT, "--format=json", "--bucket=1h").out());
  }

  @Test
  void drawsAPictureThatIsWellFormedAndToldInWords() throws Exception {
    String svg = forecast(EXACT, "--format=svg").out();
    Golden.check("forecast.svg", svg);
    Document document =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    assertNotNull(document.getElementsByTagName("title").item(0));
    assertNotNull(document.getElementsByTagName("desc").item(0));
    assertTrue(svg.contains("prefers-color-scheme: dark"));
  }

  @Test
  void saysThatNothingStarts() throws IOException {
    assertTrue(
        forecast("0 0 29 2 * name=leap command=/bin/true\n")
            .out()
            .endsWith("Nothing starts in this time.\n"));
    String json = forecast("0 0 29 2 * name=leap command=/bin/true\n", "--format=json").out();
    assertTrue(json.contains("\"factor\": null"), json);
  }

  @Test
  void answersNothingFromAFileWithErrors() throws IOException {
    Result result = forecast("0 0 * * * name=x\n0 61 * * * name=y command=/bin/true\n");
    assertEquals(ExitCode.REFUSED, result.code());
    assertEquals("", result.out());
    assertTrue(result.err().startsWith("kron: " + directory + "/jobs.kron:1:"), result.err());
    assertTrue(result.err().contains("\nkron: " + directory + "/jobs.kron:2:"), result.err());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--hours=0",
        "--hours=8785",
        "--hours=x",
        "--bucket=0s",
        "--bucket=5",
        "--bucket=25h",
        "--bucket=",
        "--bucket=1w",
        "--from=soon"
      })
  void refusesNumbersThatMeanNothing(String option) throws IOException {
    Files.writeString(directory.resolve("jobs.kron"), EXACT);
    Result result = new Call().in(directory).run("forecast", "jobs.kron", option);
    assertEquals(ExitCode.USAGE, result.code(), result.err());
    assertTrue(result.err().startsWith("kron: --"), result.err());
  }

  @Test
  void refusesMoreBucketsThanAnybodyCouldRead() throws IOException {
    Result result = forecast(EXACT, "--hours=8784", "--bucket=1s");
    assertEquals(ExitCode.USAGE, result.code());
  }

  @Test
  void countsApartWhatFollowsFailuresAndSuccesses(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("chain");
    Files.writeString(
        file,
        """
        0 * * * * name=dump command=/bin/true retries=2 then="report ship asleep"
        @manual name=ship command=/bin/true then=report
        @manual name=report command=/bin/true retries=1
        @manual @policy(suspend=true) name=asleep command=/bin/true
        """);
    Result json =
        kron("forecast", file.toString(), "--from=2026-03-01", "--hours=2", "--format=json");
    assertTrue(json.out().contains("\"retriesAtMost\": 8"), json.out() + json.err());
    assertTrue(json.out().contains("\"followingStarts\": 6"), json.out());
    String text = kron("forecast", file.toString(), "--from=2026-03-01", "--hours=2").out();
    assertTrue(
        text.contains(
            "Not in the picture: 6 starts of jobs that follow a success (then), when that has"
                + " come.\nNot in the picture: up to 8 further attempts"),
        text);
  }

  @Test
  void aLongChainIsCountedAndOneThatBranchesAndMeetsAgainIsBounded(@TempDir Path directory)
      throws Exception {
    Path file = directory.resolve("chain");
    var lines = new StringBuilder("0 0 * * * name=j0 command=/bin/true then=\"j1 k1\"\n");
    for (int i = 1; i < 5_000; i++) {
      String then = " command=/bin/true then=\"j%d k%d\"\n".formatted(i + 1, i + 1);
      lines.append("@manual name=j").append(i).append(then);
      lines.append("@manual name=k").append(i).append(then);
    }
    lines.append("@manual name=j5000 command=/bin/true\n@manual name=k5000 command=/bin/true\n");
    Files.writeString(file, lines);
    Result json =
        kron("forecast", file.toString(), "--from=2026-03-01", "--hours=1", "--format=json");
    assertTrue(json.out().contains("\"followingStarts\": " + Long.MAX_VALUE), json.err());
  }
}
