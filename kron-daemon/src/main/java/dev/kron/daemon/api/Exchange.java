package dev.kron.daemon.api;

import dev.kron.cron.CronCalendar;
import dev.kron.json.JsonWriter;
import dev.kron.json.JsonWriter.Layout;
import dev.kron.text.WholeNumber;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.jspecify.annotations.Nullable;

/** One request and its answer, as the endpoints see them. */
final class Exchange {
  private static final int WAIT_SECONDS = 20;
  private static final Set<Integer> NOT_WELCOME = Set.of(401, 403, 421);
  private static final int IGNORED_BYTES = 512;

  private final Request request;
  private final Response response;
  private final Visitor visitor;
  private final Map<String, String> path;
  private final Map<String, String> query;

  /**
   * @param path the variable parts of the path, by name
   * @param query the parameters, each given once and known to the route
   */
  Exchange(
      Request request,
      Response response,
      Visitor visitor,
      Map<String, String> path,
      Map<String, String> query) {
    this.request = request;
    this.response = response;
    this.visitor = visitor;
    this.path = path;
    this.query = query;
  }

  Visitor visitor() {
    return visitor;
  }

  /** Whether the request came by the unix socket, so that the kernel has named the user. */
  boolean isFromSocket() {
    return request.getConnectionMetaData().getConnector() instanceof ControlSocket;
  }

  String who() {
    return visitor.name();
  }

  String part(String name) {
    return path.getOrDefault(name, "");
  }

  @Nullable String parameter(String name) {
    return query.get(name);
  }

  String parameter(String name, String otherwise) {
    return query.getOrDefault(name, otherwise);
  }

  boolean flag(String name) {
    return switch (query.getOrDefault(name, "false")) {
      case "true", "1", "" -> true;
      case "false", "0" -> false;
      default -> throw new ApiProblem(400, name + " is true or false, not " + query.get(name));
    };
  }

  long number(String name, long otherwise, long least, long most) {
    String text = query.get(name);
    if (text == null) {
      return otherwise;
    }
    return WholeNumber.within(text, least, most)
        .orElseThrow(
            () ->
                new ApiProblem(
                    400,
                    "%s is a whole number from %s to %s, not %s"
                        .formatted(name, least, most, text)));
  }

  /** A time in epoch seconds; {@code CronCalendar.NONE} if it is not given. */
  long time(String name) {
    String text = query.get(name);
    if (text == null) {
      return CronCalendar.NONE;
    }
    try {
      return OffsetDateTime.parse(text).toEpochSecond();
    } catch (DateTimeException e) {
      throw new ApiProblem(
          400, "%s is a time such as 2026-03-01T02:00:00Z, not %s".formatted(name, text));
    }
  }

  @Nullable String header(String name) {
    return request.getHeaders().get(name);
  }

  /** Begins an answer of JSON. */
  JsonWriter json() {
    return new JsonWriter(body(200, "application/json"), Layout.COMPACT);
  }

  /** Begins an answer of any kind. */
  Body body(int status, String type) {
    response.setStatus(status);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, type);
    response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
    return new Body(response);
  }

  /**
   * Begins an answer after which the connection ends. It comes in chunks all the same, unless it
   * was asked for with {@code Connection: close}: so whoever follows can tell an end from a daemon
   * that was killed, which sends no last chunk.
   */
  OutputStream following(String type) {
    if (!request.getHeaders().contains(HttpHeader.CONNECTION, "close")) {
      response.getHeaders().put(HttpHeader.TRANSFER_ENCODING, "chunked");
    }
    response.getHeaders().put(HttpHeader.CONNECTION, "close");
    return body(200, type);
  }

  /**
   * Whether the other side has hung up. Without this check a follower of a quiet log would keep its
   * slot until the next line. Bytes that the other side sends meanwhile are dropped: no request
   * follows an answer that ends with its connection.
   */
  boolean isAbandoned() {
    Object transport = request.getConnectionMetaData().getConnection().getEndPoint().getTransport();
    try {
      return transport instanceof SocketChannel channel
          && channel.read(ByteBuffer.allocate(IGNORED_BYTES)) < 0;
    } catch (IOException e) {
      return true;
    }
  }

  void header(String name, String value) {
    response.getHeaders().put(name, value);
  }

  boolean isCommitted() {
    return response.isCommitted();
  }

  void problem(ApiProblem problem) throws IOException {
    if (problem.status() == 401) {
      response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, "Bearer");
    }
    if (NOT_WELCOME.contains(problem.status())) {
      // A client that is refused loses its connection, so that it cannot keep a slot by asking
      // again.
      response.getHeaders().put(HttpHeader.CONNECTION, "close");
    }
    problem.write(body(problem.status(), ApiProblem.TYPE));
  }

  /** Waits for the loop for a limited time, on the request's own thread. */
  static <T> T await(CompletableFuture<T> answer) {
    try {
      return answer.get(WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new ApiProblem(503, "no answer within " + WAIT_SECONDS + " s; it may still be done");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ApiProblem(503, "the daemon is stopping");
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Control.Stopped) {
        throw new ApiProblem(503, "the daemon is stopping");
      }
      throw new IllegalStateException(e.getCause());
    }
  }
}
