package dev.kron.daemon.services;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP status of an address. The connection is closed as soon as the status is there, so the
 * length of the answer does not matter, and nothing stays open between two checks.
 */
final class HttpStatus {
  private static final int LIMIT_BYTES = 64 << 10;
  private static final int HTTP_PORT = 80;
  private static final int HTTPS_PORT = 443;

  private HttpStatus() {}

  /**
   * The final status; one from 100 to 199 only announces another.
   *
   * @param timeoutMillis for every single wait; an interrupt ends them all
   */
  static int request(URI uri, int timeoutMillis) throws IOException {
    try (Socket socket = connect(uri, timeoutMillis)) {
      socket.getOutputStream().write(request(uri).getBytes(StandardCharsets.US_ASCII));
      var in = new BufferedInputStream(socket.getInputStream());
      var rest = new Rest();
      int status = status(line(in, rest));
      while (status >= 100 && status < 200) {
        while (!line(in, rest).isEmpty()) {
          // The other lines of the announcement.
        }
        status = status(line(in, rest));
      }
      return status;
    }
  }

  private static Socket connect(URI uri, int timeoutMillis) throws IOException {
    boolean secure = uri.getScheme().equalsIgnoreCase("https");
    int standard = secure ? HTTPS_PORT : HTTP_PORT;
    int port = uri.getPort() < 0 ? standard : uri.getPort();
    String host = uri.getHost().replaceAll("[\\[\\]]", ""); // around an IPv6 address
    var socket = new Socket();
    try {
      socket.connect(new InetSocketAddress(host, port), timeoutMillis);
      socket.setSoTimeout(timeoutMillis);
      return secure ? secured(socket, host, port) : socket;
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  private static Socket secured(Socket plain, String host, int port) throws IOException {
    var factory = (SSLSocketFactory) SSLSocketFactory.getDefault();
    var socket = (SSLSocket) factory.createSocket(plain, host, port, true);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    return socket;
  }

  private static String request(URI uri) {
    String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
    @Nullable String query = uri.getRawQuery();
    String authority = uri.getRawAuthority();
    return "GET "
        + (query == null ? path : path + "?" + query)
        + " HTTP/1.1\r\nHost: "
        + authority.substring(authority.lastIndexOf('@') + 1)
        + "\r\nUser-Agent: krond\r\nAccept: */*\r\nConnection: close\r\n\r\n";
  }

  /** The number of bytes that may still come before the status. */
  private static final class Rest {
    private int bytes = LIMIT_BYTES;
  }

  private static String line(InputStream in, Rest rest) throws IOException {
    var line = new StringBuilder();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new ProtocolException("hung up before it said a status");
      }
      if (--rest.bytes < 0) {
        throw new ProtocolException("said " + LIMIT_BYTES + " bytes and no status");
      }
      line.append((char) next);
    }
    return line.toString().strip();
  }

  /** The status in a line such as {@code HTTP/1.1 200 OK}. */
  private static int status(String line) throws ProtocolException {
    String[] words = line.split(" ");
    if (words.length < 2 || !words[0].startsWith("HTTP/") || !words[1].matches("[1-9][0-9]{2}")) {
      String shown = line.length() > 80 ? line.substring(0, 80) + "…" : line;
      throw new ProtocolException("expected an answer like HTTP/1.1 200, got \"" + shown + "\"");
    }
    return Integer.parseInt(words[1]);
  }
}
