package dev.kron.daemon;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** A server on a port of its own that misbehaves as the path of a request says. */
final class RawServer implements AutoCloseable {
  private final ServerSocket port = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

  /** Paths whose client has hung up. */
  private final Set<String> left = ConcurrentHashMap.newKeySet();

  RawServer() throws IOException {
    Thread.ofVirtual().start(this::accept);
  }

  String address(String path) {
    return "http://127.0.0.1:" + port.getLocalPort() + path;
  }

  boolean wasLeft(String path) {
    return left.contains(path);
  }

  private void accept() {
    try {
      while (true) {
        Socket client = port.accept();
        Thread.ofVirtual().start(() -> answer(client));
      }
    } catch (IOException e) {
      // Closed.
    }
  }

  private void answer(Socket client) {
    String path = "";
    try (client;
        var in =
            new BufferedReader(
                new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));
        OutputStream out = client.getOutputStream()) {
      path = in.readLine().split(" ")[1];
      while (!in.readLine().isEmpty()) {
        // The rest of the request.
      }
      switch (path) {
        case "/well" -> say(out, "HTTP/1.1 204 No Content\r\n\r\n");
        case "/elsewhere" ->
            say(out, "HTTP/1.1 302 Found\r\nLocation: /broken\r\nContent-Length: 0\r\n\r\n");
        case "/broken" -> say(out, "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
        case "/garbage" -> say(out, "SSH-2.0-OpenSSH_9.2\r\n\r\n");
        case "/endless" -> {
          say(out, "HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n");
          forever(out, "x".repeat(8192));
        }
        case "/stuck" -> {
          say(out, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n");
          in.read(); // until it is left
        }
        case "/headers" -> {
          say(out, "HTTP/1.1 200 OK\r\n");
          forever(out, "X-More: " + "x".repeat(1000) + "\r\n");
        }
        case "/early" ->
            say(out, "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\n\r\n");
        case "/babble" -> forever(out, "blah ".repeat(1000));
        case "/drip" -> {
          say(out, "HTTP/1.1 2");
          while (true) {
            say(out, " ");
            TimeUnit.MILLISECONDS.sleep(20);
          }
        }
        default -> in.read(); // says nothing
      }
    } catch (IOException | InterruptedException | RuntimeException e) {
      // Left in the middle of a word.
    }
    left.add(path);
  }

  private static void say(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.US_ASCII));
    out.flush();
  }

  private static void forever(OutputStream out, String text) throws IOException {
    while (true) {
      say(out, text);
    }
  }

  @Override
  public void close() throws IOException {
    port.close();
  }
}
