package dev.kron.daemon.runs;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A command exactly as it is executed.
 *
 * @param problem why it cannot be started; null if nothing is known
 * @param user the name
 * @param groups supplementary group ids
 * @param cwd null for the daemon's own, which is {@code daemonCwd}
 * @param umask null for the daemon's own
 * @param environment {@code NAME=value}, secrets masked
 */
public record ExactCommand(
    @Nullable String problem,
    List<String> argv,
    String user,
    int uid,
    int gid,
    List<Integer> groups,
    String cwd,
    @Nullable Integer umask,
    List<String> environment,
    Streams streams) {
  /** Where the input comes from, and where both outputs go. */
  public record Streams(String stdin, String stdout, String stderr) {
    public static final String NOTHING = "/dev/null";
  }

  public static final String MASKED = "********";

  /** Words in a variable's name that mark its value as a secret. */
  private static final Set<String> SECRET =
      Set.of(
          "PASS",
          "PASSWORD",
          "PASSWD",
          "PASSPHRASE",
          "PWD",
          "SECRET",
          "SECRETS",
          "TOKEN",
          "KEY",
          "APIKEY",
          "CREDENTIAL",
          "CREDENTIALS",
          "AUTH",
          "COOKIE",
          "SESSION",
          "DSN",
          "PAT");

  private static final Pattern WORD_ENDS = Pattern.compile("[_.-]");

  public ExactCommand {
    argv = List.copyOf(argv);
    groups = List.copyOf(groups);
    environment = mask(environment);
  }

  private static List<String> mask(List<String> environment) {
    var masked = new ArrayList<String>(environment.size());
    for (String variable : environment) {
      int equals = variable.indexOf('=');
      String name = variable.substring(0, equals);
      masked.add(isSecret(name, variable.substring(equals + 1)) ? name + "=" + MASKED : variable);
    }
    return List.copyOf(masked);
  }

  /**
   * Whether a value is a secret: by the variable's name, or because it is an address with a
   * password.
   */
  static boolean isSecret(String name, String value) {
    if (name.equals("PWD") || name.equals("OLDPWD")) {
      return false;
    }
    for (String word : WORD_ENDS.split(name.toUpperCase(Locale.ROOT))) {
      if (SECRET.contains(word) || word.endsWith("PASSWORD") || word.endsWith("TOKEN")) {
        return true;
      }
    }
    int scheme = value.indexOf("://");
    int at = scheme < 0 ? -1 : value.indexOf('@', scheme);
    int colon = scheme < 0 ? -1 : value.indexOf(':', scheme + 3);
    return colon > 0 && colon < at;
  }
}
