package dev.kron.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cli.Call.Result;
import dev.kron.cli.line.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code kron demo}, with a real daemon that is really killed. */
class DemoCommandTest {
  @Test
  void showsWhatThereIsAndLeavesNothing() throws IOException {
    Result result = new Call().online().run("demo");
    assertEquals(ExitCode.OK, result.code(), result.err());
    assertEquals("", result.err());
    String said = result.out();
    assertTrue(said.contains("exit code 3"), said);
    assertTrue(said.contains("no paper in the printer"), said);
    assertTrue(said.contains("it was restarted 1 time, 1 of them in the last day"), said);
    assertTrue(said.contains("begun\ndone\n"), said);
    assertTrue(said.matches("(?s).*\\$ kill -9 \\d+\n.*backup +exit 0, by hand .*"), said);
    Matcher place = Pattern.compile("in (\\S+/kron-demo\\d+):").matcher(said);
    assertTrue(place.find(), said);
    String directory = place.group(1);
    assertFalse(Files.exists(Path.of(directory)), "its directory is gone");
    try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
      assertEquals(
          "",
          String.join(
              "\n",
              processes.map(it -> concerned(it, directory)).filter(it -> !it.isEmpty()).toList()));
    }
  }

  private static String concerned(Path process, String directory) {
    try {
      String words = Files.readString(process.resolve("cmdline"));
      return words.contains(directory) ? process + " " + words.replace('\0', ' ') : "";
    } catch (IOException e) {
      return ""; // no process, or gone
    }
  }
}
