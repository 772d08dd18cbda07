package dev.kron.cli;

import static dev.kron.cli.Call.kron;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cli.Call.Result;
import dev.kron.cli.line.Command;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.Option;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Output.Look;
import dev.kron.cli.output.Surroundings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KronTest {
  static List<Command> commands() {
    return Commands.offline().all();
  }

  @Test
  void showsTheCommandsWhenAsked() {
    for (Result result : List.of(kron("help"), kron("--help"), kron("-h"))) {
      assertEquals(ExitCode.OK, result.code());
      assertEquals("", result.err());
      for (Command command : commands()) {
        assertTrue(result.out().contains("\n  " + command.name()), result.out());
      }
    }
  }

  @Test
  void showsTheCommandsAsAMistakeWhenNothingWasAsked() {
    Result result = kron();
    assertEquals(ExitCode.USAGE, result.code());
    assertEquals("", result.out());
    assertEquals(kron("help").out(), result.err());
  }

  @Test
  void tellsItsVersionToPeopleAndPrograms() {
    String text = kron("version").out();
    assertTrue(text.matches("kron .+\njava 25.*\n"), text);
    assertEquals(text, kron("--version").out());
    String json = kron("version", "--format", "json").out();
    assertTrue(json.matches("(?s)\\{\n  \"kron\": \".+\",\n  \"java\": \"25.+\"\n}\n"), json);
  }

  @Test
  void suggestsTheCommandThatWasProbablyMeant() {
    assertEquals(
        new Result(
            ExitCode.USAGE,
            "",
            "kron: there is no command \"versoin\"; did you mean version?\nTry 'kron help'.\n"),
        kron("versoin"));
    assertEquals(ExitCode.USAGE, kron("help", "versoin").code());
  }

  @ParameterizedTest
  @MethodSource("commands")
  void explainsEveryCommandWithExamples(Command command) {
    Result result = kron(command.name(), "--help");
    assertEquals(ExitCode.OK, result.code());
    assertEquals(kron("help", command.name()), result);
    assertTrue(result.out().contains("\nExamples\n"), result.out());
    for (Option option : command.spec().options()) {
      assertTrue(result.out().contains("\n  " + option.name()), option.name());
    }
  }

  @ParameterizedTest
  @MethodSource("commands")
  void namesEveryOptionInItsSynopsis(Command command) {
    CommandSpec spec = command.spec();
    String synopsis = String.join("\n", spec.synopsis());
    for (Option option : spec.options()) {
      assertTrue(synopsis.contains(option.name()), option.name() + " in " + synopsis);
    }
  }

  @ParameterizedTest
  @MethodSource("commands")
  void refusesAnUnknownOptionOfEveryCommand(Command command) {
    Result result = kron(command.name(), "--no-such-option");
    assertEquals(ExitCode.USAGE, result.code());
    assertEquals("", result.out());
    assertEquals(
        "kron: kron "
            + command.name()
            + " has no option --no-such-option\nTry 'kron "
            + command.name()
            + " --help'.\n",
        result.err());
  }

  @Test
  void fitsHelpToTheTerminal() {
    for (Command command : commands()) {
      new Call()
          .on(new Look(60, true, false))
          .run(command.name(), "--help")
          .out()
          .lines()
          .filter(line -> !line.startsWith("  kron") && !line.startsWith("  source"))
          .forEach(line -> assertTrue(line.length() <= 60, line));
    }
  }

  @Test
  void endsQuietlyWhenTheReaderGoesAway() {
    var err = new ByteArrayOutputStream();
    assertEquals(ExitCode.BROKEN_PIPE, helpInto(failing("Broken pipe"), err));
    assertEquals("", err.toString(UTF_8));
  }

  @Test
  void saysSoWhenTheOutputCannotBeWritten() {
    var err = new ByteArrayOutputStream();
    assertEquals(ExitCode.OUTPUT_FAILED, helpInto(failing("No space left on device"), err));
    assertEquals(
        "kron: the output could not be written: No space left on device\n", err.toString(UTF_8));
  }

  private static int helpInto(OutputStream out, OutputStream err) {
    return new Kron(Commands.offline())
        .run(
            List.of("help"),
            new Surroundings(
                new Output(out, Look.PLAIN),
                new Output(err, Look.PLAIN),
                Path.of(""),
                _ -> null,
                () -> 0,
                java.time.ZoneOffset.UTC));
  }

  private static OutputStream failing(String message) {
    return new OutputStream() {
      @Override
      public void write(int octet) throws IOException {
        throw new IOException(message);
      }
    };
  }
}
