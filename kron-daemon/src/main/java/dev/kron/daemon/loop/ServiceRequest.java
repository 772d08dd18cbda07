package dev.kron.daemon.loop;

import dev.kron.process.Signal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request of an operator that concerns services. */
public sealed interface ServiceRequest extends Request {
  /** Bring these services up, with all that they require and want. */
  record Start(List<String> services) implements ServiceRequest {
    public Start {
      services = List.copyOf(services);
    }
  }

  /** Bring these services down, after all that require them. */
  record Stop(List<String> services) implements ServiceRequest {
    public Stop {
      services = List.copyOf(services);
    }
  }

  /** Give these services new processes. */
  record Restart(List<String> services) implements ServiceRequest {
    public Restart {
      services = List.copyOf(services);
    }
  }

  /**
   * One instance is to be started, stopped or restarted; the others go on as they are.
   *
   * @param instance by its number
   */
  record OneInstance(String service, int instance, Act act) implements ServiceRequest {
    /** The request for the instance. */
    public enum Act {
      START,
      STOP,
      RESTART
    }
  }

  /**
   * So many instances are wanted, until the service's file says another number than now.
   *
   * @param dryRun only say what it would start and stop
   */
  record Scale(String service, int instances, boolean dryRun) implements ServiceRequest {}

  /**
   * A signal to the process groups of its instances.
   *
   * @param instance by its number; null: all of them
   */
  record SendSignal(String service, @Nullable Integer instance, Signal signal)
      implements ServiceRequest {}

  /**
   * Run its reload command.
   *
   * @param instance by its number; null: of all that are running
   */
  record Reload(String service, @Nullable Integer instance) implements ServiceRequest {}

  /** Give the service's processes these credentials from now on, whatever its file says. */
  record BindCredentials(String service, String profile) implements ServiceRequest {}

  /** Let the service's file decide about credentials again. */
  record UnbindCredentials(String service) implements ServiceRequest {}
}
