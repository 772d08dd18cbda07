package dev.kron.cli.online;

import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.Option;
import dev.kron.cli.line.RefusedException;
import dev.kron.cli.line.Sockets;
import dev.kron.cli.line.UsageException;
import dev.kron.cli.output.Surroundings;
import dev.kron.json.Json;
import dev.kron.json.JsonSyntaxException;
import dev.kron.text.Suggestion;
import dev.kron.text.WholeNumber;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A daemon that can be asked. Each question has a connection of its own. */
final class Api {
  static final Option SOCKET =
      Option.path(
          "--socket", "PATH", "the daemon's socket (default: $KRON_SOCKET, or the usual places)");

  private static final int DEFAULT_PATIENCE_SECONDS = 30;
  private static final long AGAIN_MILLIS = 100;

  /**
   * The header of all requests but those for what may go on: without it such an answer comes in
   * chunks, and a last one that does not come says that the daemon was killed.
   */
  private static final String CLOSE = "Connection: close";

  private static final String ELSEWHERE =
      "one that runs elsewhere says where when it starts (event=listening): name that socket with"
          + " --socket PATH or KRON_SOCKET";

  private static final Pattern UNKNOWN = Pattern.compile("there is no (?:job|service) (\\S+)");

  private final Path socket;
  private final int patienceSeconds;

  private Api(Path socket, int patienceSeconds) {
    this.socket = socket;
    this.patienceSeconds = patienceSeconds;
  }

  /** The daemon that is meant: the one that was named, or the first that answers. */
  static Api reach(CommandArguments arguments, Surroundings surroundings) {
    String named = arguments.value(SOCKET.name());
    if (named == null) {
      named = surroundings.environment().variable("KRON_SOCKET");
    }
    List<Path> places =
        named == null || named.isEmpty()
            ? Sockets.places(surroundings)
            : List.of(surroundings.directory().resolve(named));
    int patience = patience(surroundings.environment().variable("KRON_TIMEOUT"));
    for (Path place : places) {
      if (Files.exists(place)) {
        return new Api(place, patience);
      }
    }
    // A directory that may not be entered hides whether there is a socket: let connecting tell.
    for (Path place : places) {
      Path directory = place.getParent();
      if (directory != null && Files.isDirectory(directory) && !Files.isExecutable(directory)) {
        return new Api(place, patience);
      }
    }
    throw nobody(places);
  }

  private static int patience(@Nullable String text) {
    if (text == null || text.isEmpty()) {
      return DEFAULT_PATIENCE_SECONDS;
    }
    OptionalLong seconds = WholeNumber.within(text, 1, Integer.MAX_VALUE);
    if (seconds.isPresent()) {
      return (int) seconds.getAsLong();
    }
    throw new UsageException("KRON_TIMEOUT is a number of seconds from 1, not \"" + text + "\"");
  }

  private static RefusedException nobody(List<Path> places) {
    List<String> lines = new ArrayList<>();
    StringBuilder where = new StringBuilder();
    for (Path place : places) {
      where.append(where.isEmpty() ? "" : ", ").append(place);
    }
    lines.add("no daemon answers at " + where);
    lines.add("start one with 'kron run' (krond), or as a service with 'systemctl start krond'");
    lines.add(ELSEWHERE);
    return new RefusedException(ExitCode.UNAVAILABLE, lines);
  }

  /** The parts of a path, each encoded. */
  static String path(String... parts) {
    StringBuilder path = new StringBuilder("/v1");
    for (String part : parts) {
      path.append('/');
      encode(path, part);
    }
    return path.toString();
  }

  static String parameter(String name, String value) {
    StringBuilder text = new StringBuilder(name).append('=');
    encode(text, value);
    return text.toString();
  }

  private static void encode(StringBuilder path, String text) {
    for (byte octet : text.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (octet & 0xff);
      boolean plain =
          (c >= 'a' && c <= 'z')
              || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9')
              || "-._~".indexOf(c) >= 0;
      if (plain) {
        path.append(c);
      } else {
        path.append('%');
        path.append(Character.toUpperCase(Character.forDigit(c >> 4, 16)));
        path.append(Character.toUpperCase(Character.forDigit(c & 15, 16)));
      }
    }
  }

  Json get(String path) throws IOException {
    return json(call("GET", path));
  }

  /** The answer to a path; null if there is no such thing. */
  @Nullable Json find(String path) throws IOException {
    try (HttpAnswer answer = send("GET", path, CLOSE)) {
      if (answer.status() == 404) {
        return null;
      }
      if (answer.status() != 200) {
        throw refusal(answer);
      }
      return json(answer.readAllBytes());
    }
  }

  /** Whether there is still a socket. */
  boolean isThere() {
    return Files.exists(socket);
  }

  static RefusedException refused(String message) {
    return new RefusedException(message);
  }

