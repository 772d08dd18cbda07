package dev.kron.cli.line;

import dev.kron.text.Suggestion;
import dev.kron.text.WholeNumber;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The words of a command line, sorted into the places that a command declared. */
public final class CommandArguments {
  private final Map<String, List<String>> values;
  private final List<String> operands;

  private CommandArguments(Map<String, List<String>> values, List<String> operands) {
    this.values = values;
    this.operands = List.copyOf(operands);
  }

  /**
   * Sorts words by a declaration. {@code --help} anywhere wins over whatever else is wrong.
   *
   * @throws UsageException where a word has no place, or a place no word
   */
  public static CommandArguments parse(CommandSpec spec, List<String> words) {
    if (asksForHelp(words)) {
      return new CommandArguments(Map.of(Option.HELP.name(), List.of("")), List.of());
    }
    Map<String, List<String>> values = new HashMap<>();
    List<String> operands = new ArrayList<>();
    int at = 0;
    while (at < words.size()) {
      String word = words.get(at++);
      if (word.equals("--")) {
        operands.addAll(words.subList(at, words.size()));
        break;
      }
      // -2h is a time; no option begins with a digit.
      boolean time = word.length() > 1 && Character.isDigit(word.charAt(1));
      if (!word.startsWith("-") || word.equals("-") || time) {
        operands.add(word);
        continue;
      }
      int equals = word.indexOf('=');
      String name = equals < 0 ? word : word.substring(0, equals);
      Option option = known(spec, name);
      String value = "";
      if (option.takesValue()) {
        if (equals >= 0) {
          value = word.substring(equals + 1);
        } else if (at < words.size()) {
          value = words.get(at++);
        } else {
          throw new UsageException(name + " needs a value: " + option.usage());
        }
        checkChoice(option, value);
      } else if (equals >= 0) {
        throw new UsageException(name + " takes no value");
      }
      List<String> given = values.computeIfAbsent(name, _ -> new ArrayList<>(1));
      if (!given.isEmpty() && !option.repeatable()) {
        throw new UsageException(name + " may be given only once");
      }
      given.add(value);
    }
    checkOperands(spec, operands);
    return new CommandArguments(values, operands);
  }

  private static boolean asksForHelp(List<String> words) {
    for (String word : words) {
      if (word.equals("--")) {
        return false;
      }
      if (word.equals("--help") || word.equals("-h")) {
        return true;
      }
    }
    return false;
  }

  private static Option known(CommandSpec spec, String name) {
    Option option = spec.option(name);
    if (option != null) {
      return option;
    }
    List<String> names = new ArrayList<>();
    spec.options().forEach(known -> names.add(known.name()));
    names.add(Option.HELP.name());
    throw new UsageException(
        "kron " + spec.name() + " has no option " + name + suggestion(names, meant(name)));
  }

  /** One letter is no slip for another one. */
  private static String suggestion(List<String> names, String written) {
    boolean letter = written.length() <= 2;
    return letter && !names.contains(written) ? "" : Suggestion.among(names, written);
  }

  /** What other tools call an option that is a letter here. */
  private static String meant(String name) {
    return switch (name) {
      case "--follow" -> "-f";
      case "--lines", "--tail", "--number" -> "-n";
      default -> name;
    };
  }

  private static void checkChoice(Option option, String value) {
    if (option.completion() instanceof Completion.Words(List<String> words)
        && !words.contains(value)) {
      throw new UsageException(
          option.name()
              + " is one of "
              + String.join(", ", words)
              + ", not \""
              + value
              + "\""
              + Suggestion.among(words, value));
    }
  }

  private static void checkOperands(CommandSpec spec, List<String> operands) {
    Operand operand = spec.operand();
    int most = operand == null ? 0 : operand.maximum();
    if (operands.size() > most) {
      throw new UsageException(
          "\""
              + operands.get(most)
              + "\" is one word too many"
              + (operand == null ? "" : ": there is only one " + operand.name()));
    }
    if (operand != null && operands.size() < operand.minimum()) {
      throw new UsageException(operand.name() + " is missing: " + operand.help());
    }
  }

  public boolean has(String option) {
    return values.containsKey(option);
  }

  public @Nullable String value(String option) {
    List<String> given = values.get(option);
    return given == null ? null : given.getFirst();
  }

  public String value(String option, String otherwise) {
    String given = value(option);
    return given == null ? otherwise : given;
  }

  /**
   * The whole number that an option has.
   *
   * @param most {@link Integer#MAX_VALUE}: any number that a machine can count to
   * @throws UsageException if it is no number, or not within these bounds
   */
  public int number(String option, int otherwise, int least, int most) {
    return Math.toIntExact(longNumber(option, otherwise, least, most));
  }

  /** The same, of numbers that may be large. */
  public long longNumber(String option, long otherwise, long least, long most) {
    String text = value(option);
    if (text == null) {
      return otherwise;
    }
    OptionalLong number = WholeNumber.within(text, least, most);
    if (number.isPresent()) {
      return number.getAsLong();
    }
    String end = most == Integer.MAX_VALUE ? " on" : " to " + most;
    throw new UsageException(
        option + " is a whole number from " + least + end + ", not \"" + text + "\"");
  }

  public List<String> values(String option) {
    return values.getOrDefault(option, List.of());
  }

  public List<String> operands() {
    return operands;
  }

  public boolean helpWanted() {
    return has(Option.HELP.name());
  }
}
