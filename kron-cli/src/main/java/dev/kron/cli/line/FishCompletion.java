package dev.kron.cli.line;

import dev.kron.cli.line.Completion.WordThenPaths;
import dev.kron.cli.line.Completion.Words;
import java.util.ArrayList;
import java.util.List;

/** Declarations as a fish script. */
public final class FishCompletion {
  private static final String NO_COMMAND = "__fish_use_subcommand";

  private FishCompletion() {}

  /** The lines of the script. */
  public static List<String> script(List<CommandSpec> specs) {
    List<String> lines = new ArrayList<>();
    lines.add("# fish completion for kron; write it to ~/.config/fish/completions/kron.fish");
    lines.add("complete -c kron -f");
    lines.add("complete -c krond -f");
    for (CommandSpec spec : specs) {
      lines.add(
          "complete -c kron -n %s -a %s -d %s"
              .formatted(NO_COMMAND, spec.name(), quoted(spec.summary())));
    }
    for (CommandSpec spec : specs) {
      command(lines, "kron -n '__fish_seen_subcommand_from " + spec.name() + "'", spec);
      if (spec.name().equals("run")) {
        command(lines, "krond", spec);
      }
    }
    return lines;
  }

  private static void command(List<String> lines, String where, CommandSpec spec) {
    for (Option option : spec.options()) {
      String name = option.name();
      lines.add(
          "complete -c "
              + where
              + (name.startsWith("--") ? " -l " + name.substring(2) : " -o " + name.substring(1))
              + " -d "
              + quoted(option.help())
              + (option.takesValue() ? " -r" + offer(option.completion()) : ""));
    }
    Operand operand = spec.operand();
    if (operand == null) {
      return;
    }
    if (operand.completion() instanceof Completion.InTurn(List<Completion> turns)) {
      for (int i = 0; i < turns.size(); i++) {
        String words = " -n 'test (count (commandline -opc)) -eq " + (i + 2) + "'";
        lines.add("complete -c " + where + words + offer(turns.get(i)));
      }
      return;
    }
    String offered = offer(operand.completion());
    if (!offered.isEmpty()) {
      lines.add("complete -c " + where + offered);
    }
  }

  private static String offer(Completion completion) {
    return switch (completion) {
      case Completion.Nothing _ -> "";
      case Completion.Paths _ -> " -F";
      case WordThenPaths(String word) -> " -F -a " + word;
      case Completion.Names names ->
          " -a '(kron completion --names " + names.word() + " 2>/dev/null)'";
      case Completion.InTurn(List<Completion> turns) -> offer(turns.getLast());
      case Words(List<String> words) -> " -a " + quoted(String.join(" ", words));
    };
  }

  private static String quoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}
