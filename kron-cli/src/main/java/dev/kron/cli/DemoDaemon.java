package dev.kron.cli;

import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.RefusedException;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Surroundings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The daemon of the demo, in its own process and directory. It can be killed, and leaves nothing
 * behind.
 */
final class DemoDaemon implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 90;
  private static final long LOOK_AGAIN_MILLIS = 100;

  private final Surroundings surroundings;
  private final Path directory;
  private @Nullable Process process;
  private boolean closed;

  DemoDaemon(Surroundings surroundings) throws IOException {
    this.surroundings = surroundings;
    this.directory = Files.createTempDirectory("kron-demo");
    Files.createDirectory(config());
  }

  Path directory() {
    return directory;
  }

  Path socket() {
    return directory.resolve("krond.sock");
  }

  private Path config() {
    return directory.resolve("krond.d");
  }

  void write(String name, String text) throws IOException {
    Files.writeString(file(name), text);
  }

  Path file(String name) {
    return config().resolve(name);
  }

  long pid() {
    Process present = process;
    return present == null ? 0 : present.pid();
  }

  /** In a session of its own, so that a Ctrl-C at the terminal is ours alone. */
  void start() throws IOException {
    List<String> words = new ArrayList<>();
    words.add("setsid");
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(
        List.of(
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-XX:-MaxFDLimit",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "run",
            config().toString()));
    words.addAll(
        List.of("--state", directory.resolve("state").toString(), "--socket", socket().toString()));
    process =
        new ProcessBuilder(words)
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
            .start();
    await("status", said -> true);
  }

  private Path log() {
    return directory.resolve("krond.log");
  }

  /** As {@code kill -9} does. */
  void kill() {
    Process present = process;
    if (present != null) {
      present.destroyForcibly().onExit().join();
    }
  }

  /** A command at this daemon, on our own output. */
  void kron(Output out, String... words) {
    call(out, surroundings.err(), words);
  }

  private int call(Output out, Output err, String... words) {
    Surroundings here =
        new Surroundings(
            out,
            err,
            surroundings.directory(),
            name ->
                name.equals("KRON_SOCKET")
                    ? socket().toString()
                    : surroundings.environment().variable(name),
            surroundings.now(),
            surroundings.zone());
    return new Kron(Commands.everything()).run(List.of(words), here);
  }

  /** Asks until the answer is as it should be. */
  void await(String command, Predicate<String> isSo) throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (System.nanoTime() < end) {
      var said = new ByteArrayOutputStream();
      Output quiet = new Output(said, Output.Look.PLAIN);
      Output unheard = new Output(new ByteArrayOutputStream(), Output.Look.PLAIN);
      boolean there = Files.exists(socket());
      int code = there ? call(quiet, unheard, command.split(" ")) : ExitCode.UNAVAILABLE;
      if (code != ExitCode.UNAVAILABLE && isSo.test(said.toString(StandardCharsets.UTF_8))) {
        return;
      }
      Process present = process;
      if (present == null || !present.isAlive()) {
        break;
      }
      try {
        TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        break;
      }
    }
    throw new RefusedException(
        ExitCode.INTERNAL,
        List.of("the daemon of the demo did not get there: " + Files.readString(log())));
  }

  /** Ends everything that the demo started, also what a killed daemon has left behind. */
  @Override
  public synchronized void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try {
      end();
    } finally {
      Files.walkFileTree(directory, new Removal());
    }
  }

  private void end() throws IOException {
    Process present = process;
    if (present == null) {
      return;
    }
    if (!present.isAlive()) {
      start();
    }
    Output unheard = new Output(new ByteArrayOutputStream(), Output.Look.PLAIN);
    call(unheard, unheard, "shutdown", "--kill");
    try {
      Process last = process;
      if (last != null && !last.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        kill();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static final class Removal extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure)
        throws IOException {
      Files.deleteIfExists(visited);
      return FileVisitResult.CONTINUE;
    }
  }
}
