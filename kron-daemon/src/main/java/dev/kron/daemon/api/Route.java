package dev.kron.daemon.api;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One operation: a method on a path, who may call it, which parameters it knows.
 *
 * @param template such as {@code /v1/jobs/{job}/runs}
 */
record Route(
    String method, String template, Authority needs, Set<String> parameters, Endpoint endpoint) {

  /** The code that answers. */
  @FunctionalInterface
  interface Endpoint {
    void answer(Exchange exchange) throws IOException;
  }

  static Route get(String template, Endpoint endpoint, String... parameters) {
    return new Route("GET", template, Authority.READ, Set.of(parameters), endpoint);
  }

  static Route post(String template, Endpoint endpoint, String... parameters) {
    return new Route("POST", template, Authority.OPERATE, Set.of(parameters), endpoint);
  }

  Route needing(Authority authority) {
    return new Route(method, template, authority, parameters, endpoint);
  }

  /**
   * The variable parts of a matching path, by name; null if it does not match.
   *
   * @param segments of the path, decoded
   */
  @Nullable Map<String, String> match(List<String> segments) {
    List<String> wanted = segments(template);
    if (wanted.size() != segments.size()) {
      return null;
    }
    Map<String, String> parts = new HashMap<>();
    for (int i = 0; i < wanted.size(); i++) {
      String segment = wanted.get(i);
      if (segment.startsWith("{")) {
        parts.put(segment.substring(1, segment.length() - 1), segments.get(i));
      } else if (!segment.equals(segments.get(i))) {
        return null;
      }
    }
    return parts;
  }

  /** The parts between the slashes of a path, as they are. */
  static List<String> segments(String path) {
    return List.of(path.substring(1).split("/", -1));
  }
}
