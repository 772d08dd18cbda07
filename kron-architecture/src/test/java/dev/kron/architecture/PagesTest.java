package dev.kron.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Whoever follows a link from page to page arrives somewhere. */
class PagesTest {
  private static final Path ROOT = Path.of(System.getProperty("kron.root", ".."));
  private static final Pattern LINK = Pattern.compile("]\\(([^)#\\s]*)(#[^)\\s]+)?\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ +(.*)$");

  private static List<Path> pages() throws IOException {
    try (Stream<Path> top = Files.list(ROOT);
        Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
      return Stream.concat(top, docs).filter(page -> page.toString().endsWith(".md")).toList();
    }
  }

  @Test
  void everyLinkLeadsToAFileAndAHeading() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path page : pages()) {
      Matcher link = LINK.matcher(Files.readString(page));
      while (link.find()) {
        String target = link.group(1);
        if (target.contains("://")) {
          continue;
        }
        Path file = target.isEmpty() ? page : page.resolveSibling(target).normalize();
        String heading = link.group(2);
        if (!Files.exists(file)) {
          broken.add(page.getFileName() + ": " + target);
        } else if (heading != null && !headings(file).contains(heading.substring(1))) {
          broken.add(page.getFileName() + ": " + target + heading);
        }
      }
    }
    assertEquals(List.of(), broken);
  }

  /** As a renderer names them: small letters, words joined by hyphens, nothing else. */
  private static Set<String> headings(Path page) throws IOException {
    return HEADING
        .matcher(Files.readString(page))
        .results()
        .map(heading -> heading.group(1).toLowerCase(Locale.ROOT).strip())
        .map(text -> text.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
        .collect(Collectors.toSet());
  }

  @Test
  void everyPageCanBeReachedFromTheReadme() throws IOException {
    String readme = Files.readString(ROOT.resolve("README.md"));
    for (Path page : pages()) {
      String name = ROOT.relativize(page).toString();
      assertTrue(name.equals("README.md") || readme.contains("(" + name + ")"), name);
    }
  }
}
