package dev.kron.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The package, installed by dpkg into a tree of its own. */
class DebianPackageIT {
  private static final Path ROOT = Path.of(System.getProperty("kron.root", "..")).toAbsolutePath();

  @TempDir Path directory;
  private Path system;
  private Path deb;
  private Shell shell;

  @BeforeEach
  void prepare() throws IOException {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    assumeTrue(Shell.has("dpkg") && Shell.has("dpkg-deb"), "needs dpkg");
    system = Files.createDirectory(directory.resolve("system"));
    Path admin = Files.createDirectories(system.resolve("var/lib/dpkg"));
    Files.createDirectories(admin.resolve("updates"));
    Files.createDirectories(admin.resolve("info"));
    Files.createFile(admin.resolve("status"));
    Files.createFile(admin.resolve("available"));
    shell = new Shell(directory).with("PATH", "/usr/bin:/bin:/usr/sbin:/sbin");
    try (Stream<Path> files = Files.list(ROOT.resolve("dist"))) {
      deb = files.filter(file -> file.toString().endsWith(".deb")).findFirst().orElseThrow();
    }
  }

  private void dpkg(String... words) throws Exception {
    var command =
        new java.util.ArrayList<>(
            List.of(
                "dpkg",
                "--root=" + system,
                "--log=" + directory.resolve("dpkg.log"),
                "--force-not-root",
                "--force-script-chrootless",
                "--force-depends",
                "--force-unsafe-io"));
    command.addAll(List.of(words));
    shell.run(command.toArray(String[]::new));
  }

  /** What a tree holds, dpkg's own books excepted. */
  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.walk(system)) {
      return files
          .filter(file -> !Files.isDirectory(file) || Files.isSymbolicLink(file))
          .map(file -> system.relativize(file).toString())
          .filter(name -> !name.startsWith("var/lib/dpkg"))
          .toList();
    }
  }

  @Test
  void installsUpgradesWithoutEndingAJobOrServiceAndRemovesCleanly() throws Exception {
    dpkg("--install", deb.toString());
    Path krond = system.resolve("usr/bin/krond");
    assertTrue(shell.run(system.resolve("usr/bin/kron").toString(), "version").startsWith("kron "));
    assertTrue(Files.exists(system.resolve("usr/lib/systemd/system/krond.service")));
    assertTrue(Files.isDirectory(system.resolve("etc/krond.d")));
    for (String file :
        List.of(
            "man/man5/krontab.5",
            "man/man5/kron.service.5",
            "man/man8/krond.8",
            "doc/kron/README.md",
            "doc/kron/docs/services.md",
            "bash-completion/completions/krond",
            "fish/vendor_completions.d/krond.fish",
            "zsh/vendor-completions/_kron")) {
      assertTrue(Files.exists(system.resolve("usr/share").resolve(file)), file);
    }
    assertFalse(Files.exists(system.resolve("usr/lib/kron/share")), "nothing is there twice");

    Path config =
        Files.createDirectory(
            directory.resolve("config"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Path go = directory.resolve("go");
    Path begun = directory.resolve("begun");
    Files.writeString(
        config.resolve("jobs"),
        "0 0 1 1 * name=long shell=true command=\"echo x >> %s; while [ ! -e %s ]; do sleep 0.05; done; exit 7\"%n"
            .formatted(begun, go));
    Path up = directory.resolve("up");
    Files.writeString(
        config.resolve("web.toml"),
        "[service]\nshell = true\nexec = \"echo $$ >> %s; exec sleep 1000\"\n".formatted(up));
    String socket = directory.resolve("krond.sock").toString();
    List<String> command =
        List.of(
            krond.toString(),
            config.toString(),
            "--state",
            directory.resolve("state").toString(),
            "--socket",
            socket);
    Path before = directory.resolve("before.log");
    Process daemon = shell.start(before, command);
    try {
      Shell.awaitText(before, "event=ready");
      shell.run(system.resolve("usr/bin/kron").toString(), "trigger", "long", "--socket", socket);
      Shell.awaitText(before, "event=run_started");
      Shell.awaitText(up, "\n");
      dpkg("--install", deb.toString());
    } finally {
      daemon.destroy();
      assertTrue(daemon.waitFor(60, TimeUnit.SECONDS));
    }
    Path after = directory.resolve("after.log");
    daemon = shell.start(after, command);
    try {
      Shell.awaitText(after, "event=ready");
      assertEquals("x\n", Files.readString(begun), "it goes on, and was not started again");
      Files.createFile(go);
      Shell.awaitText(after, "exit=7");
      String pid = Files.readString(up).strip();
      assertTrue(pid.matches("[0-9]+"), "the service was started once: " + pid);
      assertTrue(ProcessHandle.of(Long.parseLong(pid)).isPresent(), "and goes on");
      String kron = system.resolve("usr/bin/kron").toString();
      String web = shell.run(kron, "show", "web", "--socket", socket);
      assertTrue(web.contains("running"), web);
      shell.run(kron, "shutdown", "--kill", "--socket", socket);
      assertTrue(ProcessHandle.of(Long.parseLong(pid)).isEmpty(), "nothing is left behind");
    } finally {
      daemon.destroy();
      assertTrue(daemon.waitFor(60, TimeUnit.SECONDS));
    }

    dpkg("--remove", "kron");
    dpkg("--purge", "kron");
    assertEquals(List.of(), files());
    assertFalse(Files.exists(system.resolve("etc/krond.d")));
  }
}
