package dev.kron.daemon.services;

import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.runs.Private;
import dev.kron.process.LogReader;
import dev.kron.process.Run;
import dev.kron.service.Hook;
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceEvent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The output of hooks, in the log of their service and marked as theirs. What {@code before_start}
 * and {@code after_stop} write goes there as they write it, between two lines of the daemon:
 * nothing else of the instance runs meanwhile. A reload command runs beside the service, so its
 * output is captured, and added line by line when it has ended.
 */
public final class HookOutput {
  /** So much of a reload command's output is kept while it runs. */
  static final long LIMIT_BYTES = 1 << 20;

  /** So much of it goes to the log, and to who asked for the reload. */
  private static final int TAIL_BYTES = 64 << 10;

  private final Function<InstanceId, Path> log;
  private final Clocks clocks;
  private final boolean silent;
  private final Map<InstanceId, Reloaded> reloaded = new ConcurrentHashMap<>();

  /**
   * A reload that has ended.
   *
   * @param exitCode null: it did not exit by itself, or nobody knows
   * @param problem null: it exited with 0
   * @param output the end of what it wrote
   * @param endedAt epoch millis
   */
  public record Reloaded(
      String runId,
      @Nullable Integer exitCode,
      @Nullable String problem,
      String output,
      long endedAt) {}

  /**
   * @param log the log of an instance
   * @param silent whether no file is written, because processes are simulated
   */
  HookOutput(Function<InstanceId, Path> log, Clocks clocks, boolean silent) {
    this.log = log;
    this.clocks = clocks;
    this.silent = silent;
  }

  /** The file to which a reload command writes. */
  static Path capture(Run run) {
    return run.directory().resolve("output");
  }

  @Nullable Reloaded lastReload(InstanceId instance) {
    return reloaded.get(instance);
  }

  /** A hook is about to be started. */
  void begins(InstanceId instance, Hook hook) {
    if (hook != Hook.RELOAD) {
      begins(instance, hook.text());
    }
  }

  /** A command beside the service's own is about to be started. */
  void begins(InstanceId instance, String what) {
    append(instance, "[krond: " + what + " begins]\n");
  }

  /** That command is over. */
  void ended(InstanceId instance, String what, String how) {
    append(instance, "[krond: " + what + " has ended: " + how + "]\n");
  }

  /** A hook is over, and nothing of it is left. */
  void ended(ServiceRun present, Hook hook, Run run, ServiceEvent event) {
    InstanceId instance = present.instance;
    if (event instanceof ServiceEvent.NeverBegan) {
      return;
    }
    String how = how(event);
    if (present.isToEnd()) {
      how += ", ended after " + present.spec.hooks().timeoutMillis() + " ms or with its service";
    }
    if (hook == Hook.RELOAD) {
      String written = silent ? "" : tail(capture(run));
      Integer code = event instanceof ServiceEvent.ProcessExited exited ? exited.exitCode() : null;
      boolean well = code != null && code == 0;
      reloaded.put(
          instance, new Reloaded(run.id(), code, well ? null : how, written, clocks.wallMillis()));
      var lines = new StringBuilder();
      written.lines().forEach(line -> lines.append("[reload] ").append(line).append('\n'));
      append(instance, lines + "[krond: reload has ended: " + how + "]\n");
    } else {
      ended(instance, hook.text(), how);
    }
  }

  private static String how(ServiceEvent event) {
    if (event instanceof ServiceEvent.SpawnFailed failed) {
      return "it could not be started: " + failed.message();
    }
    if (event instanceof ServiceEvent.ProcessExited exited) {
      return exited.signal() != null
          ? "signal " + exited.signal()
          : exited.exitCode() == null ? "nobody knows how" : "exit code " + exited.exitCode();
    }
    return "nobody knows how";
  }

  /** The end of what a reload command wrote. */
  private static String tail(Path file) {
    try {
      return new String(end(file, TAIL_BYTES), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return ""; // it wrote nothing, or its directory is gone
    }
  }

  /** The end of a log, from a whole line on where it is long; empty if there is none. */
  static byte[] end(Path file, int most) throws IOException {
    var reader = new LogReader(file);
    long from = Math.max(reader.begin(), reader.end() - most);
    from = from == 0 ? 0 : reader.lineFrom(from);
    byte[] buffer = new byte[most];
    int size = 0;
    while (size < buffer.length) {
      byte[] rest = new byte[buffer.length - size];
      int count = reader.read(from + size, rest);
      if (count <= 0) {
        break;
      }
      System.arraycopy(rest, 0, buffer, size, count);
      size += count;
    }
    return Arrays.copyOf(buffer, size);
  }

  /**
   * Adds lines to the log of an instance, from the beginning of a line on. A log that cannot be
   * written says less; that keeps no hook from its work.
   */
  private void append(InstanceId instance, String lines) {
    if (silent) {
      return;
    }
    Path file = log.apply(instance);
    try {
      String whole = endsInTheMiddle(file) ? "\n" + lines : lines;
      Private.append(file, whole.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      // The daemon's own log says how the hook ended.
    }
  }

  private static boolean endsInTheMiddle(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
      ByteBuffer last = ByteBuffer.allocate(1);
      int count = channel.size() == 0 ? 0 : channel.read(last, channel.size() - 1);
      return count > 0 && last.get(0) != '\n' && last.get(0) != 0;
    } catch (NoSuchFileException e) {
      return false;
    }
  }
}
