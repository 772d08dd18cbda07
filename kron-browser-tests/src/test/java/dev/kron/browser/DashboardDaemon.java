package dev.kron.browser;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.kron.testing.SomebodyElse;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.URLEncoder;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A daemon in a process and a directory of its own, which serves the dashboard and can be killed.
 */
final class DashboardDaemon implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 60;

  private final Path directory;
  private final List<String> options;
  private @Nullable Process process;

  DashboardDaemon(String... options) throws IOException {
    this.directory = Files.createTempDirectory("kron-browser");
    this.options = List.of(options);
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.createDirectory(
        config(),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }

  Path config() {
    return directory.resolve("krond.d");
  }

  Path state() {
    return directory.resolve("state");
  }

  private Path socket() {
    return directory.resolve("run/krond.sock");
  }

  void write(String name, String text) throws IOException {
    Files.writeString(config().resolve(name), text);
  }

  /** Writes a file that only its user can read, in a directory of the same kind. */
  void secret(String directory, String name, String text) throws IOException {
    Path within = Files.createDirectories(config().resolve(directory));
    Files.setPosixFilePermissions(within, PosixFilePermissions.fromString("rwx------"));
    Path file = Files.writeString(within.resolve(name), text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  /** Writes a file that is none of the daemon's; answers where it is. */
  String beside(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name), text).toString();
  }

  /** The identity of a job in a file of this daemon. */
  String identity(String file, String job) {
    return config().resolve(file) + ":" + job;
  }

  /** What a command says as JSON. */
  JsonObject kron(String... arguments) throws IOException {
    List<String> words = program();
    words.addAll(List.of(arguments));
    words.addAll(List.of("--format", "json"));
    ProcessBuilder builder =
        new ProcessBuilder(words)
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .redirectError(ProcessBuilder.Redirect.appendTo(log().toFile()));
    builder.environment().put("KRON_SOCKET", socket().toString());
    try (var said = builder.start().inputReader()) {
      return JsonParser.parseReader(said).getAsJsonObject();
    }
  }

  private static List<String> program() {
    return new ArrayList<>(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            "dev.kron.cli.Main"));
  }

  void start() throws IOException {
    List<String> words = program();
    words.addFirst("setsid");
    words.addAll(List.of("run", config().toString(), "--state", state().toString(), "--socket"));
    words.add(socket().toString());
    words.addAll(options);
    process =
        new ProcessBuilder(words)
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
            .start();
    await("the daemon answers", this::answers);
  }

  private Path log() {
    return directory.resolve("krond.log");
  }

  private boolean answers() {
    try {
      return get("/v1/status") != null;
    } catch (IOException | IllegalStateException e) {
      Process present = process;
      if (present == null || !present.isAlive()) {
        throw new AssertionError("the daemon has ended: " + said(), e);
      }
      return false;
    }
  }

  private String said() {
    try {
      return Files.readString(log());
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** As {@code kill -9} does. */
  void kill() {
    Process present = process;
    if (present != null) {
      present.destroyForcibly().onExit().join();
    }
  }

  static void await(String what, BooleanSupplier isSo) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!isSo.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("it did not come to that: " + what);
      }
      try {
        TimeUnit.MILLISECONDS.sleep(50);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError(e);
      }
    }
  }

  static String encoded(String name) {
    return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
  }

  JsonObject get(String path) throws IOException {
    return call("GET", path);
  }

  JsonObject post(String path) throws IOException {
    return call("POST", path);
  }

  /** Waits until something that the API says is so. */
  void awaitApi(String path, java.util.function.Predicate<JsonObject> isSo) {
    await(
        path,
        () -> {
          try {
            return isSo.test(get(path));
          } catch (IOException e) {
            return false;
          }
        });
  }

  private JsonObject call(String method, String path) throws IOException {
    return call(socket(), method, path);
  }

  private static JsonObject call(Path socket, String method, String path) throws IOException {
    try (var channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(UnixDomainSocketAddress.of(socket));
      String head =
          method
              + " "
              + path
              + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
      channel.write(ByteBuffer.wrap(head.getBytes(StandardCharsets.US_ASCII)));
      String answer =
          new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
      int body = answer.indexOf("\r\n\r\n");
      if (body < 0 || !answer.startsWith("HTTP/1.1 200")) {
        throw new IllegalStateException(method + " " + path + ": " + answer);
      }
      return JsonParser.parseString(
              answer.substring(answer.indexOf('{', body), answer.lastIndexOf('}') + 1))
          .getAsJsonObject();
    }
  }

  /** An address that opens the dashboard once, with the authority of whoever asks for it. */
  String link() throws IOException {
    return link(socket());
  }

  /** The same of any daemon. */
  static String link(Path socket) throws IOException {
    JsonElement links = call(socket, "POST", "/v1/dashboard/links").get("links");
    return links.getAsJsonArray().get(0).getAsString();
  }

  /** The same for somebody who may only look; only for root, and with {@code --reader-group}. */
  String readersLink() throws Exception {
    return SomebodyElse.does(this::link);
  }

  @Override
  public void close() throws IOException {
    Process present = process;
    if (present != null && present.isAlive()) {
      try {
        post("/v1/shutdown?jobs=kill");
        if (!present.waitFor(20, TimeUnit.SECONDS)) {
          present.destroyForcibly();
        }
      } catch (IOException | IllegalStateException e) {
        present.destroyForcibly();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException | java.io.UncheckedIOException e) {
      // Something of a job is still being written; it lies in the directory for temporary files.
    }
  }
}
