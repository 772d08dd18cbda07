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

  /** The most variables that are unwrapped by one text, which is itself a variable. */
  private static final int UNWRAPPED_AT_ONCE = 400;

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

  /**
   * The commands that unwrap the variables. A name that was unset means nothing special to a shell
   * any more, so that comes first.
   */
  static List<String> unwrapping(Launch launch) {
    List<String> variables = launch.environment();
    List<String> texts = new ArrayList<>(1);
    for (int from = 0; from < variables.size(); from += UNWRAPPED_AT_ONCE) {
      int to = Math.min(variables.size(), from + UNWRAPPED_AT_ONCE);
      StringBuilder special = new StringBuilder("unset");
      StringBuilder exported = new StringBuilder("\nexport");
      StringBuilder wrapped = new StringBuilder("\nunset");
      for (int i = from; i < to; i++) {
        String variable = variables.get(i);
        String wrapper = RESERVED_PREFIX + (i + 1);
        special.append(' ').append(variable, 0, variable.indexOf('='));
        exported.append(" \"$").append(wrapper).append('"');
        wrapped.append(' ').append(wrapper);
      }
      String name = RESERVED_PREFIX + "export_" + (texts.size() + 1);
      texts.add(name + "=" + special.append(exported).append(wrapped));
    }
    return texts;
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
