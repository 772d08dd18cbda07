package dev.kron.daemon.services;

import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.runs.OutputLines;
import dev.kron.process.LogReader;
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceInstance;
import dev.kron.service.ServiceSpec;
import dev.kron.service.SupervisionState;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The lines of all services in the daemon's own output, each marked with its instance, as people
 * expect in a container. They are read from the services' logs, so no service waits for a slow
 * reader of the daemon's output. Lines from before the daemon's start are not shown again.
 */
public final class ServiceOutput implements AutoCloseable {
  private static final int CHUNK = 64 << 10;

  /**
   * The most bytes of one log in a turn, so that a log that is written without end does not hide
   * the others.
   */
  private static final int AT_ONCE = 4 * CHUNK;

  private static final long SOONEST_MILLIS = 50;
  private static final long LATEST_MILLIS = 400;
  private static final long CLOSE_MILLIS = 2_000;
  private static final int LAST_LOOKS = 20;

  private final Services services;
  private final Errands errands;
  private final EventLog log;
  private final Consumer<byte[]> out;
  private final Map<Path, Long> begins = new HashMap<>();
  private final Map<InstanceId, Tail> tails = new HashMap<>();
  private final byte[] buffer = new byte[CHUNK];
  private long pauseMillis = SOONEST_MILLIS;
  private final CountDownLatch closing = new CountDownLatch(1);
  private @Nullable Thread thread;

  /**
   * @param log gives lines their form
   * @param out takes lines with their ends
   */
  public ServiceOutput(Services services, Errands errands, EventLog log, Consumer<byte[]> out) {
    this.services = services;
    this.errands = errands;
    this.log = log;
    this.out = out;
  }

  /**
   * Notes the lengths of the logs before any service is started, and shows what comes after that.
   */
  public void begin(Path logs) {
    try (DirectoryStream<Path> present = Files.newDirectoryStream(logs, "*.log")) {
      for (Path file : present) {
        begins.put(file, end(file));
      }
    } catch (IOException | DirectoryIteratorException e) {
      // There is no directory yet, or it cannot be read: at worst, old lines are shown again.
    }
    thread = errands.tend("service output", this::turn);
  }

  private static long end(Path file) {
    try {
      return new LogReader(file).end();
    } catch (IOException e) {
      return 0;
    }
  }

  /** Waits a moment, then shows the new lines; returns false at the end. */
  private boolean turn() throws InterruptedException {
    boolean last = closing.await(pauseMillis, TimeUnit.MILLISECONDS);
    boolean moved = look();
    // A service that outlives the daemon may write without end.
    for (int i = 1; last && moved && i < LAST_LOOKS; i++) {
      moved = look();
    }
    pauseMillis = moved ? SOONEST_MILLIS : Math.min(2 * pauseMillis, LATEST_MILLIS);
    if (last) {
      tails.values().forEach(Tail::end);
    }
    return !last;
  }

  private boolean look() {
    SupervisionState present = services.view().supervised();
    for (ServiceSpec spec : present.graph().services().values()) {
      for (ServiceInstance instance : present.instances(spec.name())) {
        tails.computeIfAbsent(instance.id(), id -> new Tail(id, spec.instances() > 1));
      }
    }
    // Removed services too: their last lines may come now.
    boolean moved = false;
    for (Tail tail : tails.values()) {
      moved |= tail.advance();
    }
    return moved;
  }

  /** Shows the lines that are there by now, and stops. */
  @Override
  public void close() {
    closing.countDown();
    if (thread == null) {
      return;
    }
    try {
      thread.join(CLOSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** One log and how far it was shown. */
  private final class Tail {
    private final LogReader reader;
    private final OutputLines lines;
    private long position;

    Tail(InstanceId id, boolean several) {
      Path file = services.log(id);
      String name = several ? id.toString() : id.service();
      this.reader = new LogReader(file);
      this.position = begins.getOrDefault(file, 0L);
      this.lines =
          new OutputLines(
              text -> log.serviceLine(name, text), name, Long.MAX_VALUE, System::nanoTime, out);
    }

    /** Shows all complete new lines; returns whether there were any. */
    boolean advance() {
      long before = position;
      try {
        while (position - before < AT_ONCE) {
          int count = reader.read(position, buffer);
          if (count < 0) {
            position = reader.lineFrom(0); // so much was written meanwhile that a part is gone
          } else if (count > 0 && buffer[0] == 0 && reader.skipHole(position) > position) {
            position = reader.skipHole(position);
          } else {
            int used = show(count);
            if (used == 0) {
              break;
            }
            position += used;
          }
        }
      } catch (IOException e) {
        return false; // the next look tries again
      }
      return position != before;
    }

    /** Shows complete lines; a full buffer without a line end counts as one. */
    private int show(int count) {
      int start = 0;
      for (int i = 0; i < count; i++) {
        if (buffer[i] == '\n') {
          lines.line(Arrays.copyOfRange(buffer, start, i));
          start = i + 1;
        }
      }
      if (start == 0 && count == CHUNK) {
        lines.line(Arrays.copyOf(buffer, count));
        return count;
      }
      return start;
    }

    /** Shows the rest as a line, although it has no line end. */
    void end() {
      try {
        int count = reader.read(position, buffer);
        if (count > 0) {
          lines.line(Arrays.copyOf(buffer, count));
          position += count;
        }
      } catch (IOException e) {
        // What cannot be read cannot be shown; it stays where it is.
      }
      lines.end();
    }
  }
}
