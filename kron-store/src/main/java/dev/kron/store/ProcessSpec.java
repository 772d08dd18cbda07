package dev.kron.store;

import dev.kron.service.Dependencies;
import dev.kron.service.Lifecycle;
import dev.kron.service.ServiceSpec;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a service: enough to recognise it, and to end its processes in order when its file
 * is gone. Its environment is not in it, and neither is any secret.
 *
 * @param command the program; empty for a target
 * @param args its arguments; with {@code shell} none
 * @param maxRetries 0: no limit
 * @param file the service file; empty: it is in none any more, and only its processes are left
 * @param desired what the operator wants
 * @param credentialBinding the profile bound by command, which goes before the file's; null: none
 */
public record ProcessSpec(
    UUID id,
    String name,
    String command,
    List<String> args,
    int instances,
    Lifecycle.Restart restart,
    int maxRetries,
    ServiceSpec.Type type,
    boolean shell,
    String file,
    Desired desired,
    @Nullable String credentialBinding,
    String stopSignal,
    long stopTimeoutMillis,
    Dependencies dependencies) {

  /** What the operator wants of a service, whatever state it is in. */
  public enum Desired {
    UP,
    DOWN
  }

  public ProcessSpec {
    args = List.copyOf(args);
    if (instances < 1 || maxRetries < 0 || stopTimeoutMillis < 1) {
      throw new IllegalArgumentException(
          "%s: %s instances, %s retries, %s ms to stop: out of bounds"
              .formatted(name, instances, maxRetries, stopTimeoutMillis));
    }
  }

  /** The same of a service whose file is gone. */
  public ProcessSpec withoutFile() {
    return new ProcessSpec(
        id,
        name,
        command,
        args,
        instances,
        restart,
        maxRetries,
        type,
        shell,
        "",
        desired,
        credentialBinding,
        stopSignal,
        stopTimeoutMillis,
        dependencies);
  }

  public ProcessSpec withDesired(Desired other) {
    return new ProcessSpec(
        id,
        name,
        command,
        args,
        instances,
        restart,
        maxRetries,
        type,
        shell,
        file,
        other,
        credentialBinding,
        stopSignal,
        stopTimeoutMillis,
        dependencies);
  }
}
