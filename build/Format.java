import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.googlejavaformat.java.Formatter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.Stream;

/**
 * Checks ("check") or applies ("apply") google-java-format to every Java file below a directory.
 * Run by the build on the toolchain's own java: the formatter needs the compiler it formats for.
 *
 * <p>The hashes of texts that were found formatted are kept in a file, a line each, so that the
 * next build formats only what has changed. The file is of one version of the formatter.
 */
class Format {
  private final boolean apply;
  private final Path root;
  private final Path known;
  private final Set<String> before;
  private final Set<String> formatted = new ConcurrentSkipListSet<>();
  private final Set<Path> different = new ConcurrentSkipListSet<>();

  private Format(boolean apply, Path root, Path known) throws IOException {
    this.apply = apply;
    this.root = root;
    this.known = known;
    this.before = Files.exists(known) ? new HashSet<>(Files.readAllLines(known)) : Set.of();
  }

  public static void main(String[] args) throws IOException {
    var format = new Format(args[0].equals("apply"), Path.of(args[1]), Path.of(args[2]));
    if (!format.all()) {
      System.exit(1);
    }
  }

  /** Whether every file is formatted, now or by this. */
  private boolean all() throws IOException {
    List<Path> sources;
    try (Stream<Path> files = Files.walk(root)) {
      sources =
          files
              .filter(file -> file.toString().endsWith(".java"))
              .filter(file -> !root.relativize(file).toString().matches("(.*/)?(target|\\..*)/.*"))
              .toList();
    }
    sources.parallelStream().forEach(this::format);
    if (!before.equals(formatted)) {
      Path draft = Files.createTempFile(known.getParent(), "formatted", ".new");
      Files.write(draft, formatted);
      Files.move(draft, known, StandardCopyOption.ATOMIC_MOVE);
    }
    if (apply || different.isEmpty()) {
      return true;
    }
    different.forEach(file -> System.err.println("not formatted: " + root.relativize(file)));
    System.err.println("Run: mvn -q initialize -Pformat");
    return false;
  }

  private void format(Path file) {
    try {
      String text = Files.readString(file);
      String hash = hash(text);
      if (before.contains(hash)) {
        formatted.add(hash);
        return;
      }
      String result = new Formatter().formatSourceAndFixImports(text);
      if (result.equals(text)) {
        formatted.add(hash);
        return;
      }
      different.add(file);
      if (apply) {
        Files.writeString(file, result);
      }
    } catch (Exception e) {
      System.err.println(file + ": " + e.getMessage());
      different.add(file);
    }
  }

  private static String hash(String text) throws NoSuchAlgorithmException {
    return HexFormat.of()
        .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)));
  }
}
