package dev.kron.web.packing;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/** Other people's modules, in jars on the class path, by the names that imports have for them. */
final class Libraries {
  private static final Pattern PACKAGE =
      Pattern.compile("META-INF/resources/webjars/[^/]+/[^/]+/package\\.json");
  private static final Pattern NAME = Pattern.compile("(?m)^ {2}\"name\": \"([^\"]+)\"");
  private static final Pattern MAIN = Pattern.compile("(?m)^ {2}\"main\": \"([^\"]+)\"");
  private static final Pattern MAP = Pattern.compile("(?m)^//# sourceMappingURL=.*$");

  private final Map<String, Library> libraries = new HashMap<>();

  private record Library(Path jar, String root, String main) {}

  /**
   * Finds them.
   *
   * @param classPath jars; whatever else stands there is passed over
   */
  static Libraries on(String classPath) throws IOException {
    var found = new Libraries();
    for (String entry : classPath.split(File.pathSeparator)) {
      Path jar = Path.of(entry);
      if (entry.endsWith(".jar") && Files.isRegularFile(jar)) {
        found.add(jar);
      }
    }
    return found;
  }

  private void add(Path jar) throws IOException {
    try (var zip = new ZipFile(jar.toFile())) {
      for (ZipEntry entry : (Iterable<ZipEntry>) zip.stream().<ZipEntry>map(it -> it)::iterator) {
        if (PACKAGE.matcher(entry.getName()).matches()) {
          String text = text(zip, entry);
          String root = entry.getName().replace("package.json", "");
          libraries.put(first(NAME, text, jar), new Library(jar, root, first(MAIN, text, jar)));
        }
      }
    }
  }

  private static String first(Pattern pattern, String text, Path jar) throws IOException {
    Matcher matcher = pattern.matcher(text);
    if (!matcher.find()) {
      throw new IOException(jar + ": its package.json has no " + pattern);
    }
    return matcher.group(1);
  }

  /** The path of a bare import: {@code name/file}; null where there is no such library. */
  @Nullable String path(String bare) {
    String name = name(bare);
    Library library = libraries.get(name);
    if (library == null) {
      return null;
    }
    return bare.equals(name) ? name + "/" + library.main : bare;
  }

  /**
   * The text of a file of a library, null where there is none.
   *
   * @param path {@code name/file}
   */
  @Nullable String read(String path) throws IOException {
    String name = name(path);
    Library library = libraries.get(name);
    if (library == null) {
      return null;
    }
    try (var zip = new ZipFile(library.jar.toFile())) {
      ZipEntry entry = zip.getEntry(library.root + path.substring(name.length() + 1));
      return entry == null ? null : MAP.matcher(text(zip, entry)).replaceAll("").strip() + "\n";
    }
  }

  private static String text(ZipFile zip, ZipEntry entry) throws IOException {
    try (var in = zip.getInputStream(entry)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** The first part, or the first two of a name with a scope. */
  private static String name(String bare) {
    int slash = bare.indexOf('/', bare.startsWith("@") ? bare.indexOf('/') + 1 : 0);
    return slash < 0 ? bare : bare.substring(0, slash);
  }
}
