package dev.kron.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cli.Call.Result;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Surroundings;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImportCommandTest {
  private static final String PLAIN = "HOME=/\n0 3 * * * /bin/true\ta\n";

  @TempDir Path directory;

  private Result kron(String... words) {
    return new Call().in(directory).run(words);
  }

  @Test
  void printsTheKrontabAndTheReportApart() throws IOException {
    Files.writeString(directory.resolve("tab"), PLAIN + "@sometimes /bin/true\n");
    Result result = kron("import", "crontab", "tab", "--tz", "UTC");
    assertEquals(ExitCode.REFUSED, result.code());
    assertEquals(
        """
        # Made from tab by kron import crontab.
        0 3 * * * @tz(UTC) name=true command="/bin/true\ta" shell=true cwd=/ env=HOME=/
        # not carried over: @sometimes /bin/true
        """,
        result.out());
    assertEquals("tab:3: not carried over: @sometimes has no counterpart\n", result.err());
  }

  @Test
  void answersProgramsInJson() throws IOException {
    Files.writeString(directory.resolve("tab"), "HOME=/\n30 2 */2 10 1 /bin/true\n");
    Result result = kron("import", "crontab", "tab", "--tz", "Europe/Paris", "--format", "json");
    assertEquals(ExitCode.REFUSED, result.code());
    assertEquals("", result.err());
    Golden.check("import.json", result.out());
  }

  @Test
  void readsStandardInput() {
    var out = new ByteArrayOutputStream();
    var commands =
        new Commands(List.of(new ImportCommand(new ByteArrayInputStream(PLAIN.getBytes(UTF_8)))));
    var surroundings =
        new Surroundings(
            new Output(out, Output.Look.PLAIN),
            new Output(new ByteArrayOutputStream(), Output.Look.PLAIN),
            directory,
            _ -> null,
            Call.NOW::getEpochSecond,
            ZoneOffset.UTC);
    int code =
        new Kron(commands).run(List.of("import", "crontab", "-", "--tz", "UTC"), surroundings);
    assertEquals(ExitCode.OK, code);
    assertTrue(out.toString(UTF_8).startsWith("# Made from a crontab by"), out.toString(UTF_8));
  }

  @Test
  void asksWhetherItIsASystemCrontabRatherThanGuess() throws IOException {
    Files.writeString(directory.resolve("tab"), "0 0 * * * root /bin/true\n");
    Result asked = kron("import", "crontab", "tab", "--tz=UTC");
    assertEquals(ExitCode.USAGE, asked.code(), asked.out());
    assertTrue(asked.err().contains("say --system if it is one, or --user NAME"), asked.err());
    Result system = kron("import", "crontab", "tab", "--tz=UTC", "--system");
    assertTrue(system.out().contains("user=root"), system.out());
    Result own = kron("import", "crontab", "tab", "--tz=UTC", "--user=root");
    assertTrue(own.out().contains("command=\"root /bin/true\""), own.out());
  }

  @Test
  void writesAFileThatCanBeLinted() throws IOException {
    Files.writeString(directory.resolve("tab"), PLAIN);
    Result result =
        kron("import", "crontab", "tab", "--tz=UTC", "--user=root", "--output=mine.krontab");
    assertEquals(ExitCode.OK, result.code(), result.err());
    assertEquals("", result.out() + result.err());
    assertTrue(Files.readString(directory.resolve("mine.krontab")).contains(" user=root "));
    assertEquals(ExitCode.OK, kron("next", "--file", "mine.krontab").code());
  }

  @Test
  void replacesAFileOnlyWhenToldTo() throws IOException {
    Files.writeString(directory.resolve("tab"), PLAIN);
    Path mine = Files.writeString(directory.resolve("mine"), "precious");
    Result refused = kron("import", "crontab", "tab", "--tz=UTC", "--output", "mine");
    assertEquals(ExitCode.OUTPUT_FAILED, refused.code());
    assertEquals("kron: " + mine + " exists; --force replaces it\n", refused.err());
    assertEquals("precious", Files.readString(mine));
    assertEquals(
        ExitCode.OK,
        kron("import", "crontab", "tab", "--tz=UTC", "--output", "mine", "--force").code());
    assertTrue(Files.readString(mine).startsWith("# Made from tab"));
    try (var files = Files.list(directory)) {
      assertEquals(2, files.count());
    }
    assertEquals(
        ExitCode.OUTPUT_FAILED,
        kron("import", "crontab", "tab", "--tz=UTC", "--output", "no/such/file").code());
  }

  @Test
  void saysWhyItCannotRead() throws IOException {
    Files.write(directory.resolve("latin"), new byte[] {'#', (byte) 0xE9, '\n'});
    Result missing = kron("import", "crontab", "nothing");
    assertEquals(ExitCode.UNREADABLE, missing.code());
    assertEquals("kron: nothing cannot be read: it does not exist\n", missing.err());
    assertEquals(ExitCode.UNREADABLE, kron("import", "crontab", "latin").code());
    assertEquals(ExitCode.UNREADABLE, kron("import", "crontab", ".").code());
  }

  @Test
  void refusesWhatMakesNoSense() throws IOException {
    Files.writeString(directory.resolve("tab"), PLAIN);
    for (List<String> more :
        List.of(
            List.of("--tz", "Paris"),
            List.of("--spread", "soon"),
            List.of("--spread", "400d"),
            List.of("--system", "--user", "root"),
            List.of("--force"))) {
      List<String> words = new ArrayList<>(List.of("import", "crontab", "tab"));
      words.addAll(more);
      assertEquals(ExitCode.USAGE, kron(words.toArray(String[]::new)).code(), words.toString());
    }
    assertEquals(ExitCode.USAGE, kron("import", "anacrontab", "tab").code());
    assertEquals(ExitCode.USAGE, kron("import", "crontab").code());
  }

  @Test
  void knowsTheCrontabsOfTheSystem() throws IOException {
    Path crontab = Path.of("/etc/crontab");
    if (Files.isReadable(crontab)) {
      Result result = kron("import", "crontab", crontab.toString(), "--tz=UTC");
      assertFalse(result.out().contains("command=\"root"), result.out());
    }
    Files.writeString(directory.resolve("tab"), "@daily root /bin/true\n");
    assertTrue(kron("import", "crontab", "tab", "--system").out().contains(" user=root "));
  }

  @Test
  void variablesThatManyEntriesShareGoIntoAFileOfTheirOwn() throws IOException {
    Files.writeString(
        directory.resolve("tab"),
        """
        HOME=/
        API_KEY=hunter2
        0 1 * * * /bin/one
        0 2 * * * /bin/two
        0 3 * * * /bin/three
        API_KEY=other
        0 4 * * * /bin/four
        """);
    String[] words = {"import", "crontab", "tab", "--tz=UTC", "--user=root", "--output=my.krontab"};
    Result result = kron(words);
    Path envfile = directory.resolve("my.env");
    assertEquals(ExitCode.OK, result.code(), result.err());
    assertEquals(
        "tab:1: note: variables that many entries share are in " + envfile + ", mode 0600\n",
        result.err());
    assertEquals(
        "# Made from tab by kron import crontab.\nHOME=/\nAPI_KEY=hunter2\n",
        Files.readString(envfile));
    assertEquals(
        PosixFilePermissions.fromString("rw-------"), Files.getPosixFilePermissions(envfile));
    String krontab = Files.readString(directory.resolve("my.krontab"));
    assertEquals(4, krontab.lines().filter(line -> line.contains(" envfile=" + envfile)).count());
    assertTrue(krontab.contains("env=API_KEY=other"), krontab);
    assertFalse((krontab + result.out() + result.err()).contains("hunter2"), krontab);
    assertEquals(ExitCode.OK, kron("lint", "my.krontab").code());
    assertEquals(ExitCode.OUTPUT_FAILED, kron(words).code());
    Files.delete(directory.resolve("my.krontab"));
    Files.writeString(envfile, "MINE=yes\n");
    assertEquals(ExitCode.OUTPUT_FAILED, kron(words).code());
    assertEquals("MINE=yes\n", Files.readString(envfile));
    assertFalse(Files.exists(directory.resolve("my.krontab")), "nothing names what is not there");
    try (var files = Files.list(directory)) {
      assertEquals(2, files.count(), "nothing unfinished is left");
    }
  }
}
