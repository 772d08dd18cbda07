package dev.kron.service;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A mistake in how services depend on each other that can never work. Readers of files find its
 * place by {@link #service()}, {@link #relation()} and {@link #name()}.
 */
public sealed interface GraphProblem {

  /** The ways in which one service names another. */
  enum Relation {
    REQUIRES,
    WANTS,
    AFTER,
    CONFLICTS;

    /** The key in a service file. */
    public String key() {
      return switch (this) {
        case REQUIRES -> "requires";
        case WANTS -> "wants";
        case AFTER -> "after";
        case CONFLICTS -> "conflicts";
      };
    }
  }

  /** The service in whose file the mistake can be corrected. */
  String service();

  /** The key of that file. */
  Relation relation();

  /** The entry under that key. */
  String name();

  /** The problem, for people. */
  String message();

  /** A name that belongs to no service. */
  record Missing(String service, Relation relation, String name) implements GraphProblem {
    @Override
    public String message() {
      return "%s %s \"%s\", and there is no such service".formatted(service, verb(relation), name);
    }
  }

  /** A service that names itself. */
  record Itself(String service, Relation relation) implements GraphProblem {
    @Override
    public String name() {
      return service;
    }

    @Override
    public String message() {
      return "%s %s itself".formatted(service, verb(relation));
    }
  }

  /**
   * Services that wait for each other.
   *
   * @param links each link leads to the next one, the last to the first
   */
  record Cycle(List<Link> links) implements GraphProblem {
    public Cycle {
      links = List.copyOf(links);
    }

    /** One service of the cycle, and how it names the next one. */
    public record Link(String service, Relation relation, String name) {}

    @Override
    public String service() {
      return links.getFirst().service();
    }

    @Override
    public Relation relation() {
      return links.getFirst().relation();
    }

    @Override
    public String name() {
      return links.getFirst().name();
    }

    /** All services of the cycle; the first one is repeated at the end. */
    public List<String> names() {
      List<String> names = new ArrayList<>();
      links.forEach(link -> names.add(link.service()));
      names.add(service());
      return names;
    }

    @Override
    public String message() {
      return "these wait for each other, so that none can start: "
          + links.stream()
              .map(link -> "%s %s %s".formatted(link.service(), verb(link.relation()), link.name()))
              .collect(Collectors.joining(", "));
    }
  }

  /**
   * A service that requires a service it must not run beside.
   *
   * @param relation CONFLICTS if the service itself names the conflict; REQUIRES if two of its
   *     required services conflict, or one of them conflicts with it
   * @param path from the service along its requirements to the one it must not run beside
   * @param other the end of the other path; the service itself if it is the one that conflicts
   */
  record ConflictWithRequired(
      String service, Relation relation, String name, List<String> path, String other)
      implements GraphProblem {
    public ConflictWithRequired {
      path = List.copyOf(path);
    }

    @Override
    public String message() {
      String needed = path.getLast();
      String way = path.size() > 2 ? " (" + String.join(" requires ", path) + ")" : "";
      return other.equals(service)
          ? "%s requires %s%s and conflicts with it, so that it can never start"
              .formatted(service, needed, way)
          : "%s requires both %s%s and %s, which conflict, so that it can never start"
              .formatted(service, needed, way, other);
    }
  }

  private static String verb(Relation relation) {
    return switch (relation) {
      case REQUIRES -> "requires";
      case WANTS -> "wants";
      case AFTER -> "comes after";
      case CONFLICTS -> "conflicts with";
    };
  }
}
