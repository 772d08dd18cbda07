package dev.kron.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a registry asks of every module that is published, before a release finds out. */
class PublishedTest {
  private static final Path ROOT = Path.of(System.getProperty("kron.root", ".."));
  private static final String SHARED_BY_TESTS = "kron-test-support";
  private static final Pattern DEPENDENCY =
      Pattern.compile("<dependency>(.*?)</dependency>", Pattern.DOTALL);

  private static List<Path> published() throws IOException {
    try (Stream<Path> modules = Files.list(ROOT)) {
      return modules
          .map(module -> module.resolve("pom.xml"))
          .filter(Files::isRegularFile)
          .filter(pom -> read(pom).contains("<kron.internal>false<"))
          .sorted()
          .toList();
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException gone) {
      throw new java.io.UncheckedIOException(gone);
    }
  }

  @Test
  void theParentSaysWhoseItIsAndUnderWhatTerms() {
    String parent = read(ROOT.resolve("pom.xml"));
    for (String element :
        List.of("<url>", "<licenses>", "<developers>", "<scm>", "<description>", "<name>")) {
      assertTrue(parent.contains(element), element);
    }
  }

  @Test
  void everyPublishedModuleHasANameADescriptionAJavaModuleAndJava21() throws IOException {
    assertTrue(published().size() >= 6, published().toString());
    for (Path pom : published()) {
      for (String element : List.of("<name>", "<description>", "<maven.compiler.release>21<")) {
        assertTrue(read(pom).contains(element), pom + " has no " + element);
      }
      assertTrue(
          isModule(pom) || read(pom).contains("<Automatic-Module-Name>dev.kron."),
          pom + " is no Java module, and has no name of one");
    }
  }

  /** Whether it has a descriptor, and the build packs it. */
  private static boolean isModule(Path pom) {
    Path descriptor = pom.resolveSibling("src/main/module/module-info.java");
    return Files.exists(descriptor)
        && read(descriptor).contains("module dev.kron.")
        && read(pom).contains("<kron.module.skip>false</kron.module.skip>")
        && read(pom).contains("<artifactId>exec-maven-plugin</artifactId>");
  }

  @Test
  void whatIsPublishedDependsOnNothingThatIsNot() throws IOException {
    TreeSet<String> names =
        published().stream()
            .map(pom -> String.valueOf(pom.getName(pom.getNameCount() - 2)))
            .collect(Collectors.toCollection(TreeSet::new));
    TreeSet<String> missing = new TreeSet<>();
    for (String name : names) {
      missing.addAll(Rooms.dependencies(name));
    }
    missing.removeIf(artifact -> !artifact.startsWith("kron-") || names.contains(artifact));
    missing.remove(SHARED_BY_TESTS); // only for tests, as the next one holds
    assertEquals(new TreeSet<String>(), missing);
  }

  /** A dependency in another scope would be part of a program, or of what callers have to find. */
  @Test
  void whatTestsShareIsForTestsOnly() throws IOException {
    int users = 0;
    try (Stream<Path> modules = Files.list(ROOT)) {
      for (Path pom : modules.map(module -> module.resolve("pom.xml")).toList()) {
        if (Files.isRegularFile(pom)) {
          users += usesForTestsOnly(pom);
        }
      }
    }
    assertTrue(users >= 5, users + " modules");
  }

  private static int usesForTestsOnly(Path pom) {
    int uses = 0;
    for (MatchResult dependency : DEPENDENCY.matcher(read(pom)).results().toList()) {
      String text = dependency.group(1);
      boolean managed = text.contains("<version>${project.version}<");
      if (text.contains("<artifactId>" + SHARED_BY_TESTS + "<") && !managed) {
        assertTrue(text.contains("<scope>test<"), pom::toString);
        uses++;
      }
    }
    return uses;
  }
}
