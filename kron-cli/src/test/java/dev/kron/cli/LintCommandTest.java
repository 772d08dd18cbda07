package dev.kron.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cli.Call.Result;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.output.Output.Look;
import dev.kron.config.Account;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LintCommandTest {
  private static final String GOOD = "0 0 * * * name=good command=/bin/sh\n";
  private static final String BAD =
      """
      # three mistakes on two lines
      0 25 * * * @win(sideways,1h) name=one command=/bin/sh
      0 0 * * * name=two comand=/bin/sh
      """;
  private static final String SURPRISING =
      """
      30 2 * * * @tz(Europe/Paris) name=dst command=/bin/sh
      */10 * * * * @win(after,15m) name=overlap command=/bin/sh
      """;

  @TempDir Path directory;

  private Result lint(String... words) {
    String[] all = new String[words.length + 1];
    all[0] = "lint";
    System.arraycopy(words, 0, all, 1, words.length);
    return new Call().in(directory).with("PATH", "/usr/bin:/bin").run(all);
  }

  private void write(String name, String content) throws IOException {
    Files.writeString(directory.resolve(name), content);
  }

  private String anywhere(Result result) {
    return result.out().replace(directory.toString(), "/etc/krond.d");
  }

  @Test
  void acceptsAValidFile() throws IOException {
    write("good.kron", GOOD);
    assertEquals(
        new Result(ExitCode.OK, "1 file, 1 job: 0 errors, 0 warnings\n", ""), lint("good.kron"));
  }

  @Test
  void reportsEveryErrorAtOnceWithTheLineAndACaret() throws IOException {
    write("bad.kron", BAD);
    Result result = lint("bad.kron");
    assertEquals(ExitCode.REFUSED, result.code());
    Golden.check("lint-errors.txt", anywhere(result));
  }

  @Test
  void warnsWithoutRefusing() throws IOException {
    write("surprising.kron", SURPRISING);
    Result result = lint("surprising.kron");
    assertEquals(ExitCode.OK, result.code());
    Golden.check("lint-warnings.txt", anywhere(result));
  }

  @Test
  void writesJsonForPrograms() throws IOException {
    write("a-good.kron", GOOD);
    write("b-bad.kron", BAD);
    write("c-surprising", SURPRISING);
    write("d.bak", "anything");
    Result result = lint(".", "--format", "json");
    assertEquals(ExitCode.REFUSED, result.code());
    Golden.check("lint.json", anywhere(result));
  }

  @Test
  void saysWhichFilesArePassedOver() throws IOException {
    write("good.kron", GOOD);
    write("good.kron~", BAD);
    write(".hidden", BAD);
    write("web.toml.bak", BAD);
    Result result = lint(".");
    assertEquals(ExitCode.OK, result.code());
    for (String name : new String[] {"good.kron~", ".hidden", "web.toml.bak"}) {
      assertTrue(
          result.out().contains(directory + "/" + name + ":1:1: warning: passed over: "),
          result.out());
    }
  }

  @Test
  void tellsWhatCannotBeReadFromWhatIsWrong() throws IOException {
    write("bad.kron", BAD);
    assertEquals(ExitCode.UNREADABLE, lint("no-such-file").code());
    assertEquals(ExitCode.UNREADABLE, lint("bad.kron", "no-such-file").code());
    Result json = lint("no-such-file", "--format=json");
    assertEquals(ExitCode.UNREADABLE, json.code());
    assertTrue(json.out().contains("\"valid\": false"), json.out());
  }

  @Test
  void refusesRelativeCommandsOnlyWhenStrict() throws IOException {
    write("relative.kron", "0 0 * * * name=x command=sh\n");
    assertEquals(ExitCode.OK, lint("relative.kron").code());
    assertEquals(ExitCode.REFUSED, lint("relative.kron", "--strict").code());
  }

  @Test
  void followsLinksOnlyWhenAllowedTo() throws IOException {
    write("good.kron", GOOD);
    Files.createSymbolicLink(directory.resolve("link.kron"), Path.of("good.kron"));
    assertEquals(ExitCode.REFUSED, lint("link.kron").code());
    assertEquals(ExitCode.OK, lint("link.kron", "--follow-symlinks").code());
  }

  @Test
  void hintsOnceThatTimesAreUtcWhereTheMachineIsNot() throws IOException {
    write("plain.kron", GOOD + "0 1 * * * name=other command=/bin/sh\n");
    write("zoned.kron", "0 0 * * * @tz(UTC) name=zoned command=/bin/sh\n" + GOOD);
    var berlin = new Call().in(directory).with("PATH", "/bin").at(ZoneId.of("Europe/Berlin"));
    Result result = berlin.run("lint", ".");
    assertEquals(ExitCode.OK, result.code());
    assertTrue(
        result
            .out()
            .contains(
                "plain.kron:1:1: warning: no entry of this file has @tz, so all times are UTC; the"
                    + " zone of this machine, Europe/Berlin, is 1h ahead of it now: write"
                    + " @tz(Europe/Berlin)"),
        result.out());
    assertTrue(result.out().endsWith("1 warning\n"), result.out());
    assertTrue(lint(".").out().endsWith("0 warnings\n"));
  }

  @Test
  void doesNotCallAMissingDirectoryAFile() {
    Result result = lint("no-such-directory");
    assertTrue(result.out().contains("there is no such file or directory"), result.out());
  }

  @Test
  void passesOverCopiesOfPackageManagersWhateverFollows() throws IOException {
    write("db.dpkg-new.kron", BAD);
    write("db.rpmsave.toml", BAD);
    write("db.orig", BAD);
    Result result = lint(".");
    assertEquals(ExitCode.OK, result.code(), result.out());
    assertTrue(result.out().contains("0 files, 0 jobs: 0 errors, 3 warnings"), result.out());
  }

  @Test
  void checksAsTheDaemonWouldWhomItMayRunAs() throws IOException {
    write("users.kron", "0 0 * * * name=x user=root command=/bin/sh\n");
    Result mine = lint("users.kron");
    if (Account.current().uid() == 0) {
      assertEquals(ExitCode.OK, mine.code(), mine.out());
      return; // AccountsTest tries the rule itself
    }
    assertEquals(ExitCode.REFUSED, mine.code(), mine.out());
    assertTrue(
        mine.out().contains("users.kron:1:18: job x asks for user=root, but krond runs as"),
        mine.out());
  }

  @Test
  void letsNothingHostileReachTheTerminal() throws IOException {
    write("hostile.kron", "0 0 * * * name=x command=/bin/sh \u001b[2Jevil=\u202e\u0007\n");
    Result result =
        new Call().in(directory).on(new Look(80, true, true)).run("lint", "hostile.kron");
    String withoutOurColours = result.out().replaceAll("\u001b\\[[0-9]{1,2}m", "");
    assertFalse(
        withoutOurColours.chars().anyMatch(c -> (c < ' ' && c != '\n') || c == 0x202e),
        withoutOurColours);
  }

  @Test
  void readsTheConfigurationDirectoryOfTheUser() {
    Result result = new Call().with("HOME", directory + "/nobody").run("lint");
    assertEquals(ExitCode.UNREADABLE, result.code());
    assertTrue(
        (result.out() + result.err()).matches("(?s).*(/etc/krond.d|/nobody/.config/krond).*"),
        result.out() + result.err());
  }
}
