package dev.kron.service;

import java.util.Collection;
import java.util.List;
import java.util.Set;

/** Something that happened to services, or is asked of them. */
public sealed interface SupervisionEvent {

  /** These are wanted up, and with them all that they require and want. */
  record StartRequested(List<String> services) implements SupervisionEvent {
    public StartRequested {
      services = List.copyOf(services);
    }
  }

  /** These are wanted down, and before them all that require them. */
  record StopRequested(List<String> services) implements SupervisionEvent {
    public StopRequested {
      services = List.copyOf(services);
    }
  }

  /** These are wanted up with new processes; who requires them goes on. */
  record RestartRequested(List<String> services) implements SupervisionEvent {
    public RestartRequested {
      services = List.copyOf(services);
    }
  }

  /** Something happened to one instance. */
  record Happened(InstanceId instance, ServiceEvent event) implements SupervisionEvent {}

  /**
   * The files say something else now.
   *
   * @param specs all that they say; there is nothing wrong with their graph
   * @param differing services whose processes would be others if they were started now
   */
  record Reloaded(Collection<ServiceSpec> specs, Set<String> differing)
      implements SupervisionEvent {
    public Reloaded {
      specs = List.copyOf(specs);
      differing = Set.copyOf(differing);
    }
  }

  /**
   * What became of every process is known to the new daemon, and was told. Whatever is wanted up
   * and at rest begins.
   */
  record Recovered() implements SupervisionEvent {}

  /**
   * The machine or container goes down: everything is stopped, and stays wanted up.
   *
   * @param untilBootMillis by when nothing may be left
   */
  record Halted(long untilBootMillis) implements SupervisionEvent {}
}
