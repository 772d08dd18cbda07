package dev.kron.service;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One service file.
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
 * @param health null: it is ready as soon as its process was started
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
    @Nullable HealthCheck health,
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
    if (instances < 1) {
      throw new IllegalArgumentException(instances + " instances, expected at least 1");
    }
  }

  public boolean isTarget() {
    return type == Type.TARGET;
  }

  /** What a service is. */
  public enum Type {
    /** Its process is to run for good. */
    SIMPLE,
    /** Its process does something and exits; exit 0 satisfies those who require it. */
    ONESHOT,
    /** No process: a name for all that it requires. */
    TARGET
  }
}
