package dev.kron.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The command line of a keeper: the shell between the daemon and a command that outlives both.
 * {@code keeper.sh} is what it does; {@code prepared-keeper.sh} and {@code gate.sh} are how it
 * waits.
 */
final class Keeper {

  /** The name of keepers among their arguments. */
  static final String NAME = "krond-keeper";

  private static final String SCRIPT = Environment.RESERVED_PREFIX + "script";
  private static final String GATE = Environment.RESERVED_PREFIX + "gate";
  private static final String START = Environment.RESERVED_PREFIX + "start";
  private static final String VARIABLES = Environment.RESERVED_PREFIX + "variables";

  /** The directories of programs that only root can install. */
  private static final List<String> DIRECTORIES = List.of("/usr/bin", "/bin", "/usr/sbin", "/sbin");

  private final String script = script("keeper.sh");
  private final String preparedScript = script("prepared-keeper.sh");
  private final String gate = script("gate.sh");
  private final String fence = script("latest.sh");
  private final String variables = script("variables.sh");
  private final String start = script("start.sh") + variables + "exec \"$@\"\n";
  private final String shell;
  private final String bootId;
  private final String limit;
  private final int umask = ProcFiles.ownUmask();
  private final @Nullable String setsid = find("setsid");
  private final @Nullable String setpriv = find("setpriv");
  private final @Nullable String sleep = find("sleep");
  private final @Nullable String nice = find("nice");

  /**
   * Finds the programs that keepers need on this machine.
   *
   * @param openFiles the limit of open files for commands, if it differs from the inherited one
   */
  Keeper(String shell, String bootId, OptionalLong openFiles) {
    this.shell = shell;
    limit = openFiles.isPresent() ? Long.toString(openFiles.getAsLong()) : "";
    this.bootId = bootId;
  }

  String shell() {
    return shell;
  }

  /**
   * The words that start a keeper.
   *
   * @param waits whether it waits for a line on descriptor 4 before it begins
   */
  List<String> words(Launch launch, boolean waits) throws LaunchFailure {
    boolean unwrapsLater = unwrapsLater(launch, waits);
    Path directory = launch.cwd();
    String cwd = directory == null ? "" : directory.toString();
    List<String> words = new ArrayList<>();
    words.add(shell);
    words.add("-c");
    words.add("eval \"$" + SCRIPT + "\"");
    words.add(NAME);
    words.add(launch.run().directory().toString());
    words.add(bootId);
    Integer mask = launch.umask();
    words.add("0" + Integer.toOctalString(mask == null ? umask : mask));
    words.add(limit);
    words.add(unwrapsLater ? "" : cwd);
    words.add(comm(launch));
    words.add(need(sleep, "sleep", Stage.EXEC));
    if (waits) {
      words.add(shell);
    }
    words.add(need(setsid, "setsid", Stage.EXEC));
    if (launch.nice() > 0) {
      words.add(need(nice, "nice", Stage.EXEC));
      words.addAll(List.of("-n", Integer.toString(launch.nice())));
    }
    addUser(words, launch);
    if (unwrapsLater) {
      words.addAll(List.of(shell, "-c", "eval \"$" + START + "\"", "krond-start", cwd));
    }
    words.addAll(launch.command());
    return words;
  }

  /**
   * Whether a program comes before the command that must not see its variables because it has more
   * rights or would be loaded with them. Otherwise the last of the keeper's own processes decodes
   * them.
   */
  private static boolean unwrapsLater(Launch launch, boolean waits) {
    return launch.credentials() != null
        || ((!waits || launch.nice() > 0) && Environment.concernsTheLoader(launch));
  }

  /** The environment of a keeper: the command's variables, wrapped, and the scripts. */
  List<String> environment(Launch launch, boolean waits) {
    List<String> variables = Environment.wrapped(launch);
    variables.add(SCRIPT + "=" + (waits ? preparedScript : fence(launch) + script));
    if (waits) {
      variables.add(GATE + "=" + gate);
    }
    variables.add(
        unwrapsLater(launch, waits) ? START + "=" + start : VARIABLES + "=" + this.variables);
    variables.addAll(Environment.unwrapping(launch));
    return variables;
  }

  /** What stands before a keeper's script whose run must not begin after a moment. */
  private String fence(Launch launch) {
    Long latest = launch.latestBootMillis();
    return latest == null ? "" : "kron_keeper_latest=" + latest / 10 + "\n" + fence;
  }

  /** The name of a keeper in lists of processes: what it keeps, as far as the kernel has room. */
  private static String comm(Launch launch) {
    for (String variable : launch.environment()) {
      if (variable.startsWith(Run.JOB_VARIABLE + "=")
          || variable.startsWith(Run.SERVICE_VARIABLE + "=")) {
        return "kron:" + variable.substring(variable.indexOf('=') + 1);
      }
    }
    return NAME;
  }

  private void addUser(List<String> words, Launch launch) throws LaunchFailure {
    Credentials credentials = launch.credentials();
    if (credentials == null) {
      return;
    }
    words.add(need(setpriv, "setpriv", Stage.USER));
    words.add("--reuid=" + Integer.toUnsignedString(credentials.uid()));
    words.add("--regid=" + Integer.toUnsignedString(credentials.gid()));
    words.add(
        credentials.groups().isEmpty()
            ? "--clear-groups"
            : credentials.groups().stream()
                .map(Integer::toUnsignedString)
                .collect(Collectors.joining(",", "--groups=", "")));
    words.add("--inh-caps=-all");
    words.add("--");
  }

  private static String need(@Nullable String program, String name, Stage stage)
      throws LaunchFailure {
    if (program == null) {
      throw new LaunchFailure(stage, name + " was not found in " + String.join(":", DIRECTORIES));
    }
    return program;
  }

  private static @Nullable String find(String name) {
    for (String directory : DIRECTORIES) {
      Path file = Path.of(directory, name);
      if (Files.isExecutable(file)) {
        return file.toString();
      }
    }
    return null;
  }

  /** A script without its comments: three processes of each run are given a copy. */
  private static String script(String name) {
    try (InputStream in = Keeper.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException(name + " is missing beside " + Keeper.class);
      }
      return new String(in.readAllBytes(), UTF_8).replaceAll("(?m)^ *#.*\n", "");
    } catch (IOException e) {
      throw new IllegalStateException(name + " cannot be read", e);
    }
  }
}
