package dev.kron.process;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a start.
 *
 * @param command the words to execute; a first one without a slash is looked up in the {@code PATH}
 *     of {@code environment}
 * @param environment exactly what the command gets, as {@code NAME=value}; {@code KRON_RUN_ID} must
 *     be in it, empty only for an alert of which no run is the cause. It passes through a shell, so
 *     a name is an identifier, and not one of the few that shells keep for themselves ({@code UID},
 *     {@code SHLVL})
 * @param cwd null: the daemon's
 * @param umask null: the daemon's
 * @param credentials null: the daemon's own
 * @param nice added to the daemon's own niceness, 0 to 19
 * @param readyDescriptor the descriptor on which the command reports that it is ready, 3 to 9;
 *     null: none
 * @param latestBootMillis since the boot: the keeper does not begin later than this, leaves a file
 *     {@link #LATE} in the run's directory and no claim; null: it begins whenever it comes
 */
public record Launch(
    Run run,
    List<String> command,
    List<String> environment,
    @Nullable Path cwd,
    @Nullable Integer umask,
    @Nullable Credentials credentials,
    InputSource stdin,
    OutputTarget stdout,
    OutputTarget stderr,
    int nice,
    @Nullable Integer readyDescriptor,
    @Nullable Long latestBootMillis) {
  /** The mark of a keeper that came too late. */
  public static final String LATE = "late";

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
    if (!environment.contains(Run.ID_VARIABLE + "=" + run.id())
        && !isAlertWithoutRun(environment)) {
      throw new IllegalArgumentException(
          "the environment of run " + run.id() + " lacks " + Run.ID_VARIABLE + "=" + run.id());
    }
    if (nice < 0 || nice > 19) {
      throw new IllegalArgumentException("nice " + nice + ", expected 0 to 19");
    }
    if (readyDescriptor != null && (readyDescriptor < 3 || readyDescriptor > 9)) {
      throw new IllegalArgumentException("descriptor " + readyDescriptor + ", expected 3 to 9");
    }
    if (umask != null && (umask < 0 || umask > 0777)) {
      throw new IllegalArgumentException(
          "umask 0" + Integer.toOctalString(umask) + ", expected 0 to 0777");
    }
  }

  /** Whether it tells of a period in which nothing was started, and so of no run. */
  private static boolean isAlertWithoutRun(List<String> environment) {
    return environment.contains(Run.ID_VARIABLE + "=")
        && environment.stream().anyMatch(each -> each.startsWith(Run.ALERT_VARIABLE + "="));
  }

  private static void refuseNul(Run run, String what, String text) {
    if (text.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(
          "run " + run.id() + " has " + what + " with a NUL in it, which no process can be given");
    }
  }

  /**
   * Starts a builder of a launch that captures its output and otherwise runs as the daemon does.
   */
  public static Builder builder(Run run, List<String> command, List<String> environment) {
    return new Builder(run, command, environment);
  }

  /** A builder that starts from this launch. */
  public Builder toBuilder() {
    return new Builder(this);
  }

  /** A builder of launches; components that are not set keep their defaults. */
  public static final class Builder {
    private Run run;
    private final List<String> command;
    private List<String> environment;
    private @Nullable Path cwd;
    private @Nullable Integer umask;
    private @Nullable Credentials credentials;
    private InputSource stdin = new InputSource.Nothing();
    private OutputTarget stdout = new OutputTarget.Capture();
    private OutputTarget stderr = new OutputTarget.Capture();
    private int nice;
    private @Nullable Integer readyDescriptor;
    private @Nullable Long latestBootMillis;

    private Builder(Run run, List<String> command, List<String> environment) {
      this.run = run;
      this.command = command;
      this.environment = environment;
    }

    private Builder(Launch other) {
      run = other.run;
      command = other.command;
      environment = other.environment;
      cwd = other.cwd;
      umask = other.umask;
      credentials = other.credentials;
      stdin = other.stdin;
      stdout = other.stdout;
      stderr = other.stderr;
      nice = other.nice;
      readyDescriptor = other.readyDescriptor;
      latestBootMillis = other.latestBootMillis;
    }

    public Builder run(Run run) {
      this.run = run;
      return this;
    }

    public Builder environment(List<String> environment) {
      this.environment = environment;
      return this;
    }

    public Builder cwd(@Nullable Path cwd) {
      this.cwd = cwd;
      return this;
    }

    public Builder umask(@Nullable Integer umask) {
      this.umask = umask;
      return this;
    }

    public Builder credentials(@Nullable Credentials credentials) {
      this.credentials = credentials;
      return this;
    }

    public Builder stdin(InputSource stdin) {
      this.stdin = stdin;
      return this;
    }

    public Builder stdout(OutputTarget stdout) {
      this.stdout = stdout;
      return this;
    }

    public Builder stderr(OutputTarget stderr) {
      this.stderr = stderr;
      return this;
    }

    public Builder nice(int nice) {
      this.nice = nice;
      return this;
    }

    public Builder latestBootMillis(@Nullable Long latestBootMillis) {
      this.latestBootMillis = latestBootMillis;
      return this;
    }

    public Builder readyDescriptor(@Nullable Integer readyDescriptor) {
      this.readyDescriptor = readyDescriptor;
      return this;
    }

    public Launch build() {
      return new Launch(
          run,
          command,
          environment,
          cwd,
          umask,
          credentials,
          stdin,
          stdout,
          stderr,
          nice,
          readyDescriptor,
          latestBootMillis);
    }
  }
}
