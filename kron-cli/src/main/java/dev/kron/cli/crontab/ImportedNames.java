package dev.kron.cli.crontab;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** The names of imported jobs, made from their commands; no name is used twice. */
final class ImportedNames {
  private static final int LONGEST = 48;

  /** What sets the parts of a shell command apart. */
  private static final Pattern PART = Pattern.compile("&&|\\|\\|?|;|[{}()]");

  /** An expression of the shell, which names nothing. */
  private static final Pattern ARITHMETIC = Pattern.compile("\\$\\(\\(.*?\\)\\)");

  /** Programs that only prepare for the command. */
  private static final Set<String> PREPARATIONS =
      Set.of("cd", "test", "[", "[[", ":", "true", "sleep", "export", "umask", ".", "source", "if");

  /** Programs that run another program, which follows them. */
  private static final Set<String> WRAPPERS =
      Set.of(
          "sudo",
          "nice",
          "ionice",
          "nohup",
          "exec",
          "time",
          "env",
          "chronic",
          "command",
          "then",
          "timeout",
          "flock",
          "sh",
          "bash",
          "dash",
          "zsh",
          "ksh",
          "python",
          "python2",
          "python3",
          "perl",
          "php",
          "ruby",
          "node",
          "run-parts");

  private static final Set<String> EXTENSIONS =
      Set.of("sh", "bash", "py", "pl", "php", "rb", "js", "jar");

  private final Set<String> taken = new HashSet<>();

  String of(String command) {
    String name = "job";
    for (String part : PART.split(ARITHMETIC.matcher(command).replaceAll(""))) {
      List<String> words = List.of(part.strip().split("[ \\t]+"));
      if (!PREPARATIONS.contains(words.getFirst())) {
        String found = program(words);
        if (!found.isEmpty()) {
          name = found;
          break;
        }
      }
    }
    return unique(name);
  }

  /** The name of the program; a wrapper alone names itself. */
  private static String program(List<String> words) {
    String best = "";
    String before = "";
    for (String word : words) {
      String bare = word.replaceAll("[\"']", "");
      boolean said =
          bare.startsWith("-") || bare.matches("[A-Za-z_]\\w*=.*|[0-9.]+[smhd]?|[<>&].*");
      boolean belongsToOther =
          before.equals("-u") || before.equals("-g") || (best.equals("flock") && !said);
      before = bare;
      if (belongsToOther) {
        best = "";
      }
      if (said || belongsToOther || bare.isEmpty()) {
        continue;
      }
      String base = bare.substring(bare.lastIndexOf('/') + 1);
      best = name(base.isEmpty() ? bare : base);
      if (!WRAPPERS.contains(base) && !best.isEmpty()) {
        break;
      }
    }
    return best;
  }

  private static String name(String word) {
    int dot = word.lastIndexOf('.');
    boolean extension = dot > 0 && EXTENSIONS.contains(word.substring(dot + 1));
    String name =
        (extension ? word.substring(0, dot) : word)
            .toLowerCase(Locale.ROOT)
            .replaceAll("[^a-z0-9]+", "-")
            .replaceAll("^-|-$", "");
    return name.length() <= LONGEST ? name : name.substring(0, LONGEST).replaceAll("-$", "");
  }

  private String unique(String name) {
    String candidate = name;
    for (int number = 2; !taken.add(candidate); number++) {
      candidate = name + "-" + number;
    }
    return candidate;
  }
}
