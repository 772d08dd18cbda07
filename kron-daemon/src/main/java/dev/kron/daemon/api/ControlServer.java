package dev.kron.daemon.api;

import dev.kron.process.Users;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP server, and every bound it has. It can be opened before the daemon is ready: requests
 * are told so until {@link #serve} names the daemon.
 */
public final class ControlServer implements AutoCloseable {
  /** Connections; those beyond wait in the backlog. */
  static final int CONNECTIONS = 512;

  static final int HEADER_BYTES = 8 * 1024;
  private static final int THREADS = 8;
  private static final long STOP_MILLIS = 500;

  private final Server server;
  private final Path socket;
  private final @Nullable ServerConnector tcp;
  private List<Route> routes = List.of();
  private final CompletableFuture<Control> control = new CompletableFuture<>();

  private ControlServer(Server server, Path socket, @Nullable ServerConnector tcp) {
    this.server = server;
    this.socket = socket;
    this.tcp = tcp;
  }

  /** Opens the socket, and TCP where it is asked for. */
  public static ControlServer open(
      ApiSettings settings, Users users, EventRing events, Meters meters, DaemonInfo daemon)
      throws IOException {
    Path socket = settings.socket();
    if (socket == null) {
      throw new IllegalArgumentException("no socket");
    }
    if (settings.fallback() != null && ControlSocket.answers(socket)) {
      socket = settings.fallback();
    }
    var threads = new QueuedThreadPool(THREADS, 1);
    threads.setName("krond-http");
    threads.setDaemon(true);
    threads.setVirtualThreadsExecutor(Executors.newVirtualThreadPerTaskExecutor());
    var server =
        new Server(
            threads,
            new ScheduledExecutorScheduler("krond-http-timer", true),
            new ArrayByteBufferPool());
    server.setStopTimeout(0);
    server.setErrorHandler(new Errors());
    var http = new HttpConnectionFactory(configuration());
    var local = new ControlSocket(server, socket, settings.socketGroup(), http);
    local.setIdleTimeout(settings.stalledMillis());
    server.addConnector(local);
    ServerConnector tcp = null;
    byte[] token = null;
    if (settings.port() != ApiSettings.NO_PORT && settings.tokenFile() != null) {
      token = TokenFile.readOrMake(settings.tokenFile());
      tcp = new ServerConnector(server, 1, 1, http);
      tcp.setHost("127.0.0.1");
      tcp.setPort(settings.port());
      tcp.setIdleTimeout(settings.stalledMillis());
      server.addConnector(tcp);
    }
    server.addBean(new NetworkConnectionLimit(CONNECTIONS, server));
    var opened = new ControlServer(server, socket, tcp);
    var doorkeeper = new Doorkeeper(users, settings.readerGroup(), settings.operatorGroup(), token);
    opened.routes = Routes.all(opened::ready, events, meters, daemon);
    server.setHandler(new Router(opened.routes, doorkeeper));
    local.prepare();
    opened.start();
    return opened;
  }

  private void start() throws IOException {
    try {
      server.start();
    } catch (IOException e) {
      close();
      throw e;
    } catch (Exception e) {
      close();
      throw new IOException(e);
    }
  }

  private static HttpConfiguration configuration() {
    var configuration = new HttpConfiguration();
    configuration.setRequestHeaderSize(HEADER_BYTES);
    configuration.setResponseHeaderSize(HEADER_BYTES);
    configuration.setOutputBufferSize(16 * 1024);
    configuration.setSendServerVersion(false);
    configuration.setSendDateHeader(false);
    configuration.setHttpCompliance(HttpCompliance.RFC9110);
    // A job's identity is a path: its slashes come encoded, as one part of ours.
    configuration.setUriCompliance(
        UriCompliance.DEFAULT.with(
            "krond",
            UriCompliance.Violation.AMBIGUOUS_PATH_SEPARATOR,
            UriCompliance.Violation.AMBIGUOUS_PATH_ENCODING));
    return configuration;
  }

  private Control ready() {
    Control present = control.getNow(null);
    if (present == null) {
      throw new Problem(503, "the daemon is starting");
    }
    return present;
  }

  /** From now on requests are answered. */
  public void serve(Control daemon) {
    control.complete(daemon);
  }

  /** Where it listens. */
  public Path socket() {
    return socket;
  }

  /** The port it listens on, {@link ApiSettings#NO_PORT}: none. */
  public int port() {
    return tcp == null ? ApiSettings.NO_PORT : tcp.getLocalPort();
  }

  /** Lets requests that are almost done end, and cuts the others off. */
  @Override
  public void close() {
    if (server.getHandler() instanceof Router router) {
      router.settle(STOP_MILLIS);
    }
    try {
      server.stop();
    } catch (Exception e) {
      // It goes with the process.
    }
  }

  /** What Jetty itself refuses, told as everything else is. */
  private static final class Errors extends ErrorHandler {
    @Override
    public boolean handle(Request request, Response response, Callback callback)
        throws IOException {
      int status = response.getStatus();
      Object message = request.getAttribute(ERROR_MESSAGE);
      var problem = new Problem(status, String.valueOf(message));
      response.getHeaders().put(HttpHeader.CONTENT_TYPE, Problem.TYPE);
      problem.write(Content.Sink.asOutputStream(response));
      callback.succeeded();
      return true;
    }
  }

  /**
   * What is known of the daemon from its first moment on.
   *
   * @param version of kron
   */
  public record DaemonInfo(String version, long pid, long startedAtMillis, String state) {}

  /** Every operation: method, path, what it needs, which parameters it knows. */
  public List<String> operations() {
    return routes.stream()
        .map(
            route ->
                "%s %s %s %s"
                    .formatted(
                        route.method(),
                        route.template(),
                        route.needs().name().toLowerCase(Locale.ROOT),
                        new TreeSet<>(route.parameters())))
        .toList();
  }
}
