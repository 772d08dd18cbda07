package dev.kron.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a registry asks of every module that is published, before a release finds out. */
class PublishedTest {
  private static final Path ROOT = Path.of(System.getProperty("kron.root", ".."));

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
    assertEquals(new TreeSet<String>(), missing);
  }
}
