package dev.kron.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.job.JobSpec;
import dev.kron.schedule.Decision;
import dev.kron.schedule.Schedule;
import dev.kron.schedule.ScheduleSyntaxException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What docs/krontab.md and docs/decisions.md show is what happens. */
class DocsTest {
  private static final Path DOCS =
      Path.of(System.getProperty("kron.root", Path.of("..").toAbsolutePath().toString()), "docs");

  @Test
  void everyKrontabShownAsRightIsRight() throws IOException {
    List<String> blocks = blocks("krontab.md", "krontab");
    assertTrue(blocks.size() >= 4, "krontab blocks in the manual");
    for (String block : blocks) {
      Krontab krontab = Krontabs.parse(block);
      assertEquals(List.of(), krontab.diagnostics());
      assertFalse(krontab.jobs().isEmpty());
    }
  }

  @Test
  void theThreeWaysToQuoteAnArgumentAreTheSame() throws IOException {
    List<JobSpec> jobs =
        blocks("krontab.md", "krontab").stream()
            .flatMap(block -> Krontabs.parse(block).jobs().stream())
            .filter(job -> List.of("target", "single", "escape").contains(job.name()))
            .toList();
    assertEquals(3, jobs.size());
    for (JobSpec job : jobs) {
      assertEquals(List.of("/usr/bin/backup", "--target", "primary cluster"), job.command());
    }
  }

  @Test
  void everyErrorIsShownAsItIsTold() throws IOException {
    String wrong = blocks("krontab.md", "krontab-wrong").getFirst();
    Krontab krontab =
        new KrontabParser(KrontabParser.Settings.DEFAULT)
            .parse(Path.of("/etc/krond.d/jobs.kron"), wrong.getBytes(StandardCharsets.UTF_8));
    var renderer = new DiagnosticRenderer(100);
    String told =
        krontab.diagnostics().stream()
            .map(diagnostic -> renderer.render(diagnostic) + "\n")
            .collect(Collectors.joining());
    assertEquals(blocks("krontab.md", "output").getFirst(), told);
  }

  @Test
  void everyFieldIsDescribed() throws IOException {
    String manual = Files.readString(DOCS.resolve("krontab.md"));
    for (Key key : Key.values()) {
      assertTrue(key.isOfFleets() || manual.contains("`" + key.text + "`"), key.text);
    }
  }

  @Test
  void theServiceFileShownIsRightAndEveryKeyIsDescribed() throws IOException {
    for (String block : blocks("services.md", "toml")) {
      assertEquals(List.of(), ServiceTexts.said(block));
    }
    String manual = Files.readString(DOCS.resolve("services.md"));
    ServiceKeys.TABLES.forEach(
        (table, keys) -> {
          assertTrue(manual.contains("### `[" + table + "]`"), table);
          for (String key : keys) {
            assertTrue(manual.contains("`" + key + "`") || manual.contains("`" + key + " = "), key);
          }
        });
    for (String signal : ServiceValues.SIGNALS) {
      assertTrue(manual.contains("`" + signal + "`"), signal);
    }
  }

  @Test
  void theLimitsAreTheOnesInForce() throws IOException {
    String manual = Files.readString(DOCS.resolve("krontab.md"));
    assertTrue(manual.contains("| a file | 1 MiB |"));
    assertEquals(1 << 20, ConfigFiles.Settings.DEFAULT_MAXIMUM_FILE_BYTES);
    assertTrue(manual.contains("| a line | 64 KiB |"));
    assertEquals(64 << 10, KrontabParser.Settings.DEFAULT.maximumLineBytes());
    assertTrue(manual.contains("| jobs in all files together | 1,000,000 |"));
    assertEquals(1_000_000, KrontabParser.Settings.DEFAULT.maximumJobs());
  }

  @Test
  void everyScheduleShownAsRightIsRight() throws IOException {
    for (String line : blocks("decisions.md", "schedule").getFirst().split("\n")) {
      assertEquals(Schedule.parse(line), Schedule.parse(Schedule.parse(line).canonical()), line);
    }
  }

  @Test
  void everyScheduleShownAsWrongIsWrong() throws IOException {
    for (String line : blocks("decisions.md", "schedule-wrong").getFirst().split("\n")) {
      assertThrows(ScheduleSyntaxException.class, () -> Schedule.parse(line), line);
    }
  }

  @Test
  void everyDecisionShownIsTheOneTaken() throws IOException {
    String[] lines = String.join("", blocks("decisions.md", "decisions")).split("\n");
    assertEquals(8, lines.length);
    for (String line : lines) {
      String[] parts = line.split(" \\| ");
      Decision decision =
          Schedule.parse(parts[0]).decide(parts[1], Instant.parse(parts[2]).getEpochSecond());
      assertEquals(Instant.parse(parts[3]), decision.chosenTime(), line);
    }
  }

  /** The contents of the fenced blocks of one language. */
  private static List<String> blocks(String document, String language) throws IOException {
    List<String> blocks = new ArrayList<>();
    StringBuilder block = new StringBuilder();
    boolean inside = false;
    for (String line : Files.readAllLines(DOCS.resolve(document))) {
      if (inside && line.equals("```")) {
        blocks.add(block.toString());
        block.setLength(0);
        inside = false;
      } else if (inside) {
        block.append(line).append('\n');
      } else {
        inside = line.equals("```" + language);
      }
    }
    assertFalse(blocks.isEmpty(), "no " + language + " block in " + document);
    return blocks;
  }
}
