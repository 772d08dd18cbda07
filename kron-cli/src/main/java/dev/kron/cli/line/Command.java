package dev.kron.cli.line;

import dev.kron.cli.output.Surroundings;
import java.io.IOException;

/** Something that {@code kron} can do. */
public interface Command {
  /** The word that calls it. */
  String name();

  /** What it does, in a line of the list of commands. */
  String summary();

  /** All that parsing, help and completion need to know. */
  CommandSpec spec();

  /**
   * Does it.
   *
   * @return the exit code
   * @throws UsageException where the words fit the declaration but not each other
   */
  int run(CommandArguments arguments, Surroundings surroundings) throws IOException;
}
