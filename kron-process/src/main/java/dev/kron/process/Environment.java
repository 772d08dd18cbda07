package dev.kron.process;

import java.util.ArrayList;
import java.util.List;

/**
 * The encoding of a command's variables on their way through processes that may have more rights
 * than the command: the keeper, {@code setsid}, {@code setpriv}. Some names are instructions to the
 * program that is started with them ({@code LD_PRELOAD}, {@code GCONV_PATH}, {@code ENV}). So each
 * variable travels as the value of a harmless name, and {@code variables.sh} decodes it as the
 * command's user. No value is ever an argument, since all users can read arguments.
 */
final class Environment {

  /** The prefix of the harmless names. */
  static final String RESERVED_PREFIX = "kron_keeper_";

  private Environment() {}

  /** The environment of a keeper. */
  static List<String> wrapped(Launch launch) {
    List<String> variables = new ArrayList<>(launch.environment().size() + 3);
    for (String variable : launch.environment()) {
      // These two stay as they are: by them the processes of a run are found, including the keeper.
      if (isNamed(variable, Run.ID_VARIABLE) || isNamed(variable, Run.ALERT_VARIABLE)) {
        variables.add(variable);
      }
    }
    if (launch.readyDescriptor() != null) {
      variables.add(RESERVED_PREFIX + "ready=" + launch.readyDescriptor());
    }
    int number = 0;
    for (String variable : launch.environment()) {
      variables.add(RESERVED_PREFIX + ++number + "=" + variable);
    }
    return variables;
  }

  /** Whether a variable changes how programs are loaded. */
  static boolean concernsTheLoader(Launch launch) {
    return launch.environment().stream()
        .anyMatch(
            variable ->
                variable.startsWith("LD_")
                    || variable.startsWith("GLIBC_")
                    || variable.startsWith("MALLOC_"));
  }

  /** Whether a name is valid in shells and not reserved by the keeper. */
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
