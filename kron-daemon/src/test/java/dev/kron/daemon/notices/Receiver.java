package dev.kron.daemon.notices;

import com.sun.net.httpserver.HttpServer;
import dev.kron.json.Json;
import dev.kron.json.JsonSyntaxException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A web hook that remembers what it was told. */
public final class Receiver implements AutoCloseable {
  /** In the address, and to be seen nowhere else. */
  public static final String SECRET = "Secret-Path-0815";

  private final HttpServer server;
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private volatile int status = 200;

  public Receiver() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          int now = status;
          if (now == 200) {
            requests.add(exchange.getRequestURI() + " " + new String(body, StandardCharsets.UTF_8));
          }
          exchange.sendResponseHeaders(now, -1);
          exchange.close();
        });
    server.start();
  }

  public void answer(int code) {
    status = code;
  }

  /** Everything that came to it: path and body. */
  public List<String> requests() {
    return requests;
  }

  /** {@code word name} of each message, lists as {@code list N}. */
  public List<String> told() {
    return requests.stream()
        .filter(request -> request.startsWith("/hook"))
        .map(request -> json(request.split(" ", 2)[1]))
        .map(
            json ->
                json.number("count") > 1
                    ? "list " + json.number("count")
                    : json.text("word") + " " + json.text("name"))
        .toList();
  }

  public List<String> ids() {
    return requests.stream()
        .filter(request -> request.startsWith("/hook"))
        .map(request -> json(request.split(" ", 2)[1]).text("id"))
        .toList();
  }

  private static Json json(String text) {
    try {
      return Json.parse(text);
    } catch (JsonSyntaxException e) {
      throw new AssertionError(text, e);
    }
  }

  /** Writes the file that names it, and its credentials. */
  public Receiver at(Path config, String... rules) throws IOException {
    Path credentials = Files.createDirectories(config.resolve("credentials"));
    for (String name : List.of("hook", "life")) {
      Path file = credentials.resolve(name + ".env");
      String path = name.equals("hook") ? "/hook/" + SECRET : "/ping/{name}";
      Files.writeString(
          file, "URL=http://127.0.0.1:" + server.getAddress().getPort() + path + "\n");
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }
    Files.writeString(
        config.resolve("notify.toml"),
        """
        [channel.hook]
        type = "webhook"
        profile = "hook"
        lines = 3
        """
            + String.join("\n", rules)
            + "\n");
    return this;
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
