package dev.kron.process;

import java.util.ArrayList;
import java.util.List;

/**
 * The variables of a command on their way through processes that may have more rights than it: the
 * keeper, {@code setsid}, {@code setpriv}. Many a name is an instruction to whoever is started with
 * it ({@code LD_PRELOAD}, {@code GCONV_PATH}, {@code ENV}), so each travels as the value of a name
 * of the keeper's own, and {@code variables.sh} unwraps it as the command's user. No value is ever
 * an argument, which all users could read.
 */
final class Environment {

  /** Names of the keeper's own begin with this. */
  static final String RESERVED_PREFIX = "kron_keeper_";

  private Environment() {}

  /** What a keeper is started with. */
  static List<String> wrapped(Launch launch) {
    List<String> variables = new ArrayList<>(launch.environment().size() + 2);
    for (String variable : launch.environment()) {
      // By these two everybody finds what belongs to a run, the keeper too.
      if (isNamed(variable, Run.ID_VARIABLE) || isNamed(variable, Run.ALERT_VARIABLE)) {
        variables.add(variable);
      }
    }
    int number = 0;
    for (String variable : launch.environment()) {
      variables.add(RESERVED_PREFIX + ++number + "=" + variable);
    }
    return variables;
  }

  /** Whether some variable changes how every program after it is loaded. */
  static boolean concernsTheLoader(Launch launch) {
    return launch.environment().stream()
        .anyMatch(
            variable ->
                variable.startsWith("LD_")
                    || variable.startsWith("GLIBC_")
                    || variable.startsWith("MALLOC_"));
  }

  /** Whether a shell can have a variable of this name, and it is not one of the keeper's own. */
  static boolean isName(String name) {
    return !name.isEmpty()
        && !isDigit(name.charAt(0))
        && name.chars().allMatch(c -> isLetter(c) || isDigit(c))
        && !name.startsWith(RESERVED_PREFIX);
  }

  private static boolean isNamed(String variable, String name) {
    return variable.startsWith(name) && variable.charAt(name.length()) == '=';
  }

  private static boolean isLetter(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  private static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }
}
