package dev.kron.scheduler.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What editors say of the application's properties is what the page says of them. */
class PropertiesPageTest {
  private static final Path ROOT = Path.of(System.getProperty("kron.root", ".."));
  private static final String METADATA = "META-INF/spring-configuration-metadata.json";
  private static final String POSTGRES = "kron.scheduler.postgres.";

  /** An object of the metadata without objects in it, which a property is. */
  private static final Pattern PROPERTY =
      Pattern.compile("\\{[^{}]*\"name\": \"(kron\\.scheduler\\.[a-z.-]+)\"[^{}]*\"type\"[^{}]*}");

  private static String metadata() throws IOException {
    ClassLoader loader = PropertiesPageTest.class.getClassLoader();
    try (InputStream in = Objects.requireNonNull(loader.getResourceAsStream(METADATA), METADATA)) {
      return new String(in.readAllBytes(), UTF_8);
    }
  }

  @Test
  void everyPropertyIsDescribedToEditorsAndOnThePage() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/scheduler.md"));
    var names = new TreeSet<String>();
    for (MatchResult property : PROPERTY.matcher(metadata()).results().toList()) {
      String name = property.group(1);
      if (name.equals("kron.scheduler.postgres")) {
        continue; // a group
      }
      names.add(name);
      assertTrue(property.group().contains("\"description\": \""), name);
      boolean named =
          page.contains("`" + name + "`")
              || (name.startsWith(POSTGRES)
                  && page.contains("`." + name.substring(POSTGRES.length()) + "`"));
      assertTrue(named, name + " is not in docs/scheduler.md");
    }
    assertEquals(13, names.size(), names::toString);
  }
}
