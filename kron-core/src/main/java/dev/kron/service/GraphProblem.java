package dev.kron.service;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Something about services taken together that can never work. Whoever read the files finds the
 * place by {@link #service()}, {@link #relation()} and {@link #name()}.
 */
public sealed interface GraphProblem {

  /** How one service names another. */
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

  /** In whose file it is to be mended. */
  String service();

  /** Under which key of that file. */
  Relation relation();

  /** The entry under that key. */
  String name();

  /** What is wrong, for people. */
  String message();

  /** A name that no service has. */
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
   * @param links each leads to the next, the last one to the first
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

    /** All of them, the first one again at the end. */
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
   * A service that needs what it must not run beside.
   *
   * @param relation CONFLICTS where the service itself says so, REQUIRES where two of those that it
   *     requires do, or one of them conflicts with it
   * @param path from the service to the one it must not run beside, along what is required
   * @param other the end of the other path; the service itself where that is who conflicts
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