  Json post(String path) throws IOException {
    return json(call("POST", path));
  }

  private static Json json(byte[] answer) throws IOException {
    try {
      return Json.parse(answer);
    } catch (JsonSyntaxException e) {
      throw new IOException("the daemon's answer is " + e.getMessage(), e);
    }
  }

  private byte[] call(String method, String path) throws IOException {
    try (InputStream body = open(method, path, CLOSE)) {
      return body.readAllBytes();
    }
  }

  /** The body of an answer that may go on for long. */
  InputStream open(String path) throws IOException {
    return open("GET", path, null);
  }

  /**
   * @param header one more line, or null
   */
  InputStream open(String method, String path, @Nullable String header) throws IOException {
    HttpAnswer answer = send(method, path, header);
    if (answer.status() != 200) {
      try (answer) {
        throw refusal(answer);
      }
    }
    return answer;
  }

  /**
   * The same from a daemon that answered a moment ago; if it was killed, its service manager starts
   * another.
   */
  InputStream reopen(String path, @Nullable String header) throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(patienceSeconds);
    while (true) {
      try {
        return open("GET", path, header);
      } catch (RefusedException e) {
        if (e.exitCode() != ExitCode.UNAVAILABLE || System.nanoTime() > end) {
          throw e;
        }
      } catch (IOException e) {
        if (System.nanoTime() > end) {
          throw e;
        }
      }
      try {
        TimeUnit.MILLISECONDS.sleep(AGAIN_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException();
      }
    }
  }

  private HttpAnswer send(String method, String path, @Nullable String header) throws IOException {
    SocketChannel channel = connect();
    try {
      String request =
          method
              + " "
              + path
              + " HTTP/1.1\r\nHost: localhost\r\n"
              + (header == null ? "" : header + "\r\n")
              + "\r\n";
      ByteBuffer bytes = ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      return head(channel);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  /** Waits for an answer to begin, but not for ever: a daemon that was stopped takes no leave. */
  private HttpAnswer head(SocketChannel channel) throws IOException {
    var watch = new Thread(() -> closeAfterPatience(channel));
    watch.setDaemon(true);
    watch.start();
    try {
      return HttpAnswer.read(channel);
    } catch (AsynchronousCloseException e) {
      throw new RefusedException(
          ExitCode.UNAVAILABLE,
          List.of(
              "the daemon at " + socket + " has not answered for " + patienceSeconds + " s",
              "is it stopped, or has it too much to do? KRON_TIMEOUT=SECONDS waits longer"));
    } finally {
      watch.interrupt();
    }
  }

  private void closeAfterPatience(SocketChannel channel) {
    try {
      TimeUnit.SECONDS.sleep(patienceSeconds);
      channel.close();
    } catch (InterruptedException e) {
      // It has answered.
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private SocketChannel connect() throws IOException {
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.connect(UnixDomainSocketAddress.of(socket));
      return channel;
    } catch (IOException e) {
      channel.close();
      String reason = String.valueOf(e.getMessage());
      if (e instanceof AccessDeniedException || reason.contains("Permission denied")) {
        throw new RefusedException(
            ExitCode.NOT_ALLOWED,
            List.of(
                "you may not talk to the daemon at " + socket,
                "its user and root may, and members of the groups that it was started with"
                    + " (--reader-group, --operator-group)",
                ELSEWHERE));
      }
      throw nobody(List.of(socket));
    }
  }

  /** The name that was probably meant, as a question after a message. */
  String suggestion(String written) throws IOException {
    List<String> known = new ArrayList<>();
    String service = written.substring(0, Math.max(0, written.lastIndexOf('@')));
    for (String kind : List.of("jobs", "services")) {
      for (Json one : get(path(kind)).list(kind)) {
        known.add(one.text("name"));
        if (kind.equals("services") && one.text("name").equals(service)) {
          return ": its instances are 0 to " + (one.number("size") - 1);
        }
      }
    }
    return Suggestion.among(known, written.substring(written.indexOf(':') + 1));
  }

  private RefusedException refusal(HttpAnswer answer) throws IOException {
    Json problem = json(answer.readAllBytes());
    List<String> lines = new ArrayList<>();
    String detail = problem.text("detail", "the daemon answered with status " + answer.status());
    Matcher unknown = UNKNOWN.matcher(detail);
    lines.add(
        answer.status() == 404 && unknown.matches()
            ? detail + suggestion(unknown.group(1))
            : detail);
    lines.addAll(problem.texts("details"));
    int code =
        switch (answer.status()) {
          case 401, 403 -> ExitCode.NOT_ALLOWED;
          case 503 -> ExitCode.UNAVAILABLE;
          case 500 -> ExitCode.INTERNAL;
          default -> ExitCode.REFUSED;
        };
    return new RefusedException(code, lines);
  }
}
