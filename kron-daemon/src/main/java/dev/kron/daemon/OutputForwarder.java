package dev.kron.daemon;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Hands on what runs write, line by line, from the files their output goes to. The commands write
 * those files themselves and need nobody for it; this only reads behind them, so it may be slow, or
 * dead, without anyone losing a byte. How far it came stands beside each file, and a new daemon
 * goes on from there.
 */
final class OutputForwarder implements AutoCloseable {
  /** A line without an end is handed on in pieces of this size. */
  static final int LONGEST_LINE = 64 * 1024;

  private static final long SOONEST_MILLIS = 50;
  private static final long LATEST_MILLIS = 1_000;

  private final Map<String, List<Tail>> tails = new HashMap<>();
  private final List<Tail> ending = new ArrayList<>();
  private @Nullable Thread thread;
  private boolean closed;
  private long pauseMillis = SOONEST_MILLIS;

  /** Begins to hand on the lines of a file that may not be there yet. */
  synchronized void follow(String runId, Path file, Consumer<String> line) {
    List<Tail> present = tails.computeIfAbsent(runId, id -> new ArrayList<>(2));
    if (present.stream().anyMatch(tail -> tail.file.equals(file))) {
      return; // found again by a daemon that never lost it
    }
    present.add(new Tail(file, line));
    if (thread == null) {
      thread = Thread.ofPlatform().name("krond-output").daemon().start(this::work);
    }
    pauseMillis = SOONEST_MILLIS;
    notifyAll();
  }

  /** The run has ended: hands on the rest of what it wrote. */
  synchronized void finish(String runId) {
    List<Tail> finished = tails.remove(runId);
    if (finished != null) {
      ending.addAll(finished);
      notifyAll();
    }
  }

  private void work() {
    try {
      while (true) {
        List<Tail> going;
        List<Tail> finished;
        synchronized (this) {
          while (tails.isEmpty() && ending.isEmpty() && !closed) {
            wait();
          }
          finished = List.copyOf(ending);
          ending.clear();
          going = tails.values().stream().flatMap(List::stream).toList();
        }
        boolean moved = false;
        for (Tail tail : going) {
          moved |= tail.advance();
        }
        for (Tail tail : finished) {
          tail.advance();
          tail.finish();
        }
        synchronized (this) {
          if (closed) {
            return;
          }
          pauseMillis = moved ? SOONEST_MILLIS : Math.min(pauseMillis * 2, LATEST_MILLIS);
          if (ending.isEmpty() && !tails.isEmpty()) {
            wait(pauseMillis);
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Hands on what is there by now, once more, and stops. */
  @Override
  public void close() {
    Thread working;
    synchronized (this) {
      closed = true;
      working = thread;
      notifyAll();
    }
    if (working == null) {
      return;
    }
    try {
      working.join(2_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** One file and how far it has been read. */
  private static final class Tail {
    private final Path file;
    private final Path mark;
    private final Consumer<String> sink;
    private final ByteBuffer buffer = ByteBuffer.allocate(LONGEST_LINE);
    private long offset;

    Tail(Path file, Consumer<String> sink) {
      this.file = file;
      this.mark = file.resolveSibling(file.getFileName() + ".forwarded");
      this.sink = sink;
      this.offset = marked();
    }

    private long marked() {
      try {
        return Long.parseLong(Files.readString(mark).strip());
      } catch (IOException | NumberFormatException e) {
        return 0;
      }
    }

    /** Hands on all whole lines that are there; says whether there were any. */
    boolean advance() {
      long before = offset;
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
        while (true) {
          buffer.clear();
          int read = channel.read(buffer, offset);
          if (read <= 0) {
            break;
          }
          int used = lines(read);
          if (used == 0) {
            break;
          }
          offset += used;
        }
      } catch (NoSuchFileException e) {
        return false; // not begun yet, or cleaned up already
      } catch (IOException e) {
        return false; // the next look tries again
      }
      if (offset != before) {
        remember();
      }
      return offset != before;
    }

    /** Hands on the whole lines in the buffer; a full buffer without an end counts as a line. */
    private int lines(int length) {
      byte[] bytes = buffer.array();
      int start = 0;
      for (int i = 0; i < length; i++) {
        if (bytes[i] == '\n') {
          sink.accept(new String(bytes, start, i - start, StandardCharsets.UTF_8));
          start = i + 1;
        }
      }
      if (start == 0 && length == LONGEST_LINE) {
        sink.accept(new String(bytes, 0, length, StandardCharsets.UTF_8));
        return length;
      }
      return start;
    }

    /** The run is over: what is left is a line, although nothing ends it. */
    void finish() {
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
        buffer.clear();
        int read = channel.read(buffer, offset);
        if (read > 0) {
          sink.accept(new String(buffer.array(), 0, read, StandardCharsets.UTF_8));
          offset += read;
          remember();
        }
      } catch (IOException e) {
        // What cannot be read cannot be handed on; it stays where it is.
      }
    }

    private void remember() {
      try {
        Private.write(mark, Long.toString(offset).getBytes(StandardCharsets.UTF_8));
      } catch (IOException e) {
        // A full disk: a new daemon may hand on some lines again.
      }
    }
  }
}
