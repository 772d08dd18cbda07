package dev.kron.cli.graph;

import dev.kron.service.GraphProblem.Relation;
import dev.kron.service.ServiceGraph;
import dev.kron.service.ServiceSpec;
import java.util.Collection;
import java.util.Map;

/**
 * A graph that is to be drawn.
 *
 * @param symbols of the states by name, {@code [+]}; those that are not in it never started
 */
public record Drawing(ServiceGraph graph, Map<String, String> symbols) {
  private static final String INACTIVE = "[-]";

  public Drawing {
    symbols = Map.copyOf(symbols);
  }

  Collection<ServiceSpec> services() {
    return graph.services().values();
  }

  String symbol(String name) {
    return symbols.getOrDefault(name, INACTIVE);
  }

  /** The services that a service names in its file; unknown ones are left out. */
  Collection<String> named(ServiceSpec service, Relation relation) {
    return switch (relation) {
      case REQUIRES -> graph.requires(service.name());
      case WANTS -> graph.wants(service.name());
      case AFTER -> graph.after(service.name());
      case CONFLICTS -> service.dependencies().conflicts();
    };
  }

  /** What a person wants to know beside the name; empty: nothing. */
  static String kind(ServiceSpec service) {
    String kind =
        switch (service.type()) {
          case SIMPLE -> "";
          case ONESHOT -> "oneshot";
          case TARGET -> "target";
        };
    return service.instances() > 1 ? service.instances() + " instances" : kind;
  }

  /** The name of a state, for the class attribute of a picture. */
  static String stateOf(String symbol) {
    return switch (symbol) {
      case "[?]" -> "blocked";
      case "[>]" -> "starting";
      case "[+]" -> "running";
      case "[!]" -> "stopping";
      case "[.]" -> "exited";
      case "[X]" -> "failed";
      default -> "inactive";
    };
  }
}
