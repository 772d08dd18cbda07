package dev.kron.architecture;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.kron.architecture.RoomTable.Use;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The house: its packages, called rooms, and how their classes use each other. */
final class Rooms {
  private static final String HOUSE = "dev.kron.";
  private static final Path ROOT = Path.of(System.getProperty("kron.root", ".."));

  private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");
  private static final Pattern IMPORT =
      Pattern.compile("(?m)^import (?:static )?(dev\\.kron\\.[a-z.]+)\\.([A-Z]\\w*)[\\w.]*;");

  private static final Pattern DEPENDENCY =
      Pattern.compile("<dependency>\\s*<groupId>[^<]+</groupId>\\s*<artifactId>([^<]+)<");

  static final Set<String> CORE =
      Set.of("text", "cron", "schedule", "json", "job", "notice", "service");

  private Rooms() {}

  /** Everything the project ships: the main classes of every module, from class path or jar. */
  static JavaClasses classes() {
    return Imported.CLASSES;
  }

  /** Imported once, when first asked for: it takes seconds. */
  private static final class Imported {
    static final JavaClasses CLASSES =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages("dev.kron");
  }

  /** Whether a class is in the package of this short name, or in one below it. */
  static boolean isIn(JavaClass type, String room) {
    String name = type.getPackageName();
    return name.equals(HOUSE + room) || name.startsWith(HOUSE + room + ".");
  }

  /** What ARCHITECTURE.md says. */
  static RoomTable table() {
    try {
      return RoomTable.of(Files.readString(ROOT.resolve("ARCHITECTURE.md")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Which packages there are. */
  static Set<String> packages(JavaClasses classes) {
    return classes.stream().map(JavaClass::getPackageName).collect(Collectors.toSet());
  }

  /**
   * Every class that needs one of another package of the house, once for each such class; and every
   * import, since of a constant nothing else is left in a class.
   */
  static Collection<Use> uses(JavaClasses classes) {
    Map<String, Use> uses = new TreeMap<>();
    for (JavaClass type : classes) {
      for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
        JavaClass target = dependency.getTargetClass().getBaseComponentType();
        String from = type.getPackageName();
        String to = target.getPackageName();
        if (to.startsWith(HOUSE) && !to.equals(from)) {
          uses.putIfAbsent(
              from + " " + target.getName(),
              new Use(from, to, topLevel(target), dependency.getDescription()));
        }
      }
    }
    for (Path source : sources()) {
      imports(source)
          .forEach(use -> uses.putIfAbsent(use.from() + " " + use.to() + "." + use.type(), use));
    }
    return uses.values();
  }

  /** The classes of other packages of the house that a source imports. */
  static Stream<Use> imports(Path source) {
    try {
      String text = Files.readString(source);
      Matcher own = PACKAGE.matcher(text);
      String from = own.find() ? own.group(1) : "";
      return IMPORT
          .matcher(text)
          .results()
          .filter(it -> !it.group(1).equals(from))
          .map(it -> new Use(from, it.group(1), it.group(2), source + ": " + it.group()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String topLevel(JavaClass type) {
    JavaClass outer = type;
    while (outer.getEnclosingClass().isPresent()) {
      outer = outer.getEnclosingClass().get();
    }
    return outer.getSimpleName();
  }

  /** The packages that the sources of all modules of the normal build declare. */
  static Set<String> packagesInSources() {
    return sources().stream()
        .map(file -> String.valueOf(file.getParent()))
        .map(directory -> directory.substring(directory.indexOf("src/main/java/") + 14))
        .map(directory -> directory.replace('/', '.'))
        .collect(Collectors.toSet());
  }

  /** The sources of all modules of the normal build. */
  static List<Path> sources() {
    try (Stream<Path> modules = Files.list(ROOT)) {
      return modules
          .filter(module -> !module.endsWith("kron-bench"))
          .map(module -> module.resolve("src/main/java"))
          .filter(Files::isDirectory)
          .flatMap(Rooms::files)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The artifacts that a module's own file asks for. */
  static List<String> dependencies(String module) throws IOException {
    return DEPENDENCY
        .matcher(Files.readString(ROOT.resolve(module).resolve("pom.xml")))
        .results()
        .map(dependency -> dependency.group(1))
        .toList();
  }

  private static Stream<Path> files(Path source) {
    try (Stream<Path> files = Files.walk(source)) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .filter(file -> !file.endsWith("package-info.java"))
          .toList()
          .stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
