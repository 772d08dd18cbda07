package dev.kron.job;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The names that a command's environment variables may have. A shell runs before every command and
 * passes its variables on, so a name must be valid for shells and not be reserved by one.
 */
public final class VariableNames {
  /** Names that dash, bash or busybox set or act on, whatever they were set to before. */
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

  /** The prefix under which a command's variables are passed to its keeper. */
  private static final String RESERVED_PREFIX = "kron_keeper_";

  private VariableNames() {}

  public static boolean isIdentifier(String name) {
    return !name.isEmpty()
        && !isDigit(name.charAt(0))
        && name.chars().allMatch(c -> isLetter(c) || isDigit(c));
  }

  /**
   * The problem with a name and its remedy, as the end of a sentence that begins with the name;
   * null if the name is fine.
   */
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
