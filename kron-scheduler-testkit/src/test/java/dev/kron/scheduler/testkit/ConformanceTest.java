package dev.kron.scheduler.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/conformance.md names tests that exist, and leaves no row without one. */
class ConformanceTest {
  private static final Path ROOT = Path.of(System.getProperty("kron.root", ".."));
  private static final Pattern TEST = Pattern.compile("`(\\w+Test)\\.(\\w+)`");

  @Test
  void everyTestOnThePageExists() throws IOException {
    Map<String, String> sources = sources();
    var missing = new TreeSet<String>();
    Matcher tests = TEST.matcher(page());
    int found = 0;
    while (tests.find()) {
      found++;
      String source = sources.getOrDefault(tests.group(1), "");
      // Test methods stand at the class's level; helpers are private or static.
      if (!source.contains("\n  void " + tests.group(2) + "(")) {
        missing.add(tests.group());
      }
    }
    assertEquals(new TreeSet<String>(), missing);
    assertTrue(found > 80, "only " + found + " tests on the page");
  }

  @Test
  void everyRequirementHasATest() throws IOException {
    List<String> bare =
        page()
            .lines()
            .filter(line -> line.startsWith("| ") && !line.startsWith("| ---"))
            .filter(line -> !line.contains("| shown by |"))
            .filter(line -> !TEST.matcher(line).find())
            .toList();
    assertEquals(List.of(), bare);
  }

  private static String page() throws IOException {
    return Files.readString(ROOT.resolve("docs/conformance.md"));
  }

  private static Map<String, String> sources() throws IOException {
    Map<String, String> sources = new HashMap<>();
    for (String module :
        List.of(
            "kron-scheduler",
            "kron-scheduler-testkit",
            "kron-scheduler-micrometer",
            "kron-cluster",
            "kron-scheduler-postgres",
            "kron-scheduler-spring-boot-starter")) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/test/java"))) {
        for (Path file : files.filter(path -> path.toString().endsWith("Test.java")).toList()) {
          String name = file.getFileName().toString().replace(".java", "");
          sources.put(name, Files.readString(file));
        }
      }
    }
    return sources;
  }
}
