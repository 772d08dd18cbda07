package dev.kron.cli.online;

import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.Option;
import dev.kron.cli.line.RefusedException;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Surroundings;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** A question before something that the command line does not name. */
final class Consent {
  static final Option YES = Option.flag("--yes", "do it without a question");

  private static final Path TERMINAL = Path.of("/dev/tty");

  private Consent() {}

  /**
   * Asks on a terminal; elsewhere only {@code --yes} is an answer.
   *
   * @param what is going to happen, as a sentence
   */
  static void ask(String what, CommandArguments arguments, Surroundings surroundings)
      throws IOException {
    if (arguments.has(YES.name())) {
      return;
    }
    Output err = surroundings.err();
    if (!surroundings.out().terminal() || !err.terminal()) {
      throw new RefusedException(
          ExitCode.REFUSED, List.of(what, "nothing was done: say --yes where that is meant"));
    }
    err.line("kron: " + what);
    err.print("go on? [y/N] ");
    err.flush();
    try (BufferedReader in = Files.newBufferedReader(TERMINAL, StandardCharsets.UTF_8)) {
      String answer = in.readLine();
      String word = answer == null ? "" : answer.strip().toLowerCase(Locale.ROOT);
      if (!word.equals("y") && !word.equals("yes")) {
        throw new RefusedException("nothing was done");
      }
    }
  }
}
