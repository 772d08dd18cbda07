package dev.kron.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cli.Call.Result;
import dev.kron.cli.line.ExitCode;
import dev.kron.config.Account;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServiceLintTest {
  @TempDir Path temporary;
  private Path directory = Path.of("/");

  @BeforeEach
  void place() throws IOException {
    directory = Files.createDirectory(temporary.resolve("krond.d"));
  }

  private Result lint(String... words) {
    String[] all = new String[words.length + 1];
    all[0] = "lint";
    System.arraycopy(words, 0, all, 1, words.length);
    return new Call().in(directory).with("PATH", "/usr/bin:/bin").run(all);
  }

  private void write(String name, String text) throws IOException {
    Files.writeString(directory.resolve(name), text);
  }

  @Test
  void acceptsServicesBesideJobs() throws IOException {
    write("a.kron", "0 0 * * * name=good command=/bin/sh\n");
    write("db.toml", "[service]\nexec = \"/bin/sh\"\n");
    assertEquals(
        new Result(ExitCode.OK, "2 files, 1 job, 1 service: 0 errors, 0 warnings\n", ""),
        lint("."));
  }

  @Test
  void refusesACycleWithItsPlace() throws IOException {
    write("a.toml", "[service]\nexec = \"/bin/sh\"\n[dependencies]\nrequires = [\"b\"]\n");
    write("b.toml", "[service]\nexec = \"/bin/sh\"\n[dependencies]\nrequires = [\"a\"]\n");
    Result result = lint(".");
    assertEquals(ExitCode.REFUSED, result.code());
    assertTrue(
        result
            .out()
            .startsWith(
                directory
                    + """
                    /a.toml:4:13: these wait for each other, so that none can start: a requires b, b requires a
                      requires = ["b"]
                                  ^
                    """),
        result.out());
    Result json = lint("a.toml", "b.toml", "--format", "json");
    assertEquals(ExitCode.REFUSED, json.code());
    assertTrue(json.out().contains("\"column\": 13"), json.out());
  }

  @Test
  void warnsOfWhatWillSurprise() throws IOException {
    write(
        "web.toml",
        """
        [service]
        type = "oneshot"
        exec = "/no/such/program"
        user = "nobody-of-that-name"
        group = "no-group-of-that-name"
        cwd = "/no/such/directory"
        [lifecycle]
        restart = "always"
        start_timeout_ms = 50
        [health]
        exec = "no-such-word"
        interval_ms = 100
        timeout_ms = 200
        [credentials]
        profile = "shop"
        """);
    Result result = lint("web.toml");
    // Only root may ask for another user; everybody else is told that, too.
    boolean root = Account.current().uid() == 0;
    assertEquals(root ? ExitCode.OK : ExitCode.REFUSED, result.code(), result.out());
    for (String warning :
        List.of(
            ":3:8: warning: /no/such/program does not exist",
            ":4:8: warning: there is no user nobody-of-that-name on this machine",
            ":5:9: warning: there is no group no-group-of-that-name on this machine",
            ":6:7: warning: directory /no/such/directory does not exist",
            ":8:11: warning: a oneshot that is always restarted runs again and again",
            ":10:1: warning: a oneshot is ready when it has exited with 0",
            ":11:8: warning: no-such-word is not found on the PATH of this shell",
            ":12:15: warning: a second check comes after 100 ms",
            ":13:14: warning: a check may take 200 ms, longer than the 100 ms between two of them",
            ":15:11: warning: the service cannot start with profile shop: ")) {
      assertTrue(result.out().contains("/web.toml" + warning), warning + " in\n" + result.out());
    }
    String errors = root ? "0 errors" : "1 error";
    assertTrue(
        result.out().endsWith("1 file, 0 jobs, 1 service: " + errors + ", 10 warnings\n"),
        result.out());
  }

  @Test
  void looksForTheProgramsOfHooks() throws IOException {
    write(
        "web.toml",
        """
        [service]
        exec = "/bin/sh"
        [hooks]
        before_start = "/no/such/before"
        after_stop = "/bin/sh"
        reload = ["no-such-word"]
        onfailure = "/no/such/alert now"
        """);
    Result result = lint("web.toml");
    for (String warning :
        List.of(
            ":4:16: warning: /no/such/before does not exist",
            ":6:10: warning: no-such-word is not found on the PATH of this shell",
            ":7:13: warning: /no/such/alert does not exist")) {
      assertTrue(result.out().contains("/web.toml" + warning), warning + " in\n" + result.out());
    }
    assertTrue(result.out().endsWith("0 errors, 3 warnings\n"), result.out());
  }

  @Test
  void looksAtSecretsWithoutShowingThem() throws IOException {
    write("web.toml", "[service]\nexec = \"/bin/sh\"\n[credentials]\nprofile = \"shop\"\n");
    Path secrets = Files.createDirectory(directory.resolve("credentials")).resolve("shop.env");
    Files.writeString(secrets, "PASSWORD hunter2\n");
    Files.setPosixFilePermissions(secrets, PosixFilePermissions.fromString("rw-r--r--"));
    assertTrue(lint("web.toml").out().contains("chmod 0600 " + secrets), lint("web.toml").out());
    Files.setPosixFilePermissions(secrets, PosixFilePermissions.fromString("rw-------"));
    Result result = lint("web.toml");
    assertTrue(result.out().contains("shop.env:1:1: expected KEY=value"), result.out());
    assertFalse(result.out().contains("hunter2"), result.out());
  }
}
