package dev.kron.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cli.Call.Result;
import dev.kron.cli.line.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DashboardCommandTest {
  private static final String LINK = "http://127\\.0\\.0\\.1:\\d+/#link=[\\w-]{43}";

  @TempDir Path directory;

  /** Something that is called as a browser is. */
  private String browser(String script) throws IOException {
    Path file = Files.writeString(directory.resolve("browser"), "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    return file.toString();
  }

  @Test
  void theLinkIsPrintedOrHandedOverInAFileForItsUserAlone() throws Exception {
    try (var daemon = new RunningDaemon(directory, null, "@manual name=a command=/bin/true")) {
      Result printed = daemon.kron("dashboard", "--print");
      assertTrue(printed.out().matches(LINK + "\n"), printed.out() + printed.err());
      assertEquals(
          "you have no session of the dashboard\n", daemon.kron("dashboard", "--end").out());
      assertEquals(
          "you have no session of the dashboard\n", daemon.kron("dashboard", "--sessions").out());
      Result unknown = daemon.kron("dashboard", "--end", "--session", "nobody");
      assertTrue(unknown.err().contains("kron dashboard --sessions"), unknown.err());
      Path seen = directory.resolve("seen");
      Path copy = directory.resolve("copy");
      String script = "stat -c '%a %n' \"$@\" > " + seen + "; cp \"$1\" " + copy;
      Call call = daemon.call().with("XDG_RUNTIME_DIR", directory.toString());
      Result opened = call.with("BROWSER", browser(script)).run("dashboard");
      assertEquals(ExitCode.OK, opened.code(), opened.err());
      Path page = directory.resolve("kron/dashboard.html");
      assertEquals("600 " + page + "\n", Files.readString(seen), "no secret in any argument");
      assertEquals(
          "rwx------",
          PosixFilePermissions.toString(Files.getPosixFilePermissions(page.getParent())));
      assertTrue(Files.readString(copy).matches("(?s).*content=\"0; url=" + LINK + "\">.*"));
      assertFalse(opened.out().contains("link="), opened.out());
      Result failed = call.with("BROWSER", browser("exit 1")).run("dashboard");
      assertEquals(ExitCode.REFUSED, failed.code());
      assertTrue(failed.err().contains("kron dashboard --print"), failed.err());
      assertFalse(Files.exists(page));
      call.with("BROWSER", "").with("PATH", "/nonexistent");
      assertTrue(call.run("dashboard").err().contains("nothing here that opens a page"));
    }
  }

  @Test
  void whereTheDashboardCannotBeServedSafelyTheDaemonDoesNotStart() {
    Call call = new Call().online().in(directory).with("HOME", directory.toString());
    for (String[] words :
        new String[][] {
          {"--web", "0.0.0.0:8080"},
          {"--web", "127.0.0.1:0"},
          {"--web", "127.0.0.1:70000"},
          {"--web-origin", "https://kron.example.org"},
          {"--web", "127.0.0.1:8080", "--web-origin", "http://kron.example.org"},
          {"--web", "127.0.0.1:8080", "--web-origin", "https://kron.example.org/path"},
          {"--web", "127.0.0.1:8080", "--web-origin", "kron.example.org"},
        }) {
      String[] all = new String[words.length + 2];
      all[0] = "run";
      all[1] = directory.toString();
      System.arraycopy(words, 0, all, 2, words.length);
      Result result = call.run(all);
      assertEquals(ExitCode.USAGE, result.code(), String.join(" ", words) + result.err());
      assertTrue(result.err().contains("--web"), result.err());
    }
  }
}
