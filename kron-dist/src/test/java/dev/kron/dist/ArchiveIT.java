package dev.kron.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The archive, unpacked in an empty directory where no Java can be found. */
class ArchiveIT {
  private static final Path ROOT = Path.of(System.getProperty("kron.root", "..")).toAbsolutePath();

  @TempDir Path directory;
  private Path kron;
  private Shell shell;

  @BeforeEach
  void unpack() throws Exception {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    Path tools = Files.createDirectory(directory.resolve("tools"));
    Path readlink = tools.resolve("readlink");
    Files.writeString(readlink, "#!/bin/sh\nexec /usr/bin/readlink \"$@\"\n");
    Files.setPosixFilePermissions(readlink, PosixFilePermissions.fromString("rwx------"));
    shell = new Shell(directory).with("PATH", tools.toString());
    try (Stream<Path> files = Files.list(ROOT.resolve("dist"))) {
      Path archive =
          files.filter(file -> file.toString().endsWith(".tar.gz")).findFirst().orElseThrow();
      new Shell(directory)
          .with("PATH", "/usr/bin:/bin")
          .run("tar", "--extract", "--gzip", "--file=" + archive);
    }
    try (Stream<Path> files = Files.list(directory)) {
      kron =
          files
              .filter(file -> file.getFileName().toString().startsWith("kron-"))
              .findFirst()
              .orElseThrow();
    }
  }

  private String program() {
    return kron.resolve("bin/kron").toString();
  }

  private String example(String name) {
    return kron.resolve("share/doc/kron/examples").resolve(name).toString();
  }

  @Test
  void runsTheTourOfTheReadme() throws Exception {
    assertTrue(shell.run(program(), "version").contains("\njava 25"));
    String explained =
        shell.run(
            program(),
            "explain",
            "nightly-backup",
            "--file",
            example("smooth.krontab"),
            "--period",
            "2026-03-01T00:00:00Z");
    assertTrue(explained.contains("● chosen"), explained);
    assertTrue(
        shell
            .run(program(), "forecast", example("stampede.krontab"), "--from", "2026-03-01")
            .contains("lower the peak"));
    shell.run(program(), "next", "--file", example("smooth.krontab"));
    Path tour =
        Files.createDirectory(
            directory.resolve("tour"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Files.writeString(tour.resolve("jobs"), "* * * * * name=hello command=\"/bin/echo hello\"\n");
    shell.run(program(), "lint", tour.toString());
    Path log = directory.resolve("daemon.log");
    Process daemon =
        shell.start(
            log,
            List.of(
                kron.resolve("bin/krond").toString(),
                tour.toString(),
                "--state",
                directory.resolve("state").toString(),
                "--socket",
                directory.resolve("krond.sock").toString()));
    try {
      Shell.awaitText(log, "event=ready");
      String socket = directory.resolve("krond.sock").toString();
      assertTrue(shell.run(program(), "status", "--socket", socket).contains("hello"));
      shell.run(program(), "trigger", "hello", "--wait", "--socket", socket);
      assertTrue(shell.run(program(), "logs", "hello", "--socket", socket).contains("hello\n"));
      shell.run(program(), "why", "hello", "--socket", socket);
    } finally {
      daemon.destroy();
      assertTrue(daemon.waitFor(60, TimeUnit.SECONDS));
    }
    assertEquals(0, daemon.exitValue(), () -> log.toString());
  }

  @Test
  void bringsAManualCompletionsAndAUnit() throws Exception {
    String page = Files.readString(kron.resolve("share/man/man1/kron-lint.1"));
    assertTrue(page.startsWith(".TH \"KRON\\-LINT\" \"1\""), page);
    assertTrue(page.contains("\\-\\-strict"), page);
    assertTrue(Files.exists(kron.resolve("share/man/man8/krond.8")));
    assertTrue(Files.exists(kron.resolve("share/bash-completion/completions/kron")));
    String unit = Files.readString(kron.resolve("share/systemd/krond.service"));
    for (String line :
        List.of(
            "Type=notify",
            "KillMode=process",
            "SendSIGKILL=no",
            "OOMPolicy=continue",
            "TasksMax=infinity",
            "Delegate=yes")) {
      assertTrue(unit.contains("\n" + line + "\n"), line);
    }
  }
}
