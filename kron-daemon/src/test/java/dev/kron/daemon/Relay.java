package dev.kron.daemon;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * A way to a server that can be cut, made slow, or broken when the server has done what it was
 * asked and its answer is on the way.
 */
final class Relay implements AutoCloseable {
  private final ServerSocket door;
  private final int target;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private volatile boolean cut;
  private volatile long delayMillis;
  private volatile int answersToLose;

  Relay(int target) throws IOException {
    this.target = target;
    this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return door.getLocalPort();
  }

  /** Breaks all connections, and lets no new one through until it is mended. */
  void cut() {
    cut = true;
    open.forEach(Relay::close);
  }

  /** Answers take so much longer. */
  void delay(long millis) {
    delayMillis = millis;
  }

  /** The next answer is lost, with its connection: the statement was executed. */
  void loseAnswer() {
    answersToLose = 1;
  }

  boolean hasLostAnswer() {
    return answersToLose == 0;
  }

  void mend() {
    cut = false;
    delayMillis = 0;
    answersToLose = 0;
  }

  private void accept() {
    while (!door.isClosed()) {
      try {
        Socket client = door.accept();
        if (cut) {
          close(client);
          continue;
        }
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
        open.add(client);
        open.add(server);
        Thread.ofVirtual().start(() -> pass(client, server, false));
        Thread.ofVirtual().start(() -> pass(server, client, true));
      } catch (IOException e) {
        // Closed, or the server is not there.
      }
    }
  }

  private void pass(Socket from, Socket to, boolean answers) {
    byte[] chunk = new byte[64 * 1024];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(chunk); read >= 0 && !cut; read = in.read(chunk)) {
        if (answers && delayMillis > 0) {
          LockSupport.parkNanos(delayMillis * 1_000_000L);
        }
        if (answers && answersToLose > 0) {
          answersToLose = 0;
          break;
        }
        out.write(chunk, 0, read);
      }
    } catch (IOException e) {
      // Broken, as it may be.
    } finally {
      open.remove(from);
      open.remove(to);
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It is gone in any case.
    }
  }

  @Override
  public void close() throws IOException {
    door.close();
    open.forEach(Relay::close);
  }
}
