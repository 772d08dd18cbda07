package dev.kron.cli.line;

import dev.kron.cli.line.Completion.WordThenPaths;
import dev.kron.cli.line.Completion.Words;
import dev.kron.text.ShellWords;
import java.util.ArrayList;
import java.util.List;

/** Declarations as a zsh completion function. */
public final class ZshCompletion {
  private ZshCompletion() {}

  /** The lines of the script. */
  public static List<String> script(List<CommandSpec> specs) {
    List<String> lines = new ArrayList<>();
    lines.add("#compdef kron krond");
    lines.add("# zsh completion for kron; write it to a file _kron in a directory of $fpath");
    lines.add("_kron() {");
    lines.add("  if [[ $service == krond ]]; then");
    lines.add("    words=(kron run \"${(@)words[2,-1]}\")");
    lines.add("    (( CURRENT++ ))");
    lines.add("  fi");
    lines.add("  local -a commands=(");
    specs.forEach(
        spec -> lines.add("    " + ShellWords.quoted(spec.name() + ":" + spec.summary())));
    lines.add("  )");
    lines.add("  if (( CURRENT == 2 )); then");
    lines.add("    _describe -t commands 'kron command' commands");
    lines.add("    return");
    lines.add("  fi");
    lines.add("  local command=${words[2]}");
    lines.add("  shift words");
    lines.add("  (( CURRENT-- ))");
    lines.add("  case $command in");
    specs.forEach(spec -> command(lines, spec));
    lines.add("  esac");
    lines.add("}");
    lines.add(
        "if [[ $funcstack[1] == _kron ]]; then _kron \"$@\"; else compdef _kron kron krond; fi");
    return lines;
  }

  private static void command(List<String> lines, CommandSpec spec) {
    lines.add("    " + spec.name() + ")");
    lines.add("      _arguments \\");
    for (Option option : spec.options()) {
      lines.add("        " + ShellWords.quoted(option(option)) + " \\");
    }
    Operand operand = spec.operand();
    if (operand != null) {
      if (operand.completion() instanceof WordThenPaths(String word)) {
        lines.add("        " + ShellWords.quoted("1:" + word + ":(" + word + ")") + " \\");
      }
      if (operand.completion() instanceof Completion.InTurn(List<Completion> turns)) {
        for (int i = 0; i < turns.size(); i++) {
          argument(lines, Integer.toString(i + 1), operand, turns.get(i));
        }
      } else {
        argument(lines, operand.maximum() > 1 ? "*" : "1", operand, operand.completion());
      }
    }
    lines.add("        " + ShellWords.quoted("--help[" + Option.HELP.help() + "]"));
    lines.add("      ;;");
  }

  private static void argument(
      List<String> lines, String place, Operand operand, Completion completion) {
    lines.add(
        "        "
            + ShellWords.quoted(place + ":" + plain(operand.name()) + action(completion))
            + " \\");
  }

  private static String option(Option option) {
    String head = (option.repeatable() ? "*" : "") + option.name();
    String help = "[" + plain(option.help()) + "]";
    return option.value() == null
        ? head + help
        : head + "=" + help + ":" + plain(option.value()) + action(option.completion());
  }

  private static String action(Completion completion) {
    return switch (completion) {
      case Completion.Nothing _ -> ": ";
      case Completion.Paths _, WordThenPaths _ -> ":_files";
      case Completion.Names names ->
          ":{compadd -- ${(f)\"$(kron completion --names " + names.word() + " 2>/dev/null)\"}}";
      case Completion.InTurn(List<Completion> turns) -> action(turns.getLast());
      case Words(List<String> words) -> ":(" + String.join(" ", words) + ")";
    };
  }

  /** Brackets and colons mean something to {@code _arguments}. */
  private static String plain(String text) {
    StringBuilder plain = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '[' || c == ']' || c == ':' || c == '\\') {
        plain.append('\\');
      }
      plain.append(c);
    }
    return plain.toString();
  }
}
