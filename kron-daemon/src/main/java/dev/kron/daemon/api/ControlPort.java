package dev.kron.daemon.api;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Server;

/**
 * A port of the loopback address. The users at the other end are unknown, so all share its slots.
 */
final class ControlPort extends ControlListener {
  static final int CONNECTIONS = 128;
  private static final String ADDRESS = "127.0.0.1";
  private static final byte[] LOOPBACK = {127, 0, 0, 1};

  private int port;

  /**
   * @param port 0 for any that is free
   */
  ControlPort(
      Server server, int port, long requestMillis, ListenerLog log, ConnectionFactory factory) {
    super(server, new Places(Set.of(), CONNECTIONS, CONNECTIONS), requestMillis, log, factory);
    this.port = port;
  }

  int port() {
    return port;
  }

  @Override
  ServerSocketChannel bind() throws IOException {
    var bound = ServerSocketChannel.open();
    try {
      bound.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      bound.bind(new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), port), BACKLOG);
      port = bound.socket().getLocalPort();
      return bound;
    } catch (IOException e) {
      bound.close();
      throw new IOException("cannot listen on " + ADDRESS + ":" + port + ": " + e.getMessage(), e);
    }
  }

  @Override
  boolean isInPlace() {
    return true; // nobody else can have the port while it is bound
  }

  @Override
  void leave() {
    // The port is free as soon as the channel is closed.
  }

  @Override
  String user(SocketChannel peer) throws IOException {
    peer.setOption(StandardSocketOptions.TCP_NODELAY, true);
    return "tcp";
  }
}
