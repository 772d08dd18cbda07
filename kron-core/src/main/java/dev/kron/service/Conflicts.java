package dev.kron.service;

import static java.util.Comparator.comparingInt;
import static java.util.Comparator.comparingLong;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The choice between running services that conflict, which new files may cause. The one that has
 * run longest stays; the others are stopped and wait until it is gone.
 */
public final class Conflicts {
  private Conflicts() {}

  /**
   * The services to stop.
   *
   * @param isWanted whether a service is to stay up at all
   * @return each service to stop, with the one that it conflicts with
   */
  public static Map<String, String> toStop(
      ServiceGraph graph,
      Function<String, List<ServiceInstance>> instances,
      Predicate<String> isWanted) {
    Map<String, String> toStop = new LinkedHashMap<>();
    if (!graph.hasConflicts()) {
      return toStop;
    }
    Map<String, Long> since = new LinkedHashMap<>();
    for (String service : graph.startOrder()) {
      long began = began(instances.apply(service));
      if (began != Long.MAX_VALUE && isWanted.test(service)) {
        since.put(service, began);
      }
    }
    List<String> staying = new ArrayList<>();
    since.keySet().stream()
        .sorted(
            comparingLong((String service) -> since.getOrDefault(service, 0L))
                .thenComparing(comparingInt(graph::rank)))
        .forEach(
            service -> {
              String stronger =
                  staying.stream()
                      .filter(graph.conflicts(service)::contains)
                      .findFirst()
                      .orElse("");
              if (stronger.isEmpty()) {
                staying.add(service);
              } else {
                toStop.put(service, stronger);
              }
            });
    return toStop;
  }

  /** The start of the oldest process of a service that is not being stopped. */
  private static long began(List<ServiceInstance> instances) {
    long first = Long.MAX_VALUE;
    for (ServiceInstance instance : instances) {
      if (instance.runId() != null) {
        switch (instance.state()) {
          case ServiceState.Starting starting -> first = Math.min(first, starting.startedAt());
          case ServiceState.Running running -> first = Math.min(first, running.readyAt());
          case ServiceState.Inactive inactive -> {}
          case ServiceState.Blocked blocked -> {}
          case ServiceState.Stopping stopping -> {}
          case ServiceState.Exited exited -> {}
          case ServiceState.Failed failed -> {}
        }
      }
    }
    return first;
  }
}
