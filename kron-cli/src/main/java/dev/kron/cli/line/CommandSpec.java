package dev.kron.cli.line;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The one declaration of a command, from which it is parsed, explained and completed.
 *
 * @param synopsis how to write it, one line a form
 * @param operand what it takes beside options, or null
 * @param description paragraphs; a paragraph that starts with a space is kept as it is
 * @param examples command lines that work from the root of a checkout
 * @param exits what its exit codes mean
 */
public record CommandSpec(
    String name,
    String summary,
    List<String> synopsis,
    @Nullable Operand operand,
    List<Option> options,
    List<String> description,
    List<Example> examples,
    List<Exit> exits) {
  public CommandSpec {
    synopsis = List.copyOf(synopsis);
    options = List.copyOf(options);
    description = List.copyOf(description);
    examples = List.copyOf(examples);
    exits = List.copyOf(exits);
  }

  /** A command line and what it is good for. */
  public record Example(String line, String purpose) {}

  /** An exit code and what it means for this command. */
  public record Exit(int code, String meaning) {}

  @Nullable Option option(String name) {
    if (name.equals(Option.HELP.name())) {
      return Option.HELP;
    }
    for (Option option : options) {
      if (option.name().equals(name)) {
        return option;
      }
    }
    return null;
  }
}
