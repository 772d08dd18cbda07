package dev.kron.daemon.api;

import dev.kron.daemon.log.EventRing;
import dev.kron.daemon.log.Meters;
import dev.kron.process.Users;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP server of the API, with all its limits. It can be opened before the daemon is ready;
 * requests are refused until {@link #serve} names the daemon.
 */
public final class ControlServer implements AutoCloseable {
  static final int HEADER_BYTES = 8 * 1024;
  private static final int THREADS = 8;
  private static final long STOP_MILLIS = 500;

  private final Server server;
  private final Path socket;
  private final List<ControlListener> listeners;
  private final int port;
  private List<Route> routes = List.of();
  private final CompletableFuture<Control> control = new CompletableFuture<>();
  private final CompletableFuture<Dashboard> dashboard = new CompletableFuture<>();
  private final Doorkeeper doorkeeper;

  private ControlServer(
      Server server,
      Doorkeeper doorkeeper,
      Path socket,
      List<ControlListener> listeners,
      int port) {
    this.server = server;
    this.doorkeeper = doorkeeper;
    this.socket = socket;
    this.listeners = listeners;
    this.port = port;
  }

  /** The log of the server itself. */
  public interface Log {
    void warn(String event, @Nullable Object... pairs);
  }

  /** Opens the socket, and a TCP port if one is asked for. */
  public static ControlServer open(
      ApiSettings settings,
      Users users,
      EventRing events,
      Meters meters,
      DaemonInfo daemon,
      Log log)
      throws IOException {
    Path socket = settings.socket();
    if (socket == null) {
      throw new IllegalArgumentException("no socket");
    }
    if (settings.fallback() != null && ControlSocket.answers(socket)) {
      socket = settings.fallback();
    }
    Server server = server("krond-http");
    var http = new HttpConnectionFactory(configuration());
    long patience = settings.stalledMillis();
    var local =
        new ControlSocket(
            server,
            socket,
            settings.socketGroup(),
            owners(users),
            patience,
            new ListenerLog("unix", log, meters.faults),
            http);
    local.open();
    var listeners = new ArrayList<ControlListener>(List.of(local));
    int port = ApiSettings.NO_PORT;
    byte[] token = null;
    try {
      if (settings.port() != ApiSettings.NO_PORT && settings.tokenFile() != null) {
        token = TokenFile.readOrMake(settings.tokenFile());
        var tcpLog = new ListenerLog("tcp", log, meters.faults);
        var tcp = new ControlPort(server, settings.port(), patience, tcpLog, http);
        tcp.open();
        port = tcp.port();
        listeners.add(tcp);
      }
    } catch (IOException e) {
      local.shut();
      throw e;
    }
    listeners.forEach(server::addConnector);
    var doorkeeper = new Doorkeeper(users, settings.readerGroup(), settings.operatorGroup(), token);
    var opened = new ControlServer(server, doorkeeper, socket, listeners, port);
    opened.routes =
        Routes.all(
            () -> ready(opened.control), () -> ready(opened.dashboard), events, meters, daemon);
    server.setHandler(new Router(opened.routes, doorkeeper));
    opened.start();
    return opened;
  }

  /** A server with its own threads. */
  static Server server(String name) {
    var threads = new QueuedThreadPool(THREADS, 1);
    threads.setName(name);
    threads.setDaemon(true);
    threads.setVirtualThreadsExecutor(Executors.newVirtualThreadPerTaskExecutor());
    var server =
        new Server(
            threads,
            new ScheduledExecutorScheduler(name + "-timer", true),
            new ArrayByteBufferPool());
    server.setStopTimeout(0);
    server.setErrorHandler(new Errors());
    return server;
  }

  /** The names of root and of the daemon's own user, as {@link ControlSocket} sees them. */
  private static Set<String> owners(Users users) {
    Set<String> owners = new HashSet<>(List.of("0", "root"));
    users.user("0").map(Users.Account::name).ifPresent(owners::add);
    owners.add(users.self().name());
    owners.add(Integer.toUnsignedString(users.self().uid()));
    return owners;
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

  static HttpConfiguration configuration() {
    var configuration = new HttpConfiguration();
    configuration.setRequestHeaderSize(HEADER_BYTES);
    configuration.setResponseHeaderSize(HEADER_BYTES);
    configuration.setOutputBufferSize(16 * 1024);
    configuration.setSendServerVersion(false);
    configuration.setSendDateHeader(false);
    configuration.setHttpCompliance(HttpCompliance.RFC9110);
    // A job's identity is a path: its slashes come encoded, within one segment.
    configuration.setUriCompliance(
        UriCompliance.DEFAULT.with(
            "krond",
            UriCompliance.Violation.AMBIGUOUS_PATH_SEPARATOR,
            UriCompliance.Violation.AMBIGUOUS_PATH_ENCODING));
    return configuration;
  }

  private static <T> T ready(CompletableFuture<T> awaited) {
    T present = awaited.getNow(null);
    if (present == null) {
      throw new ApiProblem(503, "the daemon is starting");
    }
    return present;
  }

  /** From now on requests are answered. */
  public void serve(Control daemon, Dashboard page) {
    dashboard.complete(page);
    control.complete(daemon);
  }

  /** The same operations behind another guard. */
  public Handler operations(Guard guard) {
    return new Router(routes, guard);
  }

  /** The rights of a user of this machine. */
  public Visitor known(int uid) {
    return doorkeeper.known(uid);
  }

  /** The path of the socket. */
  public Path socket() {
    return socket;
  }

  /** The port it listens on, {@link ApiSettings#NO_PORT}: none. */
  public int port() {
    return port;
  }

  /** Lets requests that are almost done end, and cuts the others off. */
  @Override
  public void close() {
    if (server.getHandler() instanceof Router router) {
      router.settle(STOP_MILLIS);
    }
    try {
      server.stop();
      for (ControlListener listener : listeners) {
        listener.shut();
      }
    } catch (Exception e) {
      // It ends with the process.
    }
  }

  /** The form of refusals by Jetty itself. */
  private static final class Errors extends ErrorHandler {
    @Override
    public boolean handle(Request request, Response response, Callback callback)
        throws IOException {
      int status = response.getStatus();
      Object message = request.getAttribute(ERROR_MESSAGE);
      var problem = new ApiProblem(status, String.valueOf(message));
      response.getHeaders().put(HttpHeader.CONTENT_TYPE, ApiProblem.TYPE);
      problem.write(new Body(response));
      callback.succeeded();
      return true;
    }
  }

  /**
   * The facts about a daemon that never change.
   *
   * @param version of kron
   */
  public record DaemonInfo(
      String version,
      long pid,
      long startedAtMillis,
      String state,
      String host,
      List<String> jobMetrics) {
    public static DaemonInfo ofThisProcess(
        long startedAtMillis, Path state, List<String> jobMetrics) {
      String version = DaemonInfo.class.getPackage().getImplementationVersion();
      return new DaemonInfo(
          version == null ? "development" : version,
          ProcessHandle.current().pid(),
          startedAtMillis,
          state.toString(),
          hostName(),
          List.copyOf(jobMetrics));
    }

    private static String hostName() {
      try {
        return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
      } catch (IOException e) {
        return "localhost";
      }
    }
  }

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
