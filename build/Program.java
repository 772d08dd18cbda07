import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Lays out what {@code ./kron} starts: the program's jar under a name that holds its hash, and AOT
 * caches, for the commands and for the daemon, under names that hold the jar's hash and the JVM's
 * build. A JVM does not notice that a jar changed under its cache and would run the old code; with
 * these names it cannot happen, and a build never touches a file that a running program has mapped.
 *
 * <p>Arguments: the jar, the directory, the time at which the build began. The file {@code current}
 * names the hash to start and carries the build's begin as its time, so that the launcher sees
 * sources that were changed since.
 */
final class Program {
  /** The launcher starts with the same flags; a cache made with others is refused. */
  private static final List<String> FLAGS =
      List.of(
          "-XX:TieredStopAtLevel=1",
          "-XX:+UseSerialGC",
          "-Djdk.reflect.useNativeAccessorOnly=true");

  private static final List<String> DAEMON_FLAGS =
      List.of(
          "-XX:TieredStopAtLevel=1",
          "-XX:+UseSerialGC",
          "-XX:+UseCompactObjectHeaders",
          "--enable-native-access=ALL-UNNAMED");

  private static final int TRAINING_SECONDS = 120;

  private final Path jar;
  private final Path directory;
  private final Path java = Path.of(System.getProperty("java.home"), "bin", "java");

  private Program(Path jar, Path directory) {
    this.jar = jar;
    this.directory = directory;
  }

  public static void main(String[] arguments) throws Exception {
    var program = new Program(Path.of(arguments[0]), Path.of(arguments[1]));
    program.layOut(Instant.parse(arguments[2]));
  }

  private void layOut(Instant begin) throws Exception {
    Files.createDirectories(directory);
    String hash = hash().substring(0, 16);
    Path target = directory.resolve("kron-" + hash + ".jar");
    if (!Files.exists(target)) {
      place(jar, target);
    }
    String cache = "kron-" + hash + "-" + runtime();
    train(target, directory.resolve(cache + ".aot"), FLAGS, "dev.kron.cli.Training");
    train(
        target,
        directory.resolve(cache + "-run.aot"),
        DAEMON_FLAGS,
        "dev.kron.daemon.DaemonTraining");
    Path note = Files.createTempFile(directory, "current", ".new");
    Files.writeString(note, hash + "\n" + System.getProperty("java.home") + "\n");
    Files.setPosixFilePermissions(note, Files.getPosixFilePermissions(jar));
    Files.setLastModifiedTime(note, FileTime.from(begin));
    Files.move(note, directory.resolve("current"), StandardCopyOption.ATOMIC_MOVE);
    removeOthers(hash);
  }

  private String hash() throws Exception {
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(jar));
    return HexFormat.of().formatHex(digest);
  }

  private static void place(Path source, Path target) throws IOException {
    Path copy = target.resolveSibling(target.getFileName() + ".new");
    Files.copy(source, copy, StandardCopyOption.REPLACE_EXISTING);
    Files.move(copy, target, StandardCopyOption.ATOMIC_MOVE);
  }

  /** The JVM's build as the launcher reads it, from the JDK's own description of itself. */
  private static String runtime() throws IOException {
    var release = new Properties();
    try (InputStream in =
        Files.newInputStream(Path.of(System.getProperty("java.home"), "release"))) {
      release.load(in);
    }
    return Stream.of("JAVA_RUNTIME_VERSION", "OS_ARCH")
        .map(key -> release.getProperty(key, "").replace("\"", ""))
        .reduce((version, arch) -> version + "-" + arch)
        .orElseThrow();
  }

  /** A program without a cache is slower, not broken: a failed training is told, nothing more. */
  private void train(Path program, Path cache, List<String> flags, String main) throws Exception {
    if (Files.exists(cache)) {
      return;
    }
    Path unfinished = directory.resolve(cache.getFileName() + ".new");
    Path log = directory.resolve(main + ".log");
    List<String> command = new ArrayList<>();
    command.add(java.toString());
    command.addAll(flags);
    command.add("-XX:AOTCacheOutput=" + unfinished);
    command.addAll(List.of("-cp", program.toString(), main));
    Process training =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    boolean ended = training.waitFor(TRAINING_SECONDS, TimeUnit.SECONDS);
    if (!ended) {
      training.destroyForcibly();
    }
    if (ended && training.exitValue() == 0 && Files.exists(unfinished)) {
      Files.move(unfinished, cache, StandardCopyOption.ATOMIC_MOVE);
    } else {
      System.err.println("No AOT cache was made, kron will start slower; see " + log);
    }
  }

  /** Whoever runs an older program keeps it: its files stay open. */
  private void removeOthers(String hash) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        if (name.startsWith("kron-") && !name.startsWith("kron-" + hash)) {
          Files.deleteIfExists(file);
        }
      }
    }
  }
}
