import com.google.googlejavaformat.java.Formatter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.Stream;

/**
 * Checks ("check") or applies ("apply") google-java-format to every Java file below a directory.
 * Run by the build on the toolchain's own java: the formatter needs the compiler it formats for.
 */
class Format {
  public static void main(String[] args) throws IOException {
    boolean apply = args[0].equals("apply");
    Path root = Path.of(args[1]);
    List<Path> sources;
    try (Stream<Path> files = Files.walk(root)) {
      sources =
          files
              .filter(file -> file.toString().endsWith(".java"))
              .filter(file -> !root.relativize(file).toString().matches("(.*/)?(target|\\..*)/.*"))
              .toList();
    }
    var different = new ConcurrentSkipListSet<Path>();
    sources.parallelStream().forEach(file -> format(file, apply, different));
    if (!apply && !different.isEmpty()) {
      different.forEach(file -> System.err.println("not formatted: " + root.relativize(file)));
      System.err.println("Run: mvn -q initialize -Pformat");
      System.exit(1);
    }
  }

  private static void format(Path file, boolean apply, ConcurrentSkipListSet<Path> different) {
    try {
      String text = Files.readString(file);
      String formatted = new Formatter().formatSourceAndFixImports(text);
      if (!formatted.equals(text)) {
        different.add(file);
        if (apply) {
          Files.writeString(file, formatted);
        }
      }
    } catch (Exception e) {
      System.err.println(file + ": " + e.getMessage());
      different.add(file);
    }
  }
}
