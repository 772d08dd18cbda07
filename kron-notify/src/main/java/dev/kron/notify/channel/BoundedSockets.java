package dev.kron.notify.channel;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.SocketFactory;

/** Sockets that can all be closed by somebody who does not hold them. */
final class BoundedSockets extends SocketFactory {
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  void closeAll() {
    closed = true;
    for (Socket socket : open) {
      try {
        socket.close();
      } catch (IOException e) {
        // It is of no use any more either way.
      }
    }
  }

  @Override
  public Socket createSocket() throws IOException {
    var socket = new Socket();
    open.add(socket);
    if (closed) {
      socket.close();
    }
    return socket;
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    throw new IOException("an unconnected socket is to be asked for");
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress local, int localPort)
      throws IOException {
    throw new IOException("an unconnected socket is to be asked for");
  }

  @Override
  public Socket createSocket(InetAddress host, int port) throws IOException {
    throw new IOException("an unconnected socket is to be asked for");
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort)
      throws IOException {
    throw new IOException("an unconnected socket is to be asked for");
  }
}
