package dev.kron.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Wiring without knots: constructors take few things, and hand out nothing that is unfinished. */
class ConstructorsTest {
  private static final int MOST_PARAMETERS = 7;

  private static final Pattern MODULES = Pattern.compile("kron-(daemon|process|store)/src");
  private static final Pattern NOT_CODE =
      Pattern.compile("/\\*.*?\\*/|//[^\n]*|\"(?:\\\\.|[^\"\\\\\n])*\"", Pattern.DOTALL);
  private static final Pattern CLASS = Pattern.compile("\\bclass (\\w+)");
  private static final Pattern UNFINISHED = Pattern.compile("\\bthis\\s*(?:,|\\)|::)");

  @Test
  void noConstructorTakesMoreThanSevenThings() {
    var tooMany = new TreeSet<String>();
    for (JavaClass type : Rooms.classes()) {
      // Records are data: their components are counted elsewhere. An enum's are its constants'.
      if (type.isRecord() || type.isEnum() || type.isAnonymousClass() || type.isLocalClass()) {
        continue;
      }
      type.getConstructors().stream()
          .filter(it -> it.getRawParameterTypes().size() > MOST_PARAMETERS)
          .forEach(it -> tooMany.add(it.getFullName()));
    }
    assertEquals(Set.of(), tooMany, "group what belongs together");
  }

  @Test
  void noConstructorHandsOutWhatItBuilds() throws IOException {
    var found = new TreeSet<String>();
    int looked = 0;
    for (Path source : Rooms.sources()) {
      if (MODULES.matcher(source.toString()).find()) {
        String code = NOT_CODE.matcher(Files.readString(source)).replaceAll("");
        Matcher type = CLASS.matcher(code);
        while (type.find()) {
          looked++;
          if (UNFINISHED.matcher(constructors(code, type.group(1))).find()) {
            found.add(source.getFileName() + ": " + type.group(1));
          }
        }
      }
    }
    assertTrue(looked > 100, "classes were found");
    assertEquals(Set.of(), found, "give it the parts that it needs, or a factory");
  }

  /** The bodies of the constructors of a class. */
  private static String constructors(String code, String name) {
    var bodies = new StringBuilder();
    Matcher begin =
        Pattern.compile("\n\\s+(?:public |protected |private )?" + name + "\\([^;{]*\\{")
            .matcher(code);
    while (begin.find()) {
      int depth = 1;
      int end = begin.end();
      for (; depth > 0 && end < code.length(); end++) {
        depth += code.charAt(end) == '{' ? 1 : code.charAt(end) == '}' ? -1 : 0;
      }
      bodies.append(code, begin.end(), end);
    }
    return bodies.toString();
  }
}
