package dev.kron.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kron.cli.line.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The screens of {@code kron watch} in the manual, from a real terminal. Times and numbers differ
 * each time; {@code -Dkron.golden=update} puts those of now into the page.
 */
class WatchScreensTest {
  private static final Path PAGE =
      Path.of(System.getProperty("kron.root", "..")).resolve("docs/control.md");

  @TempDir Path directory;

  @Test
  void areWhatItShows() throws Exception {
    assumeTrue(Pty.isPossible(), "there is no /usr/bin/script to make a terminal");
    try (var daemon =
        new RunningDaemon(
            directory,
            null,
            "@manual name=backup command=\"/bin/sleep 0.2\"",
            "@manual name=report command=\"/bin/sh -c 'exit 7'\"",
            "@manual name=upload command=\"/bin/sleep 100\" timeout=1s")) {
      assertEquals(ExitCode.OK, daemon.kron("trigger", "backup", "--wait").code());
      daemon.kron("trigger", "report", "--wait");
      daemon.kron("trigger", "upload", "--wait");
      assertEquals(ExitCode.OK, daemon.kron("start", "db", "--wait").code());
      try (Pty terminal =
          new Pty(directory, 7, 96, "watch", "--socket", daemon.socket().toString())) {
        terminal.press("2");
        check(terminal, it -> has(it, "timed out") && has(it, "exit 7"), "[2 jobs]");
        terminal.press("3");
        check(terminal, it -> has(it, "> crashy") && has(it, "MiB"), "[3 services]");
        terminal.press("q");
        assertEquals(ExitCode.OK, terminal.awaitEnd());
      }
    }
  }

  private static boolean has(List<String> picture, String text) {
    return picture.stream().anyMatch(line -> line.contains(text));
  }

  /**
   * Waits for a picture like the block of the page that has the same tab in its first line: what a
   * process needs is known a while after it has begun.
   */
  private static void check(Pty terminal, Predicate<List<String>> isThere, String tab)
      throws Exception {
    String page = Files.readString(PAGE);
    Matcher block =
        Pattern.compile("```\n([^\n]*" + Pattern.quote(tab) + "[^`]*)```\n").matcher(page);
    assertTrue(block.find(), "the page has no block with " + tab);
    if ("update".equals(System.getProperty("kron.golden"))) {
      String now = text(terminal.awaitPicture(tab, isThere));
      Files.writeString(
          PAGE, page.substring(0, block.start(1)) + now + page.substring(block.end(1)));
    } else {
      String shown = block.group(1);
      terminal.awaitPicture(
          tab + " like this:\n" + shown, it -> shape(text(it)).equals(shape(shown)));
    }
  }

  private static String text(List<String> picture) {
    return String.join("\n", picture.stream().map(String::stripTrailing).toList()) + "\n";
  }

  private static String shape(String picture) {
    return picture
        .replaceAll("\\d{4}-\\d\\d-\\d\\d ", "") // at midnight
        .replaceAll("\\d+[smhd] ago|\\bnow\\b", "0s ago")
        .replaceAll("\\d+", "0")
        .replaceAll(" +", " ");
  }
}
