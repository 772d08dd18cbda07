package dev.kron.daemon.api;

import dev.kron.json.Json;
import dev.kron.json.JsonSyntaxException;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Talks HTTP to a daemon, byte by byte, so that a test can also say what no client would say. */
public final class Caller {
  private final SocketAddress address;

  private Caller(SocketAddress address) {
    this.address = address;
  }

  public static Caller at(Path socket) {
    return new Caller(UnixDomainSocketAddress.of(socket));
  }

  public static Caller at(int port) {
    return new Caller(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
  }

  /** A text that must be JSON. */
  static Json json(String text) {
    try {
      return Json.parse(text);
    } catch (JsonSyntaxException e) {
      throw new AssertionError(text, e);
    }
  }

  @SuppressWarnings("unchecked")
  static Map<String, @Nullable Object> object(String text) {
    if (json(text).value() instanceof Map<?, ?> map) {
      return (Map<String, @Nullable Object>) map;
    }
    throw new AssertionError("not an object: " + text);
  }

  public record Response(int status, Map<String, String> headers, String body) {
    Map<String, @Nullable Object> json() {
      return object(body);
    }

    /** The body, which must be JSON. */
    public Json tree() {
      return Caller.json(body);
    }

    String header(String name) {
      return headers.getOrDefault(name, "");
    }
  }

  /** Whether the daemon calls itself healthy. */
  public boolean isHealthy() throws IOException {
    return get("/v1/status").tree().is("healthy");
  }

  public Response get(String path, String... headers) throws IOException {
    return call("GET", path, headers);
  }

  public Response post(String path, String... headers) throws IOException {
    return call("POST", path, headers);
  }

  Response call(String method, String path, String... headers) throws IOException {
    String more = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
    String host = more.contains("Host:") ? "" : "Host: localhost\r\n";
    return raw(
        method + " " + path + " HTTP/1.1\r\n" + host + "Connection: close\r\n" + more + "\r\n");
  }

  Response raw(String request) throws IOException {
    try (SocketChannel channel = open()) {
      send(channel, request);
      return read(Channels.newInputStream(channel));
    }
  }

  SocketChannel open() throws IOException {
    return SocketChannel.open(address);
  }

  static void send(SocketChannel channel, String text) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  /** Begins a request whose answer goes on; the stream stands after the headers, without chunks. */
  InputStream follow(SocketChannel channel, String path, String... headers) throws IOException {
    String more = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
    String head = " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
    send(channel, "GET " + path + head + more + "\r\n");
    InputStream in = Channels.newInputStream(channel);
    String status = line(in);
    if (!status.contains(" 200 ")) {
      throw new IOException(status);
    }
    while (!line(in).isEmpty()) {}
    return in;
  }

  static Response read(InputStream in) throws IOException {
    String first = line(in);
    Map<String, String> headers = new HashMap<>();
    for (String header = line(in); !header.isEmpty(); header = line(in)) {
      int colon = header.indexOf(':');
      headers.put(
          header.substring(0, colon).toLowerCase(Locale.ROOT), header.substring(colon + 1).strip());
    }
    var body = new ByteArrayOutputStream();
    if (headers.containsKey("content-length")) {
      body.write(in.readNBytes(Integer.parseInt(headers.get("content-length"))));
    } else if (headers.getOrDefault("transfer-encoding", "").equals("chunked")) {
      for (int size = size(in); size > 0; size = size(in)) {
        body.write(in.readNBytes(size));
        line(in);
      }
    } else {
      in.transferTo(body);
    }
    return new Response(
        Integer.parseInt(first.split(" ")[1]), headers, body.toString(StandardCharsets.UTF_8));
  }

  private static int size(InputStream in) throws IOException {
    return Integer.parseInt(line(in), 16);
  }

  static String line(InputStream in) throws IOException {
    var line = new StringBuilder();
    for (int octet = in.read(); octet != '\n'; octet = in.read()) {
      if (octet < 0) {
        throw new EOFException("after " + line);
      }
      line.append((char) octet);
    }
    int length = line.length();
    return length > 0 && line.charAt(length - 1) == '\r'
        ? line.substring(0, length - 1)
        : line.toString();
  }
}
