package dev.kron.process;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that a start needs to know.
 *
 * @param command the words to execute; a first one without a slash is looked up in the {@code PATH}
 *     of {@code environment}
 * @param environment exactly what the command gets, as {@code NAME=value}; {@code KRON_RUN_ID} must
 *     be in it. It passes through a shell, so a name is an identifier, and not one of the few that
 *     shells keep for themselves ({@code UID}, {@code SHLVL})
 * @param cwd null: the daemon's
 * @param umask null: the daemon's
 * @param credentials null: the daemon's own
 * @param stdin null: {@code /dev/null}
 */
public record Launch(
    Run run,
    List<String> command,
    List<String> environment,
    @Nullable Path cwd,
    @Nullable Integer umask,
    @Nullable Credentials credentials,
    @Nullable Path stdin,
    OutputTarget stdout,
    OutputTarget stderr) {

  public Launch {
    command = List.copyOf(command);
    environment = List.copyOf(environment);
    if (command.isEmpty() || command.getFirst().isEmpty()) {
      throw new IllegalArgumentException("run " + run.id() + " has an empty command");
    }
    for (String word : command) {
      refuseNul(run, "a word of the command", word);
    }
    for (String variable : environment) {
      refuseNul(run, "a variable", variable);
      if (variable.indexOf('=') < 1) {
        throw new IllegalArgumentException(
            "run " + run.id() + " has a variable without a name or without '='");
      }
      String name = variable.substring(0, variable.indexOf('='));
      if (!Environment.isName(name)) {
        throw new IllegalArgumentException(
            "run " + run.id() + " has a variable called \"" + name + "\", which no shell can have");
      }
    }
    if (!environment.contains(Run.ID_VARIABLE + "=" + run.id())) {
      throw new IllegalArgumentException(
          "the environment of run " + run.id() + " lacks " + Run.ID_VARIABLE + "=" + run.id());
    }
    if (umask != null && (umask < 0 || umask > 0777)) {
      throw new IllegalArgumentException(
          "umask 0" + Integer.toOctalString(umask) + ", expected 0 to 0777");
    }
  }

  private static void refuseNul(Run run, String what, String text) {
    if (text.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(
          "run " + run.id() + " has " + what + " with a NUL in it, which no process can be given");
    }
  }
}
