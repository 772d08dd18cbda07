package dev.kron.daemon.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * What {@code promtool check rules} would look at, for machines that have none: the shape of the
 * file, the keys of a rule, names, durations, templates, and the syntax of each expression.
 */
class AlertRulesTest {
  private static final Path RULES =
      Path.of(System.getProperty("kron.root", "..")).resolve("docs/kron.rules.yml");

  private static final Pattern LINE = Pattern.compile("( *)(- )?(\\w+):(?: (.+))?");
  private static final Pattern TEMPLATE = Pattern.compile("\\{\\{(.*?)}}");
  private static final Pattern KNOWN_TEMPLATE =
      Pattern.compile(" (\\$labels\\.(instance|job|name|outcome|state)|\\$value( \\| humanize)?) ");
  private static final String DURATION = "(\\d+(ms|[smhdwy]))+";
  private static final String NAME = "[a-zA-Z_][a-zA-Z0-9_]*";

  /** One rule: its keys, and those below labels and annotations as {@code labels.severity}. */
  static List<Map<String, String>> rules() throws IOException {
    List<Map<String, String>> rules = new ArrayList<>();
    String section = "";
    List<String> lines = Files.readAllLines(RULES);
    assertEquals(List.of("groups:", "  - name: krond", "    rules:"), lines.subList(0, 3));
    for (String line : lines.subList(3, lines.size())) {
      if (line.isBlank()) {
        continue;
      }
      Matcher parts = LINE.matcher(line);
      assertTrue(parts.matches(), line);
      int indent = parts.group(1).length();
      String key = parts.group(3);
      String value = parts.group(4);
      if (parts.group(2) != null) {
        assertEquals(6, indent, line);
        rules.add(new LinkedHashMap<>());
        section = "";
      } else if (indent == 8) {
        section = value == null ? key + "." : "";
      } else {
        assertEquals(10, indent, line);
        assertTrue(!section.isEmpty() && value != null, line);
      }
      String path = indent == 10 ? section + key : key;
      if (value != null) {
        assertTrue(rules.getLast().put(path, scalar(value)) == null, line + ": twice");
      }
    }
    return rules;
  }

  /** As YAML reads it: quoted, or plain without what would mean something else there. */
  private static String scalar(String value) {
    if (value.startsWith("\"")) {
      assertTrue(value.length() > 1 && value.endsWith("\""), value);
      String inner = value.substring(1, value.length() - 1);
      assertTrue(!inner.contains("\"") && !inner.contains("\\"), value);
      return inner;
    }
    assertTrue(!value.contains(": ") && !value.contains(" #"), value);
    assertTrue("{}[]&*!|>'%@`,?".indexOf(value.charAt(0)) < 0, value);
    return value;
  }

  @Test
  void areRulesWithNamesDurationsLabelsAndAnnotations() throws IOException {
    Set<String> names = new HashSet<>();
    for (Map<String, String> rule : rules()) {
      String name = rule.getOrDefault("alert", "");
      assertTrue(name.matches(NAME), rule::toString);
      assertTrue(names.add(name), name + " is there twice");
      assertTrue(rule.containsKey("expr"), rule::toString);
      assertTrue(rule.getOrDefault("for", "1m").matches(DURATION), rule::toString);
      assertTrue(
          Set.of("critical", "warning").contains(rule.getOrDefault("labels.severity", "")), name);
      assertTrue(rule.containsKey("annotations.summary"), name);
      for (Map.Entry<String, String> entry : rule.entrySet()) {
        assertTrue(
            entry.getKey().matches("alert|expr|for|labels\\.severity|annotations\\." + NAME),
            name + ": " + entry.getKey());
        Matcher templates = TEMPLATE.matcher(entry.getValue());
        while (templates.find()) {
          String template = templates.group(1);
          assertTrue(KNOWN_TEMPLATE.matcher(template).matches(), name + ": " + template);
        }
      }
    }
    assertTrue(names.size() > 5, names::toString);
  }

  @Test
  void everyExpressionIsOneThatPrometheusUnderstands() throws IOException {
    for (Map<String, String> rule : rules()) {
      String expression = rule.getOrDefault("expr", "");
      assertEquals(PromQl.Type.VECTOR, PromQl.typeOf(expression), expression);
    }
  }

  /** The judge itself, where there is one: in Debian it comes with the package prometheus. */
  @Test
  void promtoolAcceptsThem() throws Exception {
    Path promtool = Path.of("/usr/bin/promtool");
    assumeTrue(Files.isExecutable(promtool), "needs promtool");
    Process process =
        new ProcessBuilder(promtool.toString(), "check", "rules", "--lint=all", RULES.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), said);
  }

  @Test
  void theCheckSeesMistakes() {
    for (String wrong :
        List.of(
            "",
            "sum(",
            "sum by instance (a)",
            "rate(a)",
            "increase(a[15])",
            "a[5m]",
            "a{b=c}",
            "a > ",
            "a and 1",
            "time() > 1",
            "nonsense(a)",
            "histogram_quantile(a, b)",
            "a{b=\"c\"} b")) {
      assertThrows(
          IllegalArgumentException.class,
          () -> {
            if (PromQl.typeOf(wrong) != PromQl.Type.VECTOR) {
              throw new IllegalArgumentException("not a vector");
            }
          },
          wrong);
    }
  }
}
