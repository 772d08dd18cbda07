package dev.kron.store;

import dev.kron.service.Dependencies;
import dev.kron.service.Lifecycle;
import dev.kron.service.ServiceSpec;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The persisted part of a service's specification: enough to recognise the service, and to end its
 * processes in order when its file is gone. It contains neither the environment nor any secret.
 *
 * @param command the program; empty for a target
 * @param args its arguments; none with {@code shell}
 * @param instances the number in its file
 * @param maxRetries 0 for no limit
 * @param file the service file; empty if it is gone and only processes are left
 * @param desired whether the operator wants it up
 * @param credentialBinding the profile bound by command, which takes precedence over the file's;
 *     null for none
 * @param scaledTo the number of instances that an operator wants; null for the file's
 * @param stoppedInstances the instances that an operator wants down although the service is up
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
    Dependencies dependencies,
    @Nullable Integer scaledTo,
    List<Integer> stoppedInstances) {

  private static final Lifecycle USUAL = Lifecycle.standard(false);

  /** The operator's wish for a service, whatever its state. */
  public enum Desired {
    UP,
    DOWN
  }

  public ProcessSpec {
    args = List.copyOf(args);
    stoppedInstances = List.copyOf(stoppedInstances);
    if (instances < 1
        || (scaledTo != null && scaledTo < 1)
        || maxRetries < 0
        || stopTimeoutMillis < 1) {
      throw new IllegalArgumentException(
          "%s: %s instances, %s retries, %s ms to stop: out of bounds"
              .formatted(name, instances, maxRetries, stopTimeoutMillis));
    }
  }

  /** The same for a service whose file is gone. */
  public ProcessSpec withoutFile() {
    return toBuilder().file("").build();
  }

  public ProcessSpec withDesired(Desired other) {
    return toBuilder().desired(other).build();
  }

  /** Starts a builder for a service. */
  public static Builder builder(UUID id, String name) {
    return new Builder(id, name);
  }

  /** A builder that starts from this spec. */
  public Builder toBuilder() {
    return new Builder(this);
  }

  /** A builder of specs; components that are not set keep their defaults. */
  public static final class Builder {
    private final UUID id;
    private final String name;
    private String command = "";
    private List<String> args = List.of();
    private int instances = 1;
    private Lifecycle.Restart restart = USUAL.restart();
    private int maxRetries;
    private ServiceSpec.Type type = ServiceSpec.Type.SIMPLE;
    private boolean shell;
    private String file = "";
    private Desired desired = Desired.UP;
    private @Nullable String credentialBinding;
    private String stopSignal = USUAL.stopSignal();
    private long stopTimeoutMillis = USUAL.stopTimeoutMillis();
    private Dependencies dependencies = Dependencies.NONE;
    private @Nullable Integer scaledTo;
    private List<Integer> stoppedInstances = List.of();

    private Builder(UUID id, String name) {
      this.id = id;
      this.name = name;
    }

    private Builder(ProcessSpec other) {
      id = other.id;
      name = other.name;
      command = other.command;
      args = other.args;
      instances = other.instances;
      restart = other.restart;
      maxRetries = other.maxRetries;
      type = other.type;
      shell = other.shell;
      file = other.file;
      desired = other.desired;
      credentialBinding = other.credentialBinding;
      stopSignal = other.stopSignal;
      stopTimeoutMillis = other.stopTimeoutMillis;
      dependencies = other.dependencies;
      scaledTo = other.scaledTo;
      stoppedInstances = other.stoppedInstances;
    }

    public Builder command(String command) {
      this.command = command;
      return this;
    }

    public Builder args(List<String> args) {
      this.args = args;
      return this;
    }

    public Builder instances(int instances) {
      this.instances = instances;
      return this;
    }

    public Builder restart(Lifecycle.Restart restart) {
      this.restart = restart;
      return this;
    }

    public Builder maxRetries(int maxRetries) {
      this.maxRetries = maxRetries;
      return this;
    }

    public Builder type(ServiceSpec.Type type) {
      this.type = type;
      return this;
    }

    public Builder shell(boolean shell) {
      this.shell = shell;
      return this;
    }

    public Builder file(String file) {
      this.file = file;
      return this;
    }

    public Builder desired(Desired desired) {
      this.desired = desired;
      return this;
    }

    public Builder credentialBinding(@Nullable String credentialBinding) {
      this.credentialBinding = credentialBinding;
      return this;
    }

    public Builder stopSignal(String stopSignal) {
      this.stopSignal = stopSignal;
      return this;
    }

    public Builder stopTimeoutMillis(long stopTimeoutMillis) {
      this.stopTimeoutMillis = stopTimeoutMillis;
      return this;
    }

    public Builder dependencies(Dependencies dependencies) {
      this.dependencies = dependencies;
      return this;
    }

    public Builder scaledTo(@Nullable Integer scaledTo) {
      this.scaledTo = scaledTo;
      return this;
    }

    public Builder stoppedInstances(List<Integer> stoppedInstances) {
      this.stoppedInstances = stoppedInstances;
      return this;
    }

    public ProcessSpec build() {
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
          desired,
          credentialBinding,
          stopSignal,
          stopTimeoutMillis,
          dependencies,
          scaledTo,
          stoppedInstances);
    }
  }
}
