package dev.kron.dist;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.FutureTask;
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
    for (String tool : List.of("readlink", "mkdir", "sleep")) {
      Path file = tools.resolve(tool);
      Files.writeString(file, "#!/bin/sh\nexec /usr/bin/" + tool + " \"$@\"\n");
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }
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

  /** The commands that the README's tour shows, in their order. */
  private static List<String> tour() throws IOException {
    String readme = Files.readString(ROOT.resolve("README.md"));
    int begin = readme.indexOf("## Two minutes");
    int end = readme.indexOf("\n## ", begin);
    assertTrue(begin > 0 && end > begin, "the README has no tour");
    return readme
        .substring(begin, end)
        .lines()
        .filter(line -> line.startsWith("$ "))
        .map(line -> line.substring(2))
        .toList();
  }

  /**
   * As it stands there. What differs: the daemon's state and socket are not the machine's own, its
   * pid is the one it has, and nobody waits for twenty seconds.
   */
  @Test
  void runsTheTourOfTheReadme() throws Exception {
    assertTrue(shell.run(program(), "version").contains("\njava 25"));
    Files.createSymbolicLink(directory.resolve("kron"), kron.resolve("bin/kron"));
    shell.run(
        "cp",
        "-r",
        kron.resolve("share/doc/kron/examples").toString(),
        directory.resolve("examples").toString());
    String socket = directory.resolve("krond.sock").toString();
    shell.with("KRON_SOCKET", socket);
    String place = " --state " + directory.resolve("state") + " --socket " + socket;
    Map<String, String> said = new HashMap<>();
    Path log = directory.resolve("daemon.log");
    Process daemon = null;
    try {
      for (String line : tour()) {
        if (line.startsWith("./kron run ")) {
          log = directory.resolve("daemon" + said.size() + ".log");
          daemon = shell.start(log, List.of("/bin/sh", "-c", "exec " + line + place));
          Shell.awaitText(log, "event=ready");
        } else if (line.startsWith("kill -9 ")) {
          Objects.requireNonNull(daemon, "killed before it is started").destroyForcibly();
          assertTrue(daemon.waitFor(60, TimeUnit.SECONDS));
        } else {
          said.put(line, run(line.replace("sleep 20", "sleep 3")));
          if (line.equals("./kron trigger long")) {
            Shell.awaitLine(log, "event=run_started", ":long ");
          }
        }
      }
    } finally {
      if (daemon != null) {
        daemon.destroy();
        assertTrue(daemon.waitFor(60, TimeUnit.SECONDS));
      }
    }
    Path last = log;
    assertEquals(0, Objects.requireNonNull(daemon).exitValue(), last::toString);
    says(said, "./kron explain ", "● chosen");
    says(said, "./kron forecast ", "lower the peak");
    says(said, "./kron lint ", " 0 errors");
    says(said, "./kron status", "hello");
    says(said, "./kron why hello", "hello");
    // On the minute another run may have begun, and not have said it yet.
    assertTrue("hello\n".startsWith(said.get("./kron logs hello")), said::toString);
    assertEquals("begun\n", said.get("./kron logs long"));
    says(said, "./kron runs long", "exit 3");
  }

  /**
   * On the minute the job runs by itself; asked for once more while it does, it is refused. The
   * long one takes its time to end.
   */
  private String run(String line) throws Exception {
    if (line.equals("./kron runs long")) {
      String runs = shell.run("/bin/sh", "-c", line);
      for (int tries = 0; !runs.contains("exit 3") && tries < 300; tries++) {
        runs = shell.run("/bin/sh", "-c", line);
      }
      return runs;
    }
    if (!line.startsWith("./kron trigger hello")) {
      return shell.run("/bin/sh", "-c", line);
    }
    Path log = directory.resolve("trigger.log");
    int exitCode = 1;
    for (int tries = 0; exitCode != 0 && tries < 20; tries++) {
      exitCode = shell.start(log, List.of("/bin/sh", "-c", line)).waitFor();
    }
    assertEquals(0, exitCode, Files.readString(log));
    return Files.readString(log);
  }

  private static void says(Map<String, String> said, String command, String text) {
    String answer =
        said.entrySet().stream()
            .filter(entry -> entry.getKey().startsWith(command))
            .map(Map.Entry::getValue)
            .findFirst()
            .orElseThrow(() -> new AssertionError("the tour lacks " + command));
    assertTrue(answer.contains(text), answer);
  }

  /**
   * What it starts shows in the faults of children that it has waited for, or among those that are
   * left. The JVM's own file of counters would be in the directory of this machine.
   */
  @Test
  void aDaemonThatIsKilledInItsFirstSecondsStartsNothingAndLeavesNothingBehind() throws Exception {
    Path config = Files.createDirectory(directory.resolve("config"));
    Files.writeString(config.resolve("jobs"), "0 0 29 2 * name=rare command=/bin/true\n");
    Path temporary = Files.createDirectory(directory.resolve("temporary"));
    shell.with("JDK_JAVA_OPTIONS", "-Djava.io.tmpdir=" + temporary);
    Path log = directory.resolve("killed.log");
    Path state = directory.resolve("state");
    Process daemon =
        shell.start(
            log,
            List.of(
                program(),
                "run",
                config.toString(),
                "--state",
                state.toString(),
                "--socket",
                directory.resolve("krond.sock").toString()));
    String pid = Long.toString(daemon.pid());
    try {
      Shell.awaitText(log, "event=ready");
      assertFalse(daemon.waitFor(1_500, TimeUnit.MILLISECONDS), "it ended by itself");
      String stat = Files.readString(Path.of("/proc", pid, "stat"));
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
      assertEquals("0", fields[8], "faults of children: " + stat);
      assertEquals(List.of(), daemon.children().toList());
      try (Stream<Path> counters = Files.list(Path.of("/tmp"))) {
        assertTrue(
            counters
                .filter(file -> file.getFileName().toString().startsWith("hsperfdata_"))
                .noneMatch(file -> Files.exists(file.resolve(pid))));
      }
    } finally {
      daemon.destroyForcibly();
      assertTrue(daemon.waitFor(60, TimeUnit.SECONDS));
    }
    try (Stream<Path> left = Files.list(temporary)) {
      assertEquals(List.of(), left.toList());
    }
  }

  /** The Java in the archive lacks what nobody needs; a mail needs more of it than all the rest. */
  @Test
  void sendsAMail() throws Exception {
    Path config = Files.createDirectory(directory.resolve("config"));
    Files.writeString(config.resolve("jobs"), "0 0 29 2 * name=rare command=/bin/true\n");
    try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      FutureTask<String> mail = new FutureTask<>(() -> mail(server));
      Thread.ofPlatform().daemon().start(mail);
      Files.writeString(
          config.resolve("notify.toml"),
          """
          [channel.ops]
          type = "email"
          to = ["ops@example.org"]
          server = "127.0.0.1:%s"
          """
              .formatted(server.getLocalPort()));
      String socket = directory.resolve("krond.sock").toString();
      String state = directory.resolve("state").toString();
      Path log = directory.resolve("mail.log");
      Process daemon =
          shell.start(
              log,
              List.of(program(), "run", config.toString(), "--state", state, "--socket", socket));
      try {
        Shell.awaitText(log, "event=ready");
        shell.run(program(), "notify", "test", "ops", "--socket", socket);
        String sent = mail.get(60, TimeUnit.SECONDS);
        assertTrue(sent.contains("\nTo: ops@example.org\n"), sent);
        assertTrue(sent.contains("\nContent-Type: text/plain; charset=UTF-8\n"), sent);
      } finally {
        daemon.destroy();
        assertTrue(daemon.waitFor(60, TimeUnit.SECONDS));
      }
    }
  }

  /** Takes one mail, as any server does. */
  private static String mail(ServerSocket server) throws IOException {
    var text = new StringBuilder();
    try (Socket client = server.accept();
        BufferedReader in =
            new BufferedReader(new InputStreamReader(client.getInputStream(), UTF_8));
        OutputStream out = client.getOutputStream()) {
      out.write("220 here\r\n".getBytes(UTF_8));
      boolean data = false;
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        text.append(line).append('\n');
        boolean end = line.equals(".");
        if (!data || end) {
          boolean begins = line.equals("DATA");
          out.write((begins ? "354 go on\r\n" : "250 ok\r\n").getBytes(UTF_8));
          data = begins;
        }
        if (end) {
          return text.toString();
        }
      }
    }
    throw new IOException("no whole mail: " + text);
  }

  @Test
  void bringsAManualCompletionsAndAUnit() throws Exception {
    String page = Files.readString(kron.resolve("share/man/man1/kron-lint.1"));
    assertTrue(page.startsWith(".TH \"KRON\\-LINT\" \"1\""), page);
    assertTrue(page.contains("\\-\\-strict"), page);
    assertTrue(Files.exists(kron.resolve("share/man/man8/krond.8")));
    assertTrue(Files.exists(kron.resolve("share/man/man5/krontab.5")));
    assertTrue(Files.exists(kron.resolve("share/man/man5/kron.service.5")));
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
