package dev.kron.cli.line;

import dev.kron.cli.line.Completion.WordThenPaths;
import dev.kron.cli.line.Completion.Words;
import java.util.ArrayList;
import java.util.List;

/** Declarations as a bash script. */
public final class BashCompletion {
  private BashCompletion() {}

  /** The lines of the script. */
  public static List<String> script(List<CommandSpec> specs) {
    List<String> lines = new ArrayList<>();
    lines.add("# bash completion for kron; load it with: source <(kron completion bash)");
    lines.add("_kron() {");
    lines.add("  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}");
    lines.add("  local options='' words='' paths=''");
    lines.add("  if [[ $current == = ]]; then current=''; fi");
    lines.add("  if [[ $previous == = && $COMP_CWORD -ge 2 ]]; then");
    lines.add("    previous=${COMP_WORDS[COMP_CWORD-2]}");
    lines.add("  fi");
    lines.add("  if [[ $COMP_CWORD -eq 1 ]]; then");
    lines.add(
        "    COMPREPLY=($(compgen -W '"
            + commandNames(specs)
            + " --help --version' -- \"$current\"))");
    lines.add("    return");
    lines.add("  fi");
    lines.add("  case ${COMP_WORDS[1]} in");
    specs.forEach(spec -> command(lines, spec));
    lines.add("  esac");
    lines.add("  if [[ $current == -* ]]; then");
    lines.add("    COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))");
    lines.add("  elif [[ -n $words ]]; then");
    lines.add("    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))");
    lines.add("  elif [[ -n $paths ]]; then");
    lines.add("    compopt -o filenames 2>/dev/null");
    lines.add("    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")");
    lines.add("  fi");
    lines.add("}");
    lines.add("_krond() {");
    lines.add("  COMP_WORDS=(kron run \"${COMP_WORDS[@]:1}\")");
    lines.add("  COMP_CWORD=$((COMP_CWORD + 1))");
    lines.add("  _kron");
    lines.add("}");
    lines.add("complete -F _kron kron ./kron");
    lines.add("complete -F _krond krond ./krond");
    return lines;
  }

  private static String commandNames(List<CommandSpec> specs) {
    StringBuilder names = new StringBuilder();
    for (CommandSpec spec : specs) {
      names.append(names.isEmpty() ? "" : " ").append(spec.name());
    }
    return names.toString();
  }

  private static void command(List<String> lines, CommandSpec spec) {
    StringBuilder options = new StringBuilder(Option.HELP.name());
    spec.options().forEach(option -> options.append(' ').append(option.name()));
    lines.add("    " + spec.name() + ")");
    lines.add("      options='" + options + "'");
    lines.add("      case $previous in");
    for (Option option : spec.options()) {
      if (option.takesValue()) {
        lines.add(
            "        " + option.name() + ") options='' " + offer(option.completion()) + " ;;");
      }
    }
    Operand operand = spec.operand();
    lines.add("        *) " + (operand == null ? ":" : offer(operand.completion())) + " ;;");
    lines.add("      esac");
    lines.add("      ;;");
  }

  private static String offer(Completion completion) {
    return switch (completion) {
      case Completion.Nothing _ -> "words=''";
      case Completion.Paths _ -> "paths=yes";
      case Completion.Names names ->
          "words=$(kron completion --names " + names.word() + " 2>/dev/null)";
      case WordThenPaths(String word) ->
          "if [[ $COMP_CWORD -eq 2 ]]; then words='" + word + "'; else paths=yes; fi";
      case Completion.InTurn(List<Completion> turns) -> inTurn(turns);
      case Words(List<String> words) -> "words='" + String.join(" ", words) + "'";
    };
  }

  private static String inTurn(List<Completion> turns) {
    StringBuilder cases = new StringBuilder("case $COMP_CWORD in ");
    for (int i = 0; i < turns.size(); i++) {
      String word = i + 1 == turns.size() ? "*" : Integer.toString(i + 2);
      cases.append(word).append(") ").append(offer(turns.get(i))).append(" ;; ");
    }
    return cases + "esac";
  }
}
