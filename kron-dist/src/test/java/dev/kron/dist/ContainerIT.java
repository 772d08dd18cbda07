package dev.kron.dist;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The image of examples/container, without an engine: its file system is put together as the recipe
 * says, on the programs of this machine, and entered in namespaces of its own.
 */
class ContainerIT {
  private static final Path ROOT = Path.of(System.getProperty("kron.root", "..")).toAbsolutePath();
  private static final Path RECIPE = ROOT.resolve("examples/container");

  @TempDir Path directory;
  private Path rootfs;
  private Path volume;
  private int started;

  @BeforeEach
  void build() throws Exception {
    rootfs = Files.createDirectory(directory.resolve("rootfs"));
    volume = Files.createDirectory(directory.resolve("volume"));
    Files.setPosixFilePermissions(volume, PosixFilePermissions.fromString("rwx------"));
    for (String each : List.of("usr", "etc", "var/lib/krond", "tmp", "proc", "dev", "run", "opt")) {
      Files.createDirectories(rootfs.resolve(each));
    }
    for (String each : List.of("bin", "sbin", "lib", "lib64")) {
      Files.createSymbolicLink(rootfs.resolve(each), Path.of("usr", each));
    }
    Files.writeString(rootfs.resolve("etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n");
    Files.writeString(rootfs.resolve("etc/group"), "root:x:0:\n");
    try (Stream<Path> files = Files.list(ROOT.resolve("dist"))) {
      Path archive =
          files.filter(file -> file.toString().endsWith(".tar.gz")).findFirst().orElseThrow();
      new Shell(directory)
          .with("PATH", "/usr/bin:/bin")
          .run(
              "tar",
              "--extract",
              "--gzip",
              "--no-same-owner",
              "--directory=" + rootfs.resolve("opt"),
              "--file=" + archive);
    }
    try (Stream<Path> unpacked = Files.list(rootfs.resolve("opt"))) {
      Files.move(unpacked.findFirst().orElseThrow(), rootfs.resolve("opt/kron"));
    }
    Path config = Files.createDirectory(rootfs.resolve("etc/krond.d"));
    try (Stream<Path> files = Files.list(RECIPE.resolve("krond.d"))) {
      for (Path file : files.toList()) {
        Path copy = config.resolve(file.getFileName());
        Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
        Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rw-r--r--"));
      }
    }
  }

  /** The words of the recipe's ENTRYPOINT. */
  private static List<String> entrypoint() throws Exception {
    String line =
        Files.readAllLines(RECIPE.resolve("Containerfile")).stream()
            .filter(each -> each.startsWith("ENTRYPOINT "))
            .findFirst()
            .orElseThrow();
    return Arrays.stream(line.substring(line.indexOf('[') + 1, line.lastIndexOf(']')).split(","))
        .map(word -> word.strip().replace("\"", ""))
        .toList();
  }

  private static List<String> namespaces() {
    List<String> words = new ArrayList<>(List.of("unshare"));
    if (!"root".equals(System.getProperty("user.name"))) {
      words.addAll(List.of("--user", "--map-root-user"));
    }
    words.addAll(List.of("--mount", "--pid", "--fork", "--kill-child", "/bin/sh", "-c"));
    return words;
  }

  private Process start(Path output) throws Exception {
    String mounts =
        """
        set -e
        cd "$1"; volume=$2; shift 2
        mount --rbind /usr usr
        mount --rbind /dev dev
        mount --bind "$volume" var/lib/krond
        mount -t proc proc proc
        exec chroot . "$@"
        """;
    List<String> words = new ArrayList<>(namespaces());
    words.addAll(List.of(mounts, "container", rootfs.toString(), volume.toString()));
    words.addAll(entrypoint());
    Shell shell = new Shell(directory).with("PATH", "/usr/bin:/bin:/usr/sbin:/sbin");
    return shell.start(output, words);
  }

  private Path output() {
    return directory.resolve("output" + ++started);
  }

  private static ProcessHandle first(Process container) throws InterruptedException {
    Shell.await(() -> container.children().count() == 1, () -> "the container's first process");
    return container.children().findFirst().orElseThrow();
  }

  private static int end(Process container) throws InterruptedException {
    assertTrue(container.waitFor(60, TimeUnit.SECONDS), "the container did not end");
    return container.exitValue();
  }

  @Test
  void isStoppedStartedAgainWithItsVolumeAndEndsWithItsService() throws Exception {
    assumeTrue(Files.isSymbolicLink(Path.of("/bin")), "needs a machine whose /bin is /usr/bin");
    List<String> probe = new ArrayList<>(namespaces());
    probe.add("mount -t proc proc /proc");
    assumeTrue(
        new ProcessBuilder(probe)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("probe").toFile())
                .start()
                .waitFor()
            == 0,
        "needs root, or the right to make user namespaces");

    Path log = output();
    Process container = start(log);
    try {
      Shell.awaitLine(log, "[web] listening as pid ");
      first(container).destroy(); // TERM, as an engine's stop sends it
      assertEquals(0, end(container));
      assertTrue(Files.readString(log, UTF_8).contains("event=stopped"));

      log = output();
      container = start(log);
      Shell.awaitLine(log, "[web] listening as pid ");
      String said = Files.readString(log, UTF_8);
      assertFalse(said.contains("event=file_missing") || said.contains("new=1"), said);
      Files.createFile(rootfs.resolve("tmp/fail"));
      assertEquals(7, end(container), () -> "not the exit code of web");
    } finally {
      container.destroyForcibly();
    }
  }
}
