package dev.kron.job;

import dev.kron.cron.Boot;
import dev.kron.schedule.Schedule;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One krontab entry.
 *
 * <p>A daemon holds up to a million of these. Whoever makes them shares equal parts (file,
 * schedule, words, environment), and the identity is computed on demand.
 *
 * @param file absolute, normalised path of the krontab, links in it not resolved
 * @param line the line it stands on, from 1
 * @param command the words to execute; with {@code shell} exactly one, for {@code /bin/sh -c}
 * @param user name or number; null: the daemon's
 * @param group name or number; null: the user's own
 * @param cwd null: the daemon's
 * @param envfile absolute path of a file with variables, read at each start; null: none
 * @param environment {@code KEY=value}, in the order of the line, no key twice
 * @param profile the credential profile, read at each start; null: none
 * @param umask null: the daemon's
 * @param timeout null: none
 * @param onFailure words of a command to run when a run fails, empty: the daemon's setting
 * @param retry which exit codes count as success, and how failed runs are retried
 * @param then names of the jobs of the same file that run after each success
 * @param nice added to the daemon's own niceness, 0 to 19
 * @param watch the limits after which somebody is notified: a late start, a long run and the like
 * @param fleet the fields that only a krontab of a fleet has, null: a job of this machine alone
 */
public record JobSpec(
    String file,
    int line,
    String name,
    Schedule schedule,
    List<String> command,
    boolean shell,
    @Nullable String user,
    @Nullable String group,
    @Nullable String cwd,
    @Nullable String envfile,
    List<String> environment,
    @Nullable String profile,
    @Nullable Integer umask,
    @Nullable Duration timeout,
    Input stdin,
    Output stdout,
    Output stderr,
    @Nullable String description,
    List<String> onFailure,
    RetryPolicy retry,
    List<String> then,
    int nice,
    JobWatch watch,
    @Nullable FleetRules fleet) {

  public JobSpec {
    command = List.copyOf(command);
    environment = List.copyOf(environment);
    onFailure = List.copyOf(onFailure);
    then = List.copyOf(then);
    if (command.isEmpty()) {
      throw new IllegalArgumentException("a job needs a command");
    }
    if (shell && command.size() != 1) {
      throw new IllegalArgumentException("a shell command is one text, not " + command);
    }
  }

  /** Whether another entry means the same, wherever it stands in its file. */
  public boolean saysTheSame(JobSpec other) {
    return line == other.line ? equals(other) : equals(other.atLine(line));
  }

  private JobSpec atLine(int line) {
    return builder(file, name, schedule, command)
        .line(line)
        .shell(shell)
        .user(user)
        .group(group)
        .cwd(cwd)
        .envfile(envfile)
        .environment(environment)
        .profile(profile)
        .umask(umask)
        .timeout(timeout)
        .stdin(stdin)
        .stdout(stdout)
        .stderr(stderr)
        .description(description)
        .onFailure(onFailure)
        .retry(retry)
        .then(then)
        .nice(nice)
        .watch(watch)
        .fleet(fleet)
        .build();
  }

  /** The rules that the job's machine needs. In a fleet, attempts are claimed like periods. */
  public RunRules rules() {
    return new RunRules(
        schedule.policy(),
        isClaimed() ? retry.withoutRetries() : retry,
        then.stream().map(this::identityOf).toList(),
        isClaimed(),
        schedule.choosesExactly());
  }

  /**
   * Whether a fleet's database says which of its runs begin here. What runs after each boot of a
   * machine concerns that machine alone, in a fleet too.
   */
  public boolean isClaimed() {
    return fleet != null && schedule.times() != Boot.INSTANCE;
  }

  /**
   * The job's identity in seeds, state and logs: {@code <file>:<name>}, and for a job of a fleet
   * {@code fleet:<path>:<name>}, which is the same on every node.
   */
  public String identity() {
    return identityOf(name);
  }

  /**
   * The identity by which the seconds of its periods are chosen. Where every node of a fleet runs a
   * job for itself, the node's name is part of it, so that not all begin at once.
   */
  public String seed() {
    return fleet != null && fleet.on().all() ? identity() + "@" + fleet.node() : identity();
  }

  /** The identity of a job of the same file. */
  private String identityOf(String other) {
    return fleet == null ? file + ":" + other : fleet.prefix() + other;
  }

  /** Starts a builder with the parts that every entry has. */
  public static Builder builder(String file, String name, Schedule schedule, List<String> command) {
    return new Builder(file, name, schedule, command);
  }

  /** Whether its input is the output of the run that caused it. */
  public boolean stdinOfCause() {
    return stdin instanceof Input.Cause;
  }

  /** The source of the command's input. */
  public sealed interface Input {
    /** No input: {@code /dev/null}. */
    enum Nothing implements Input {
      NOTHING
    }

    /** The output of the run that caused it. */
    enum Cause implements Input {
      CAUSE
    }

    /**
     * A file, opened by each run.
     *
     * @param path absolute, as written, with its {@code %} fields
     */
    record File(String path) implements Input {}
  }

  /** The destination of a stream of the command. */
  public sealed interface Output {
    /** The daemon's own stream; the output is captured as well. */
    enum Inherit implements Output {
      INHERIT
    }

    /** Nowhere: the output is dropped. */
    enum Discard implements Output {
      DISCARD
    }

    /** The system log. */
    enum Syslog implements Output {
      SYSLOG
    }

    /**
     * A file, appended to.
     *
     * @param path absolute, as written, with its {@code %} fields
     */
    record File(String path) implements Output {}
  }

  /** A builder of the optional parts; those that are not set keep their defaults. */
  public static final class Builder {
    private final String file;
    private final String name;
    private final Schedule schedule;
    private final List<String> command;
    private int line = 1;
    private boolean shell;
    private @Nullable String user;
    private @Nullable String group;
    private @Nullable String cwd;
    private @Nullable String envfile;
    private List<String> environment = List.of();
    private @Nullable String profile;
    private @Nullable Integer umask;
    private @Nullable Duration timeout;
    private Input stdin = Input.Nothing.NOTHING;
    private Output stdout = Output.Inherit.INHERIT;
    private Output stderr = Output.Inherit.INHERIT;
    private @Nullable String description;
    private List<String> onFailure = List.of();
    private RetryPolicy retry = RetryPolicy.NONE;
    private List<String> then = List.of();
    private int nice;
    private JobWatch watch = JobWatch.NONE;
    private @Nullable FleetRules fleet;

    private Builder(String file, String name, Schedule schedule, List<String> command) {
      this.file = file;
      this.name = name;
      this.schedule = schedule;
      this.command = command;
    }

    public Builder line(int line) {
      this.line = line;
      return this;
    }

    public Builder shell(boolean shell) {
      this.shell = shell;
      return this;
    }

    public Builder user(@Nullable String user) {
      this.user = user;
      return this;
    }

    public Builder group(@Nullable String group) {
      this.group = group;
      return this;
    }

    public Builder cwd(@Nullable String cwd) {
      this.cwd = cwd;
      return this;
    }

    public Builder envfile(@Nullable String envfile) {
      this.envfile = envfile;
      return this;
    }

    public Builder environment(List<String> environment) {
      this.environment = environment;
      return this;
    }

    public Builder profile(@Nullable String profile) {
      this.profile = profile;
      return this;
    }

    public Builder umask(@Nullable Integer umask) {
      this.umask = umask;
      return this;
    }

    public Builder timeout(@Nullable Duration timeout) {
      this.timeout = timeout;
      return this;
    }

    public Builder stdin(Input stdin) {
      this.stdin = stdin;
      return this;
    }

    public Builder stdout(Output stdout) {
      this.stdout = stdout;
      return this;
    }

    public Builder stderr(Output stderr) {
      this.stderr = stderr;
      return this;
    }

    public Builder description(@Nullable String description) {
      this.description = description;
      return this;
    }

    public Builder onFailure(List<String> onFailure) {
      this.onFailure = onFailure;
      return this;
    }

    public Builder retry(RetryPolicy retry) {
      this.retry = retry;
      return this;
    }

    public Builder then(List<String> then) {
      this.then = then;
      return this;
    }

    public Builder nice(int nice) {
      this.nice = nice;
      return this;
    }

    public Builder watch(JobWatch watch) {
      this.watch = watch;
      return this;
    }

    public Builder fleet(@Nullable FleetRules fleet) {
      this.fleet = fleet;
      return this;
    }

    public JobSpec build() {
      return new JobSpec(
          file,
          line,
          name,
          schedule,
          command,
          shell,
          user,
          group,
          cwd,
          envfile,
          environment,
          profile,
          umask,
          timeout,
          stdin,
          stdout,
          stderr,
          description,
          onFailure,
          retry,
          then,
          nice,
          watch,
          fleet);
    }
  }
}
