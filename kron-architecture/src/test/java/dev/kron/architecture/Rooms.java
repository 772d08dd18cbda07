package dev.kron.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The table of rooms: a room is a package below {@code dev.kron} with all that is in it, and its
 * doors lead to the rooms that it may depend on.
 */
final class Rooms {
  private static final String HOUSE = "dev.kron.";

  private static final Pattern DEPENDENCY =
      Pattern.compile("<dependency>\\s*<groupId>[^<]+</groupId>\\s*<artifactId>([^<]+)<");

  static final Set<String> CORE = Set.of("text", "cron", "schedule", "json", "job", "service");

  static final Map<String, Set<String>> DOORS =
      Map.ofEntries(
          Map.entry("text", Set.of()),
          Map.entry("cron", Set.of()),
          Map.entry("schedule", Set.of("cron", "text")),
          Map.entry("json", Set.of("text")),
          Map.entry("job", Set.of("schedule", "cron")),
          Map.entry("service", Set.of()),
          Map.entry("config", CORE),
          Map.entry("store", CORE),
          Map.entry("process", Set.of()),
          Map.entry("scheduler", Set.of("cron", "schedule")),
          Map.entry("daemon", with(CORE, "config", "store", "process", "scheduler")),
          Map.entry("simulation", with(CORE, "config", "store", "process", "daemon")),
          Map.entry("cli", with(CORE, "config", "daemon", "simulation")));

  private Rooms() {}

  /** Everything the project ships: the main classes of every module, from class path or jar. */
  static JavaClasses classes() {
    return new ClassFileImporter()
        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
        .withImportOption(location -> !location.contains("-tests.jar"))
        .importPackages("dev.kron");
  }

  /** The room of a class; empty for one that is not in the house. */
  static String of(JavaClass type) {
    String name = type.getPackageName();
    if (!name.startsWith(HOUSE)) {
      return "";
    }
    int end = name.indexOf('.', HOUSE.length());
    return name.substring(HOUSE.length(), end < 0 ? name.length() : end);
  }

  /** The packages that the sources of all modules of the normal build declare. */
  static Set<String> packagesInSources() {
    Path root = Path.of(System.getProperty("kron.root", ".."));
    try (Stream<Path> modules = Files.list(root)) {
      List<Path> sources =
          modules
              .filter(module -> !module.endsWith("kron-bench"))
              .map(module -> module.resolve("src/main/java"))
              .filter(Files::isDirectory)
              .toList();
      return sources.stream().flatMap(Rooms::packages).collect(Collectors.toSet());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The artifacts that a module's own file asks for. */
  static List<String> dependencies(String module) throws IOException {
    Path root = Path.of(System.getProperty("kron.root", ".."));
    return DEPENDENCY
        .matcher(Files.readString(root.resolve(module).resolve("pom.xml")))
        .results()
        .map(dependency -> dependency.group(1))
        .toList();
  }

  private static Stream<String> packages(Path source) {
    try (Stream<Path> files = Files.walk(source)) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .filter(file -> !file.endsWith("package-info.java"))
          .map(file -> source.relativize(file.getParent()).toString().replace('/', '.'))
          .toList()
          .stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Set<String> with(Set<String> rooms, String... more) {
    return Stream.concat(rooms.stream(), Stream.of(more)).collect(Collectors.toUnmodifiableSet());
  }
}
