package dev.kron.job;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which variables a command can be given. A shell stands before every command and hands its
 * variables on, so a name must be one that shells can have and do not keep for themselves.
 */
public final class VariableNames {
  /** Fixed, counted or acted upon by dash, bash or busybox, whatever they are set to. */
  private static final Set<String> KEPT_BY_SHELLS =
      Set.of(
          "_",
          "BASHOPTS",
          "BASH_ARGC",
          "BASH_ARGV",
          "BASH_LINENO",
          "BASH_SOURCE",
          "BASH_VERSINFO",
          "BASH_XTRACEFD",
          "EUID",
          "OLDPWD",
          "OPTIND",
          "PIPESTATUS",
          "PPID",
          "PWD",
          "SHELLOPTS",
          "SHLVL",
          "TMOUT",
          "UID");

  /** Names by which a command's variables travel. */
  private static final String RESERVED_PREFIX = "kron_keeper_";

  private VariableNames() {}

  public static boolean isIdentifier(String name) {
    return !name.isEmpty()
        && !isDigit(name.charAt(0))
        && name.chars().allMatch(c -> isLetter(c) || isDigit(c));
  }

  /** What is wrong with a name and what to do instead, to stand after it; null: nothing. */
  public static @Nullable String problem(String name) {
    if (!isIdentifier(name)) {
      return "a variable's name is made of letters, digits and \"_\" and begins with no digit";
    }
    if (KEPT_BY_SHELLS.contains(name)) {
      return "shells keep this name for themselves, so no command can be given it; choose another"
          + " name, or set it in a script";
    }
    return name.startsWith(RESERVED_PREFIX)
        ? "names that begin with " + RESERVED_PREFIX + " are krond's own; choose another name"
        : null;
  }

  private static boolean isLetter(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  private static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }
}
