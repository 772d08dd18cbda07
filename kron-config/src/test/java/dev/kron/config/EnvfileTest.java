package dev.kron.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Variables that many entries share. */
final class EnvfileTest {
  @TempDir Path temporary;
  private Path file;

  @BeforeEach
  void place() throws IOException {
    file = temporary.toRealPath().resolve("app.env");
  }

  private VariableFile read() {
    return VariableFile.envfile(file.toString(), ConfigFiles.Settings.of(Account.current()));
  }

  private String problem() {
    VariableFile read = read();
    assertFalse(read.isValid());
    assertEquals(List.of(), read.variables());
    return read.diagnostics().getFirst().toString();
  }

  @Test
  void holdsLinesOfKeysAndValues() throws IOException {
    Files.writeString(file, "# shared\n\nMODE=prod\nGREETING=good morning = all\nEMPTY=\n");
    assertTrue(read().isValid());
    assertEquals(List.of("MODE=prod", "GREETING=good morning = all", "EMPTY="), read().variables());
    assertFalse(read().toString().contains("prod"));
  }

  @Test
  void othersMayReadItAndNotWriteIt() throws IOException {
    Files.writeString(file, "MODE=prod\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    assertTrue(read().isValid());
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--rw-"));
    assertEquals(file + ":1:1: the file is world-writable: chmod o-w " + file, problem());
  }

  @Test
  void onlyARegularFileIsOpened() throws Exception {
    assertEquals(file + ":1:1: the envfile does not exist", problem());
    assertEquals(0, new ProcessBuilder("mkfifo", file.toString()).start().waitFor());
    assertEquals(file + ":1:1: this is a named pipe, not a regular file", problem());
    Files.delete(file);
    Path target = Files.writeString(temporary.resolve("target"), "MODE=prod\n");
    Files.createSymbolicLink(file, target);
    assertTrue(problem().contains("is a symbolic link"), problem());
  }

  @Test
  void noErrorShowsAValue() throws IOException {
    Files.writeString(
        file, "GOOD=hunter2\nhunter2\nKRON_JOB=hunter2\nUID=hunter2\nGOOD=hunter2\nA b=hunter2\n");
    VariableFile read = read();
    assertEquals(
        List.of(2, 3, 4, 5, 6), read.diagnostics().stream().map(Diagnostic::line).toList());
    assertFalse(read.diagnostics().toString().contains("hunter2"), read.diagnostics()::toString);
  }
}
