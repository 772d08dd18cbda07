package dev.kron.daemon.api;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * The router of requests. It checks the caller before the path, so that a caller without rights
 * does not even learn which paths there are.
 */
final class Router extends Handler.Abstract {
  private static final int LONGEST_QUERY = 8 * 1024;

  private final List<Route> routes;
  private final Guard guard;
  private final AtomicInteger underWay = new AtomicInteger();

  Router(List<Route> routes, Guard guard) {
    this.routes = List.copyOf(routes);
    this.guard = guard;
  }

  /** Waits until no request is being answered, but not for long. */
  void settle(long millis) {
    long end = System.nanoTime() + millis * 1_000_000L;
    while (underWay.get() > 0 && System.nanoTime() < end) {
      LockSupport.parkNanos(1_000_000L);
    }
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    var exchange =
        new Exchange(
            request,
            response,
            new Visitor("", Visitor.NOBODY, Authority.NOTHING),
            Map.of(),
            Map.of());
    underWay.incrementAndGet();
    ControlListener.answering(request);
    try {
      try {
        answer(request, response);
      } catch (ApiProblem problem) {
        refuse(exchange, problem);
      } catch (IllegalArgumentException | IllegalStateException e) {
        refuse(exchange, new ApiProblem(500, "this is a fault of krond: " + e));
      }
      callback.succeeded();
    } catch (IOException e) {
      // The other side hung up, or did not read for too long.
      callback.failed(e);
    } catch (RuntimeException e) {
      callback.failed(e);
    } finally {
      ControlListener.answered(request);
      underWay.decrementAndGet();
    }
    return true;
  }

  private static void refuse(Exchange exchange, ApiProblem problem) throws IOException {
    if (exchange.isCommitted()) {
      throw new EofException(problem.getMessage());
    }
    exchange.problem(problem);
  }

  private void answer(Request request, Response response) throws IOException {
    Visitor visitor = guard.visitor(request);
    if (visitor.authority() == Authority.NOTHING) {
      throw new ApiProblem(
          403,
          visitor.name()
              + " may not talk to this daemon: root and its own user may, and members of the groups"
              + " that it was started with (--reader-group, --operator-group)");
    }
    List<String> segments = segments(request.getHttpURI().getCanonicalPath());
    Set<String> allowed = new TreeSet<>();
    for (Route route : routes) {
      Map<String, String> parts = route.match(segments);
      if (parts == null) {
        continue;
      }
      if (!route.method().equals(request.getMethod())) {
        allowed.add(route.method());
        continue;
      }
      if (!visitor.authority().includes(route.needs())) {
        throw new ApiProblem(
            403,
            "%s may %s, and this needs somebody who may %s"
                .formatted(visitor.name(), text(visitor.authority()), text(route.needs())));
      }
      refuseBody(request);
      Map<String, String> query = query(request.getHttpURI().getQuery(), route.parameters());
      route.endpoint().answer(new Exchange(request, response, visitor, parts, query));
      return;
    }
    if (allowed.isEmpty()) {
      throw new ApiProblem(404, "there is no such path; docs/openapi.json lists all");
    }
    response.getHeaders().put(HttpHeader.ALLOW, String.join(", ", allowed));
    throw new ApiProblem(405, "here only " + String.join(", ", allowed) + " can be done");
  }

  private static String text(Authority authority) {
    return switch (authority) {
      case NOTHING -> "do nothing";
      case READ -> "read";
      case OPERATE -> "operate";
      case ALL -> "do everything";
    };
  }

  /** Refuses a request with a body: no operation takes one. */
  private static void refuseBody(Request request) {
    long length = request.getLength();
    if (length > 0 || (length < 0 && request.getHeaders().contains(HttpHeader.TRANSFER_ENCODING))) {
      throw new ApiProblem(
          413, "this takes no body: parameters stand in the address, after a question mark");
    }
  }

  private static List<String> segments(@Nullable String path) {
    if (path == null || !path.startsWith("/")) {
      throw new ApiProblem(404, "there is no such path; docs/openapi.json lists all");
    }
    var segments = new ArrayList<String>();
    for (String segment : Route.segments(path)) {
      segments.add(decode(segment.replace("+", "%2B")));
    }
    return segments;
  }

  private static Map<String, String> query(@Nullable String query, Set<String> known) {
    if (query == null || query.isEmpty()) {
      return Map.of();
    }
    if (query.length() > LONGEST_QUERY) {
      throw new ApiProblem(414, "parameters of more than " + LONGEST_QUERY + " bytes");
    }
    Map<String, String> parameters = new HashMap<>();
    for (String pair : query.split("&")) {
      int equals = pair.indexOf('=');
      String name = decode(equals < 0 ? pair : pair.substring(0, equals));
      String value = equals < 0 ? "" : decode(pair.substring(equals + 1));
      if (!known.contains(name)) {
        throw new ApiProblem(
            400,
            "the parameter "
                + name
                + " is not known here; "
                + (known.isEmpty() ? "there are none" : "known are " + new TreeSet<>(known)));
      }
      if (parameters.put(name, value) != null) {
        throw new ApiProblem(400, "the parameter " + name + " is given twice");
      }
    }
    return parameters;
  }

  private static String decode(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new ApiProblem(400, "\"" + text + "\" is not well encoded: " + e.getMessage());
    }
  }
}
