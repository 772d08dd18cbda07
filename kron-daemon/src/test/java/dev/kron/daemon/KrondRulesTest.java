package dev.kron.daemon;

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

/** docs/krond-rules.md names tests that exist, and leaves no rule without one. */
class KrondRulesTest {
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
      // Test methods stand at the level of a class or of a nested one; helpers are private.
      Pattern method =
          Pattern.compile(
              "@(Test|ParameterizedTest|TestFactory)\\n[^;{}]*?\\b(void|Stream<DynamicTest>) "
                  + tests.group(2)
                  + "\\(",
              Pattern.DOTALL);
      String source = sources.getOrDefault(tests.group(1), "");
      if (!method.matcher(annotationsAlone(source)).find()) {
        missing.add(tests.group());
      }
    }
    assertEquals(new TreeSet<String>(), missing);
    assertTrue(found > 200, "only " + found + " tests on the page");
  }

  /** Without the arguments of annotations, which may hold anything. */
  private static String annotationsAlone(String source) {
    return source.replaceAll(
        "(?s)@(ValueSource|EnumSource|MethodSource|CsvSource)\\(.*?\\)\\n", "");
  }

  @Test
  void everyRuleHasATest() throws IOException {
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
    return Files.readString(ROOT.resolve("docs/krond-rules.md"));
  }

  private static Map<String, String> sources() throws IOException {
    Map<String, String> sources = new HashMap<>();
    for (String module :
        List.of(
            "kron-cron",
            "kron-core",
            "kron-config",
            "kron-store",
            "kron-process",
            "kron-daemon",
            "kron-simulation",
            "kron-cli")) {
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
