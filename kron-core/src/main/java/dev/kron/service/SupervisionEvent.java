package dev.kron.service;

import java.util.Collection;
import java.util.List;
import java.util.Set;

/** Something that happened to services, or that an operator wants of them. */
public sealed interface SupervisionEvent {

  /** These services are wanted up, with everything that they require and want. */
  record StartRequested(List<String> services) implements SupervisionEvent {
    public StartRequested {
      services = List.copyOf(services);
    }
  }

  /** These services are wanted down, and before them everything that requires them. */
  record StopRequested(List<String> services) implements SupervisionEvent {
    public StopRequested {
      services = List.copyOf(services);
    }
  }

  /** These services are to get new processes; services that require them go on. */
  record RestartRequested(List<String> services) implements SupervisionEvent {
    public RestartRequested {
      services = List.copyOf(services);
    }
  }

  /** An operator wants this many instances of a service, until its file changes the number. */
  record ScaleRequested(String service, int instances) implements SupervisionEvent {
    public ScaleRequested {
      if (instances < 1) {
        throw new IllegalArgumentException(instances + " instances, expected at least 1");
      }
    }
  }

  /** An operator wants one instance started, stopped or restarted; the others go on. */
  record InstanceRequested(InstanceId instance, Act act) implements SupervisionEvent {
    /** The request for the instance. */
    public enum Act {
      START,
      STOP,
      RESTART
    }
  }

  /** One instance had an event. */
  record Happened(InstanceId instance, ServiceEvent event) implements SupervisionEvent {}

  /**
   * The files have changed.
   *
   * @param specs everything that the files say now; their graph has no problems
   * @param differing instances whose processes would be others if they were started now
   */
  record Reloaded(Collection<ServiceSpec> specs, Set<InstanceId> differing)
      implements SupervisionEvent {
    public Reloaded {
      specs = List.copyOf(specs);
      differing = Set.copyOf(differing);
    }
  }

  /**
   * A new daemon knows what became of every process, and the events of that were sent. Services
   * that are wanted up and at rest begin now.
   */
  record Recovered() implements SupervisionEvent {}

  /**
   * The machine or container goes down: everything is stopped, and stays wanted up.
   *
   * @param untilBootMillis the moment by which everything must be gone
   */
  record Halted(long untilBootMillis) implements SupervisionEvent {}
}
