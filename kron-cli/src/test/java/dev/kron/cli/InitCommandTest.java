package dev.kron.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kron.cli.Call.Result;
import dev.kron.cli.line.ExitCode;
import dev.kron.daemon.Daemon;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InitCommandTest {
  @TempDir Path directory;

  private Result kron(String... words) {
    return new Call().in(directory).with("PATH", "/usr/bin:/bin").run(words);
  }

  @Test
  void makesADirectoryThatTheDaemonTakes() {
    Result result = kron("init", "jobs");
    assertEquals(ExitCode.OK, result.code(), result.err());
    Result lint = kron("lint", "jobs");
    assertEquals(new Result(ExitCode.OK, "1 file, 0 jobs: 0 errors, 0 warnings\n", ""), lint);
  }

  @Test
  void showsExamplesThatAreValid() throws IOException {
    kron("init", "jobs");
    Path file = directory.resolve("jobs").resolve(InitCommand.FILE);
    String text = Files.readString(file);
    String jobs = Pattern.compile("^# (?=[0-9*])", Pattern.MULTILINE).matcher(text).replaceAll("");
    Files.writeString(file, jobs);
    Result lint = kron("lint", "jobs");
    assertEquals(ExitCode.OK, lint.code(), lint.out());
    assertTrue(lint.out().contains("1 file, 3 jobs: 0 errors"), lint.out());
    String service = text.substring(text.indexOf("#   [service]")).replaceAll("(?m)^# *", "");
    Files.writeString(directory.resolve("jobs/web.toml"), service);
    Result both = kron("lint", "jobs");
    assertTrue(both.out().contains("2 files, 3 jobs, 1 service: 0 errors"), both.out());
  }

  @Test
  void changesNothingThatIsThere() throws IOException {
    Files.createDirectory(directory.resolve("full"));
    Files.writeString(directory.resolve("full/mine"), "");
    Result result = kron("init", "full");
    assertEquals(ExitCode.OK, result.code());
    assertTrue(result.out().contains("nothing was changed"), result.out());
    try (var entries = Files.list(directory.resolve("full"))) {
      assertEquals(1, entries.count());
    }
    Files.writeString(directory.resolve("file"), "");
    assertEquals(ExitCode.UNREADABLE, kron("init", "file").code());
  }

  @Test
  void theFirstRunSaysWhatToMake() throws IOException {
    assumeTrue(Files.notExists(Path.of("/etc/krond.d")), "this machine is configured already");
    Path home = Files.createDirectory(directory.resolve("home"));
    Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwx------"));
    for (String[] words : new String[][] {{"run", "--state", "state"}, {"lint"}, {"next"}}) {
      Result result = new Call().online().in(directory).with("HOME", home.toString()).run(words);
      assertEquals(
          words[0].equals("run") ? Daemon.CONFIGURATION : ExitCode.UNREADABLE, result.code());
      assertTrue(result.err().contains("make it with kron init"), result.err());
    }
    assertTrue(Files.notExists(directory.resolve("state")), "nothing was made");
  }
}
