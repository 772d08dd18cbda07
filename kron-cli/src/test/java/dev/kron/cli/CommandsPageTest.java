package dev.kron.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cli.Call.Result;
import dev.kron.cli.line.Command;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.CommandSpec.Exit;
import dev.kron.cli.line.ExitCode;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * docs/commands.md and the help texts: whatever they show works, and looks as shown. The examples
 * are copied to a directory of our own, since lint looks at owners and modes, and those of a
 * checkout are whatever they are.
 */
class CommandsPageTest {
  private static final Path ROOT =
      Path.of(System.getProperty("kron.root", "..")).toAbsolutePath().normalize();
  private static final Path PAGE = ROOT.resolve("docs/commands.md");
  private static final String BLOCK = "```console\n";

  @TempDir Path directory;

  @BeforeEach
  void copyExamples() throws IOException {
    Path examples = ROOT.resolve("examples");
    try (Stream<Path> files = Files.walk(examples)) {
      for (Path file : files.toList()) {
        Path copy = directory.resolve("examples").resolve(examples.relativize(file));
        if (Files.isDirectory(file)) {
          Files.createDirectory(copy);
        } else {
          Files.write(copy, Files.readAllBytes(file));
        }
        Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rwx------"));
      }
    }
  }

  @Test
  void showsWhatTheCommandsReallyPrint() throws IOException {
    String page = Files.readString(PAGE);
    StringBuilder actual = new StringBuilder();
    int from = 0;
    int blocks = 0;
    for (int at = page.indexOf(BLOCK); at >= 0; at = page.indexOf(BLOCK, from)) {
      int start = at + BLOCK.length();
      int end = page.indexOf("```\n", start);
      String line = page.substring(start, page.indexOf('\n', start));
      assertTrue(line.startsWith("$ kron "), line);
      Result result = run(line.substring(2));
      actual.append(page, from, start).append(line).append('\n');
      actual.append((result.out() + result.err()).replace(directory.toString(), "/home/you/kron"));
      from = end;
      blocks++;
    }
    actual.append(page.substring(from));
    if ("update".equals(System.getProperty("kron.golden"))) {
      Files.writeString(PAGE, actual);
    }
    assertEquals(Files.readString(PAGE), actual.toString());
    assertTrue(blocks >= 10, "only " + blocks + " blocks");
  }

  @Test
  void givesExamplesThatWork() throws IOException {
    for (Command command : Commands.offline().all()) {
      for (Example example : command.spec().examples()) {
        String line = example.line().replaceAll(" > .*", "");
        // Without a path it is about this machine's own configuration.
        if (line.startsWith("kron ") && !line.equals("kron lint") && !line.equals("kron init")) {
          Result result = run(line);
          assertEquals(ExitCode.OK, result.code(), line + ": " + result.err());
        }
      }
    }
  }

  @Test
  void explainsEveryExitCode() throws Exception {
    String page = Files.readString(PAGE);
    for (Field field : ExitCode.class.getFields()) {
      String row = "\n| " + field.getInt(null) + " | ";
      assertTrue(page.contains(row), field.getName());
    }
    for (Command command : Commands.offline().all()) {
      for (Exit exit : command.spec().exits()) {
        assertTrue(page.contains("\n| " + exit.code() + " | "), command.name());
        assertFalse(exit.meaning().isEmpty());
      }
    }
  }

  private Result run(String line) {
    List<String> words = words(line);
    return new Call()
        .in(directory)
        .with("PATH", "/usr/bin:/bin")
        .run(words.subList(1, words.size()).toArray(String[]::new));
  }

  /** Splits as a shell does, as far as the page needs it: blanks and single quotes. */
  private static List<String> words(String line) {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c == '\'') {
        quoted = !quoted;
      } else if (c == ' ' && !quoted) {
        words.add(word.toString());
        word.setLength(0);
      } else {
        word.append(c);
      }
    }
    words.add(word.toString());
    return words;
  }
}
