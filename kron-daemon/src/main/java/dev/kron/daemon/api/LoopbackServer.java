package dev.kron.daemon.api;

import dev.kron.daemon.log.Faults;
import java.io.IOException;
import java.util.function.IntConsumer;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;

/**
 * A separate server on a loopback port, so that a crowd there takes no connections from the API.
 */
public final class LoopbackServer implements AutoCloseable {
  private final Server server;
  private final ControlPort listener;

  private LoopbackServer(Server server, ControlPort listener) {
    this.server = server;
    this.listener = listener;
  }

  /** The name, log and limits of a server. */
  public record Manners(String name, long patienceMillis, ControlServer.Log log, Faults faults) {}

  /**
   * Begins to listen, and to answer.
   *
   * @param port 0 for any that is free
   * @param bound told of the port before anything is answered
   */
  public static LoopbackServer open(int port, Handler handler, Manners manners, IntConsumer bound)
      throws IOException {
    Server server = ControlServer.server("krond-" + manners.name);
    var listener =
        new ControlPort(
            server,
            port,
            manners.patienceMillis,
            new ListenerLog(manners.name, manners.log, manners.faults),
            new HttpConnectionFactory(ControlServer.configuration()));
    listener.open();
    bound.accept(listener.port());
    server.addConnector(listener);
    server.setHandler(handler);
    var opened = new LoopbackServer(server, listener);
    try {
      server.start();
      return opened;
    } catch (Exception e) {
      opened.close();
      throw e instanceof IOException failure ? failure : new IOException(e);
    }
  }

  public int port() {
    return listener.port();
  }

  @Override
  public void close() {
    try {
      server.stop();
      listener.shut();
    } catch (Exception e) {
      // It goes with the process.
    }
  }
}
