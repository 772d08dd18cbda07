package dev.kron.daemon.loop;

import dev.kron.process.Signal;
import java.util.List;

/**
 * A request of an operator that concerns services. Names are those of services, not of instances.
 */
public sealed interface ServiceRequest extends Request {
  /** Wanted up, with all that they require and want. */
  record Start(List<String> services) implements ServiceRequest {
    public Start {
      services = List.copyOf(services);
    }
  }

  /** Wanted down, after all that require them. */
  record Stop(List<String> services) implements ServiceRequest {
    public Stop {
      services = List.copyOf(services);
    }
  }

  /** Wanted up with new processes. */
  record Restart(List<String> services) implements ServiceRequest {
    public Restart {
      services = List.copyOf(services);
    }
  }

  /** A signal to the process groups of all its instances. */
  record SendSignal(String service, Signal signal) implements ServiceRequest {}

  /** Its processes get these credentials from now on, whatever its file says. */
  record BindCredentials(String service, String profile) implements ServiceRequest {}

  /** Its file decides again. */
  record UnbindCredentials(String service) implements ServiceRequest {}
}
