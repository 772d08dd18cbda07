package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The pages of rules name tests that exist, and leave no rule without one. */
class RulesPagesTest {
  private static final Path ROOT = Path.of(System.getProperty("kron.root", ".."));
  private static final Pattern TEST = Pattern.compile("`(\\w+Test)\\.(\\w+)`");

  @ParameterizedTest
  @CsvSource({
    "krond-rules.md, 200",
    "service-rules.md, 90",
    "job-rules.md, 40",
    "dashboard.md, 25",
    "attacks.md, 90"
  })
  void everyTestOnThePageExists(String page, int atLeast) throws IOException {
    Map<String, String> sources = sources();
    var missing = new TreeSet<String>();
    Matcher tests = TEST.matcher(text(page));
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
    assertTrue(found >= atLeast, "only " + found + " tests on the page");
  }

  /** Without the arguments of annotations, which may hold anything. */
  private static String annotationsAlone(String source) {
    return source.replaceAll(
        "(?s)@(ValueSource|EnumSource|MethodSource|CsvSource)\\(.*?\\)\\n(?= {2,4}(@|void|Stream))",
        "");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "krond-rules.md",
        "service-rules.md",
        "job-rules.md",
        "dashboard.md",
        "attacks.md"
      })
  void everyRuleHasATest(String page) throws IOException {
    List<String> bare =
        text(page)
            .lines()
            .filter(line -> line.startsWith("| ") && !line.startsWith("| ---"))
            .filter(line -> !line.contains("| shown by |"))
            .filter(line -> !TEST.matcher(line).find())
            .toList();
    assertEquals(List.of(), bare);
  }

  /** The contracts and invariants that have tests of their own stand on the page, and no other. */
  @Test
  void thePageHasEveryInvariantAndContract() throws IOException {
    Set<String> tested = new TreeSet<>();
    Pattern.compile("void (inv|ctr)(\\d{4})_")
        .matcher(sources().getOrDefault("PersistedStateTest", ""))
        .results()
        .forEach(id -> tested.add(id.group(1).toUpperCase(Locale.ROOT) + "-" + id.group(2)));
    Set<String> written = new TreeSet<>();
    Pattern.compile("(?m)^\\| ((INV|CTR)-\\d{4}):")
        .matcher(text("service-rules.md"))
        .results()
        .forEach(id -> written.add(id.group(1)));
    assertEquals(tested, written);
    assertEquals(19, written.size());
  }

  private static String text(String page) throws IOException {
    return Files.readString(ROOT.resolve("docs").resolve(page));
  }

  private static Map<String, String> sources() throws IOException {
    Map<String, String> sources = new HashMap<>();
    for (String module :
        List.of(
            "kron-cron",
            "kron-core",
            "kron-config",
            "kron-store",
            "kron-notify",
            "kron-process",
            "kron-daemon",
            "kron-simulation",
            "kron-cli",
            "kron-web",
            "kron-browser-tests")) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/test/java"))) {
        for (Path file : files.filter(path -> path.toString().endsWith("Test.java")).toList()) {
          String name = file.getFileName().toString().replace(".java", "");
          // Two modules may each have a test of this name: either may have the method.
          sources.merge(name, Files.readString(file), String::concat);
        }
      }
    }
    return sources;
  }
}
