package dev.kron.cli.line;

import dev.kron.cli.line.Completion.Nothing;
import dev.kron.cli.line.Completion.Paths;
import dev.kron.cli.line.Completion.Words;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An option that a command takes.
 *
 * @param name with its dashes
 * @param value what the help calls its value, null where it takes none
 * @param repeatable whether it may be given more than once
 * @param help a sentence without its full stop
 */
public record Option(
    String name, @Nullable String value, boolean repeatable, Completion completion, String help) {

  /** The option that every command has. */
  static final Option HELP = flag("--help", "show this text");

  public static Option flag(String name, String help) {
    return new Option(name, null, false, Nothing.NOTHING, help);
  }

  public static Option value(String name, String value, String help) {
    return new Option(name, value, false, Nothing.NOTHING, help);
  }

  public static Option path(String name, String value, String help) {
    return new Option(name, value, false, Paths.PATHS, help);
  }

  /** An option whose value is a name that a running daemon knows. */
  public static Option named(String name, String value, Completion.Names names, String help) {
    return new Option(name, value, false, names, help);
  }

  /** An option whose value is one of a few words; the parser refuses any other. */
  public static Option choice(String name, List<String> words, String help) {
    return new Option(name, String.join("|", words), false, new Words(words), help);
  }

  public Option repeated() {
    return new Option(name, value, true, completion, help);
  }

  boolean takesValue() {
    return value != null;
  }

  /** As it stands in a help text: {@code --count N}. */
  String usage() {
    return value == null ? name : name + " " + value;
  }
}
