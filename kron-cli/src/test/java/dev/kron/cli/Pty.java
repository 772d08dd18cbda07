package dev.kron.cli;

import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** A {@code kron} at a terminal of its own, which {@code script} makes: a real one, with a size. */
final class Pty implements AutoCloseable {
  /** A build in the background has its children ignore Ctrl-C, and a JVM keeps to that. */
  private static final String HEEDING = "env --default-signal=INT sh ";

  private static final Path SCRIPT = Path.of("/usr/bin/script");
  private static final long PATIENCE_SECONDS = 60;
  private static final String HOME = "\u001b[H";

  private final Path directory;
  private final Path typescript;
  private final Process process;

  /**
   * @param directory for what it leaves
   */
  Pty(Path directory, int rows, int columns, String... words) throws IOException {
    this.directory = Files.createDirectory(directory.resolve("pty"));
    this.typescript = this.directory.resolve("typescript");
    var java = new ArrayList<String>();
    java.add(ProcessHandle.current().info().command().orElseThrow());
    java.addAll(
        List.of(
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Dkron.terminal.out=" + columns,
            "-Dkron.terminal.err=" + columns,
            "-Dkron.terminal.locale=C.UTF-8",
            "-cp",
            "\"$CP\"",
            Main.class.getName()));
    java.addAll(List.of(words));
    Path session = this.directory.resolve("session");
    Files.writeString(
        session,
        """
        cd %s
        trap : INT
        stty rows %d cols %d
        tty >tty.new && mv tty.new tty
        stty -g >before
        %s
        code=$?
        stty -g >after
        exit $code
        """
            .formatted(this.directory, rows, columns, String.join(" ", java)));
    var builder =
        new ProcessBuilder(
                SCRIPT.toString(), "-q", "-f", "-e", "-c", HEEDING + session, typescript.toString())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectErrorStream(true);
    builder.environment().put("CP", System.getProperty("java.class.path"));
    builder.environment().put("TERM", "xterm");
    builder.environment().put("SHELL", "/bin/sh");
    this.process = builder.start();
  }

  static boolean isPossible() {
    return Files.isExecutable(SCRIPT);
  }

  void press(String keys) throws IOException {
    OutputStream in = process.getOutputStream();
    in.write(keys.getBytes(StandardCharsets.US_ASCII));
    in.flush();
  }

  void resize(int rows, int columns) throws Exception {
    await("it has a terminal", all -> Files.exists(directory.resolve("tty")));
    String terminal = Files.readString(directory.resolve("tty")).strip();
    int code =
        new ProcessBuilder("stty", "-F", terminal, "rows", "" + rows, "cols", "" + columns)
            .start()
            .waitFor();
    if (code != 0) {
      fail("stty -F " + terminal + " ended with " + code);
    }
  }

  /** All that was written to the terminal. */
  String all() throws IOException {
    // A letter may be half written: that is no reason to fail.
    return Files.exists(typescript)
        ? new String(Files.readAllBytes(typescript), StandardCharsets.UTF_8)
        : "";
  }

  /** The lines of the last picture that is whole, without colours. */
  static List<String> picture(String all) {
    int end = all.lastIndexOf("\u001b[J");
    int begin = end < 0 ? -1 : all.lastIndexOf(HOME, end);
    return begin < 0
        ? List.of()
        : all.substring(begin + HOME.length(), end)
            .replaceAll("\r|\u001b\\[[0-9;?]*[A-Za-z]", "")
            .lines()
            .toList();
  }

  List<String> awaitPicture(String what, Predicate<List<String>> condition) throws Exception {
    String all = await(what, text -> condition.test(picture(text)));
    return picture(all);
  }

  /** Returns what made it true. */
  String await(String what, Predicate<String> condition) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (true) {
      boolean over = !process.isAlive() || System.nanoTime() > end;
      String all = all();
      if (condition.test(all)) {
        return all;
      }
      if (over) {
        fail(
            "not: "
                + what
                + "\n"
                + String.join("\n", picture(all))
                + "\n"
                + all.replace('\u001b', '^'));
      }
      synchronized (this) {
        wait(20);
      }
    }
  }

  int awaitEnd() throws Exception {
    if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      fail("it does not end\n" + all().replace('\u001b', '^'));
    }
    return process.exitValue();
  }

  /** Whether the terminal works as it did before. */
  boolean isAsBefore() throws IOException {
    return Files.readString(directory.resolve("before"))
        .equals(Files.readString(directory.resolve("after")));
  }

  @Override
  public void close() {
    process.destroyForcibly(); // it may have been started where TERM is ignored
    process.onExit().join();
  }
}
