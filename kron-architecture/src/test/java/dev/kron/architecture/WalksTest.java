package dev.kron.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The walks through the house in ARCHITECTURE.md are short, and lead through what is there. */
class WalksTest {
  private static final Path ROOT = Path.of(System.getProperty("kron.root", ".."));
  private static final Pattern METHOD = Pattern.compile("`([A-Z]\\w+)\\.(\\w+)`");
  private static final int MOST_STEPS = 15;

  private static List<String> walks() throws IOException {
    String page = Files.readString(ROOT.resolve("ARCHITECTURE.md"));
    int begin = page.indexOf("## Three walks");
    String part = page.substring(begin, page.indexOf("\n## ", begin + 1));
    List<String> walks = List.of(part.split("\n### "));
    return walks.subList(1, walks.size());
  }

  @Test
  void everyClassAndMethodIsThere() throws IOException {
    Set<String> methods = new HashSet<>();
    for (JavaClass type : Rooms.classes()) {
      type.getMethods()
          .forEach(method -> methods.add(type.getSimpleName() + "." + method.getName()));
    }
    var missing = new TreeSet<String>();
    for (String walk : walks()) {
      Matcher named = METHOD.matcher(walk);
      while (named.find()) {
        String method = named.group(1) + "." + named.group(2);
        if (!methods.contains(method)) {
          missing.add(method);
        }
      }
    }
    assertEquals(Set.of(), missing);
  }

  @Test
  void noWalkIsLong() throws IOException {
    assertEquals(3, walks().size());
    for (String walk : walks()) {
      long steps = walk.lines().filter(line -> line.matches("\\d+\\. .*")).count();
      assertTrue(steps > 0 && steps <= MOST_STEPS, walk);
    }
  }
}
