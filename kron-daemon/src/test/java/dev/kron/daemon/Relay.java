package dev.kron.daemon;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * A way to a server that can be cut, made slow, left open with nothing coming through, or broken
 * when the server has done what it was asked and its answer is on the way.
 */
final class Relay implements AutoCloseable {
  private final ServerSocket door;
  private final int target;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private volatile boolean cut;
  private volatile boolean dropping;
  private volatile long delayMillis;
  private volatile int answersToLose;
  private volatile String word = "";

  /** A connection that was let through. */
  private static final class Pair {
    final Socket client;
    final Socket server;
    volatile boolean losing;

    Pair(Socket client, Socket server) {
      this.client = client;
      this.server = server;
    }
  }

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

  /** Nothing comes through, and nobody is told. */
  void drop() {
    dropping = true;
  }

  /** The next answer is lost, with its connection: the statement was executed. */
  void loseAnswer() {
    answersToLose = 1;
  }

  /** The answer to the next statement with this word among its values is lost in the same way. */
  void loseAnswerTo(String text) {
    word = text;
  }

  boolean hasLostAnswer() {
    return answersToLose == 0 && word.isEmpty();
  }

  void mend() {
    cut = false;
    delayMillis = 0;
    answersToLose = 0;
    word = "";
    if (dropping) {
      dropping = false;
      open.forEach(Relay::close); // something is missing in the middle of them
    }
  }

  private void accept() {
    while (!door.isClosed()) {
      try {
        Socket client = door.accept();
        if (cut) {
          close(client);
          continue;
        }
        open.add(client);
        Thread.ofVirtual().start(() -> connect(client));
      } catch (IOException e) {
        // Closed.
      }
    }
  }

  private void connect(Socket client) {
    try {
      Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
      open.add(server);
      var pair = new Pair(client, server);
      Thread.ofVirtual().start(() -> pass(pair, false));
      pass(pair, true);
    } catch (IOException e) {
      close(client); // the server is not there
      open.remove(client);
    }
  }

  private void pass(Pair pair, boolean answers) {
    byte[] chunk = new byte[64 * 1024];
    try (Socket from = answers ? pair.server : pair.client;
        Socket to = answers ? pair.client : pair.server) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(chunk); read >= 0 && !cut; read = in.read(chunk)) {
        if (answers && delayMillis > 0) {
          LockSupport.parkNanos(delayMillis * 1_000_000L);
        }
        if (answers && (answersToLose > 0 || pair.losing)) {
          answersToLose = 0;
          break;
        }
        if (!answers && isMeant(chunk, read)) {
          word = "";
          pair.losing = true;
        }
        if (!dropping) {
          out.write(chunk, 0, read);
        }
      }
    } catch (IOException e) {
      // Broken, as it may be.
    } finally {
      open.remove(pair.client);
      open.remove(pair.server);
    }
  }

  private boolean isMeant(byte[] chunk, int read) {
    String text = word;
    return !text.isEmpty()
        && new String(chunk, 0, read, StandardCharsets.ISO_8859_1).contains(text);
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
