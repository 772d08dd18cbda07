package dev.kron.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Files are of one idea, and a name means one thing. */
class SourcesTest {
  private static final int MOST_LINES = 400;

  /** With which the head of a longer file begins to say why it is one. */
  private static final String REASON = "One file, though a long one:";

  /** The library's contract wants its errors under one root, by the names that the parser has. */
  private static final Set<String> TWICE =
      Set.of(
          "CronCalculationException.java",
          "FieldParseException.java",
          "InvalidCronExpressionException.java");

  @Test
  void aLongFileSaysAtItsHeadWhyItIsOne() throws IOException {
    var found = new TreeSet<String>();
    for (Path source : Rooms.sources()) {
      List<String> lines = Files.readAllLines(source);
      if (lines.size() > MOST_LINES && !head(lines).contains(REASON)) {
        found.add(source.getFileName() + ": " + lines.size() + " lines");
      }
    }
    assertEquals(Set.of(), found, "split it, or write \"" + REASON + " …\" into its first comment");
  }

  /** All before the first type, words of a comment in one line. */
  private static String head(List<String> lines) {
    var head = new StringBuilder();
    for (String line : lines) {
      if (line.matches("(public |final |abstract |sealed )*(class|record|interface|enum) .*")) {
        break;
      }
      head.append(line.replaceFirst("^ \\* ?(<p>)?", "")).append(' ');
    }
    return head.toString().replaceAll("\\s+", " ");
  }

  @Test
  void noTwoClassesHaveOneName() {
    Map<String, Path> known = new HashMap<>();
    var found = new TreeSet<String>();
    for (Path source : Rooms.sources()) {
      String name = source.getFileName().toString();
      Path before = known.put(name, source);
      if (before != null && !name.equals("module-info.java") && !TWICE.contains(name)) {
        found.add(before + " and " + source);
      }
    }
    assertEquals(Set.of(), found);
  }
}
