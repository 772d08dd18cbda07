import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Lays out what is given to people: the program, a Java that holds just what it needs, completions,
 * man pages, a unit for systemd, examples and documentation; and packs it as {@code
 * dist/kron-<version>.tar.gz}.
 *
 * <p>Arguments: the root of the checkout, the program's jar, the version, a directory to work in.
 */
final class Distribution {
  /** Beyond what the class files name: signals, and encryption for probes of https addresses. */
  private static final List<String> UNNAMED_MODULES = List.of("jdk.unsupported", "jdk.crypto.ec");

  /** The module that mail names for pictures, which nobody sends, and the part that texts need. */
  private static final String PICTURES = "java.desktop";

  private static final String TEXTS = "java.datatransfer";

  /** The JDK's tools live for seconds: optimising them costs more than it gains. */
  private static final List<String> SHORT_LIVED =
      List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC");

  private final Path root;
  private final Path jar;
  private final Path stage;
  private final Path jdk = Path.of(System.getProperty("java.home"));

  private Distribution(Path root, Path jar, Path stage) {
    this.root = root;
    this.jar = jar;
    this.stage = stage;
  }

  public static void main(String[] arguments) throws Exception {
    Path root = Path.of(arguments[0]);
    String name = "kron-" + arguments[2];
    Path work = Path.of(arguments[3]);
    var distribution = new Distribution(root, Path.of(arguments[1]), work.resolve(name));
    distribution.layOut();
    distribution.pack(root.resolve("dist").resolve(name + ".tar.gz"));
  }

  private void layOut() throws Exception {
    remove(stage);
    Files.createDirectories(stage);
    copy(root.resolve("kron-dist/src/layout"), stage);
    Files.createSymbolicLink(stage.resolve("bin/krond"), Path.of("kron"));
    Files.createDirectories(stage.resolve("lib"));
    copy(jar, stage.resolve("lib/kron.jar"));
    copy(root.resolve("build/launch"), stage.resolve("lib/launch"));
    runtime(stage.resolve("lib/runtime"));
    train();
    Path share = stage.resolve("share");
    for (String file : List.of("README.md", "CHANGELOG.md", "LICENSE", "docs")) {
      copy(root.resolve(file), share.resolve("doc/kron/" + file));
    }
    try (Stream<Path> examples = Files.list(root.resolve("examples"))) {
      for (Path example : examples.filter(Files::isRegularFile).toList()) {
        copy(example, share.resolve("doc/kron/examples/" + example.getFileName()));
      }
    }
    write(share.resolve("bash-completion/completions/kron"), kron("completion", "bash"));
    write(share.resolve("bash-completion/completions/krond"), kron("completion", "bash"));
    write(share.resolve("zsh/site-functions/_kron"), kron("completion", "zsh"));
    write(share.resolve("fish/vendor_completions.d/kron.fish"), kron("completion", "fish"));
    write(share.resolve("fish/vendor_completions.d/krond.fish"), kron("completion", "fish"));
    run(
        List.of(
            java(),
            "-cp",
            jar.toString(),
            "dev.kron.cli.ManPages",
            share + "/man",
            root + "/docs"));
    readable();
  }

  private void runtime(Path target) throws Exception {
    String named =
        tool(
                "jdeps",
                "--ignore-missing-deps",
                "--multi-release",
                "25",
                "--print-module-deps",
                jar.toString())
            .strip();
    var modules = new TreeSet<>(List.of(named.split(",")));
    modules.addAll(UNNAMED_MODULES);
    if (modules.remove(PICTURES)) {
      modules.add(TEXTS);
    }
    tool(
        "jlink",
        "--add-modules",
        String.join(",", modules),
        "--strip-debug",
        "--no-man-pages",
        "--no-header-files",
        "--compress",
        "zip-9",
        "--output",
        target.toString());
    strip(target.resolve("lib"));
  }

  /** Runs a tool of the JDK, and gives back what it printed. */
  private String tool(String name, String... words) throws Exception {
    var command = new ArrayList<>(List.of(jdk.resolve("bin").resolve(name).toString()));
    command.addAll(SHORT_LIVED);
    command.addAll(List.of(words));
    return run(command);
  }

  /** Takes out names that only a debugger needs; without the tool the packages are larger. */
  private static void strip(Path libraries) throws Exception {
    Path tool = Path.of("/usr/bin/strip");
    if (!Files.isExecutable(tool)) {
      return;
    }
    try (Stream<Path> files = Files.walk(libraries)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".so")).toList()) {
        boolean writable = file.toFile().setWritable(true);
        if (!writable) {
          throw new IOException(file + " cannot be made writable");
        }
        run(List.of(tool.toString(), "--strip-unneeded", file.toString()));
      }
    }
  }

  /** With the flags of the launcher, as the program in a checkout is trained. */
  private void train() throws Exception {
    train("lib/kron.aot", "dev.kron.cli.Training", "-Djdk.reflect.useNativeAccessorOnly=true");
    train(
        "lib/kron-run.aot",
        "dev.kron.daemon.DaemonTraining",
        "-XX:+UseCompactObjectHeaders",
        "--enable-native-access=ALL-UNNAMED");
  }

  private void train(String cache, String main, String... flags) throws Exception {
    var command = new ArrayList<>(List.of(java(), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of(flags));
    command.add("-XX:AOTCacheOutput=" + stage.resolve(cache));
    command.addAll(List.of("-cp", stage.resolve("lib/kron.jar").toString(), main));
    run(command);
  }

  private String java() {
    return stage.resolve("lib/runtime/bin/java").toString();
  }

  private String kron(String... words) throws Exception {
    var command = new ArrayList<>(List.of(stage.resolve("bin/kron").toString()));
    command.addAll(List.of(words));
    return run(command);
  }

  private void pack(Path archive) throws Exception {
    Files.createDirectories(archive.getParent());
    Path unfinished = archive.resolveSibling(archive.getFileName() + ".new");
    run(
        List.of(
            "tar",
            "--create",
            "--gzip",
            "--file=" + unfinished,
            "--owner=0",
            "--group=0",
            "--numeric-owner",
            "--directory=" + stage.getParent(),
            stage.getFileName().toString()));
    Files.move(unfinished, archive, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Whatever the umask of whoever builds: everyone may read, nobody else may write. */
  private void readable() throws IOException {
    try (Stream<Path> files = Files.walk(stage)) {
      for (Path file : files.filter(file -> !Files.isSymbolicLink(file)).toList()) {
        boolean executable = Files.isDirectory(file) || Files.isExecutable(file);
        Files.setPosixFilePermissions(
            file, PosixFilePermissions.fromString(executable ? "rwxr-xr-x" : "rw-r--r--"));
      }
    }
  }

  private static void write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to.getParent());
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Path target = to.resolve(from.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(target);
        } else {
          Files.copy(file, target, StandardCopyOption.COPY_ATTRIBUTES);
        }
      }
    }
  }

  private static void remove(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path left, IOException e) throws IOException {
            Files.delete(left);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  /** Runs a command to its end, and gives back what it printed. */
  private static String run(List<String> command) throws Exception {
    Path errors = Files.createTempFile("kron-dist", ".log");
    try {
      Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
      process.getOutputStream().close();
      String out = new String(process.getInputStream().readAllBytes());
      if (process.waitFor() != 0) {
        throw new IOException(
            String.join(" ", command) + " failed:\n" + Files.readString(errors) + out);
      }
      return out;
    } finally {
      Files.delete(errors);
    }
  }
}
