package dev.kron.service;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The contents of one service file.
 *
 * @param file absolute, normalised path of the file, links in it not resolved
 * @param line of its name in the file, from 1
 * @param exec the words to execute; with {@code shell} exactly one, for {@code /bin/sh -c}; empty
 *     for a target
 * @param user name or number; null: the daemon's
 * @param group name or number; null: the user's own
 * @param cwd null: the daemon's
 * @param umask null: the daemon's
 * @param environment {@code KEY=value}, in the order of the file, no key twice
 * @param readySignal null if the service is ready by its health check, or without one as soon as
 *     its process was started
 * @param health null: its health is not checked
 * @param credentialProfile null: none
 */
public record ServiceSpec(
    String file,
    int line,
    String name,
    Type type,
    List<String> exec,
    boolean shell,
    int instances,
    boolean autostart,
    @Nullable String user,
    @Nullable String group,
    @Nullable String cwd,
    @Nullable Integer umask,
    @Nullable String description,
    List<String> environment,
    Dependencies dependencies,
    Lifecycle lifecycle,
    @Nullable ReadySignal readySignal,
    @Nullable HealthCheck health,
    Hooks hooks,
    @Nullable String credentialProfile,
    LogLimits log) {

  public ServiceSpec {
    exec = List.copyOf(exec);
    environment = List.copyOf(environment);
    if (exec.isEmpty() != (type == Type.TARGET)) {
      throw new IllegalArgumentException(
          type == Type.TARGET ? "a target has no command" : "a service needs a command");
    }
    if (shell && exec.size() != 1) {
      throw new IllegalArgumentException("a shell command is one text, not " + exec);
    }
    if (readySignal != null && type != Type.SIMPLE) {
      throw new IllegalArgumentException("only a simple service reports that it is ready");
    }
    if (instances < 1) {
      throw new IllegalArgumentException(instances + " instances, expected at least 1");
    }
  }

  public boolean isTarget() {
    return type == Type.TARGET;
  }

  /** The type of a service. */
  public enum Type {
    /** A service whose process runs for good. */
    SIMPLE,
    /**
     * A service whose process does something and exits; exit code 0 satisfies dependent services.
     */
    ONESHOT,
    /** A service without a process: a name for everything that it requires. */
    TARGET
  }

  /** Starts a builder with the parts that every service has. */
  public static Builder builder(String name, Type type, List<String> exec) {
    return new Builder(name, type, exec);
  }

  /** A builder of specifications; components that are not set keep their defaults. */
  public static final class Builder {
    private String file = "";
    private int line = 1;
    private final String name;
    private final Type type;
    private final List<String> exec;
    private boolean shell;
    private int instances = 1;
    private boolean autostart = true;
    private @Nullable String user;
    private @Nullable String group;
    private @Nullable String cwd;
    private @Nullable Integer umask;
    private @Nullable String description;
    private List<String> environment = List.of();
    private Dependencies dependencies = Dependencies.NONE;
    private Lifecycle lifecycle = Lifecycle.standard(false);
    private @Nullable ReadySignal readySignal;
    private @Nullable HealthCheck health;
    private Hooks hooks = Hooks.NONE;
    private @Nullable String credentialProfile;
    private LogLimits log = LogLimits.STANDARD;

    private Builder(String name, Type type, List<String> exec) {
      this.name = name;
      this.type = type;
      this.exec = exec;
    }

    public Builder file(String file) {
      this.file = file;
      return this;
    }

    public Builder line(int line) {
      this.line = line;
      return this;
    }

    public Builder shell(boolean shell) {
      this.shell = shell;
      return this;
    }

    public Builder instances(int instances) {
      this.instances = instances;
      return this;
    }

    public Builder autostart(boolean autostart) {
      this.autostart = autostart;
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

    public Builder umask(@Nullable Integer umask) {
      this.umask = umask;
      return this;
    }

    public Builder description(@Nullable String description) {
      this.description = description;
      return this;
    }

    public Builder environment(List<String> environment) {
      this.environment = environment;
      return this;
    }

    public Builder dependencies(Dependencies dependencies) {
      this.dependencies = dependencies;
      return this;
    }

    public Builder lifecycle(Lifecycle lifecycle) {
      this.lifecycle = lifecycle;
      return this;
    }

    public Builder readySignal(@Nullable ReadySignal readySignal) {
      this.readySignal = readySignal;
      return this;
    }

    public Builder health(@Nullable HealthCheck health) {
      this.health = health;
      return this;
    }

    public Builder hooks(Hooks hooks) {
      this.hooks = hooks;
      return this;
    }

    public Builder credentialProfile(@Nullable String credentialProfile) {
      this.credentialProfile = credentialProfile;
      return this;
    }

    public Builder log(LogLimits log) {
      this.log = log;
      return this;
    }

    public ServiceSpec build() {
      return new ServiceSpec(
          file,
          line,
          name,
          type,
          exec,
          shell,
          instances,
          autostart,
          user,
          group,
          cwd,
          umask,
          description,
          environment,
          dependencies,
          lifecycle,
          readySignal,
          health,
          hooks,
          credentialProfile,
          log);
    }
  }
}
