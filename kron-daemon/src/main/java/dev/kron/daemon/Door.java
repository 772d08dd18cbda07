package dev.kron.daemon;

import dev.kron.daemon.api.ApiSettings;
import dev.kron.daemon.api.ControlServer;
import dev.kron.daemon.api.ControlServer.DaemonInfo;
import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.log.EventRing;
import dev.kron.daemon.log.Reports;
import dev.kron.daemon.web.Web;
import dev.kron.process.Users;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The opening of the control API. It opens on its own thread while the daemon reads its files and
 * its state, so that it costs a start almost nothing.
 */
final class Door implements AutoCloseable {
  private final EventLog log;
  private final @Nullable FutureTask<ControlServer> opening;
  private final Function<ControlServer, Web> dashboard;
  private @Nullable Web page;
  private @Nullable Controls inside;

  /**
   * @param dashboard the page, made when the API is there
   */
  Door(
      ApiSettings settings,
      Users users,
      EventRing events,
      DaemonInfo daemon,
      Reports reports,
      Function<ControlServer, Web> dashboard) {
    this.log = reports.log();
    this.dashboard = dashboard;
    if (settings.socket() == null) {
      opening = null;
      return;
    }
    opening =
        new FutureTask<>(
            () ->
                ControlServer.open(
                    settings,
                    users,
                    events,
                    reports.meters(),
                    daemon,
                    (event, pairs) -> reports.log().warn("control", event, pairs)));
    Thread.ofPlatform().daemon().name("krond-door").start(opening);
  }

  /** Begins to answer requests, if there is an API. */
  void open(Controls controls) throws IOException {
    if (opening != null) {
      inside = controls;
      ControlServer server = server();
      Web made = dashboard.apply(server);
      page = made;
      server.serve(controls, made);
      made.begin();
      log.info(
          "control",
          "listening",
          "socket",
          server.socket(),
          "port",
          server.port() == ApiSettings.NO_PORT ? null : server.port());
    }
  }

  private ControlServer server() throws IOException {
    if (opening == null) {
      throw new IllegalStateException("there is no way in");
    }
    try {
      return opening.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted");
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
    }
  }

  /** The port that it listens on, {@link ApiSettings#NO_PORT}: none. */
  int port() {
    try {
      return server().port();
    } catch (IOException e) {
      return ApiSettings.NO_PORT;
    }
  }

  /** Every operation, in words. */
  List<String> operations() {
    try {
      return server().operations();
    } catch (IOException e) {
      return List.of();
    }
  }

  @Override
  public void close() {
    if (page != null) {
      page.close();
    }
    if (inside != null) {
      inside.close();
    }
    if (opening != null) {
      try {
        server().close();
      } catch (IOException e) {
        // It never opened.
      }
    }
  }
}
