package dev.kron.daemon.runs;

import dev.kron.daemon.loop.Errands;
import dev.kron.process.FileSpace;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The forwarder of runs' output, line by line, from the files to which it goes. Commands write
 * these files themselves; the forwarder only reads behind them, so it may be slow or dead without a
 * byte being lost. Its position is recorded beside each file, and a new daemon continues there.
 *
 * <p>One file, though a long one: a file that is read and the thread that reads all of them share
 * its pauses and its buffer.
 */
final class OutputForwarder implements AutoCloseable {
  /** The size of the pieces in which a line without an end is forwarded. */
  static final int LONGEST_LINE = 64 * 1024;

  /** The most bytes of one file at a look, so that a fast writer does not starve others. */
  private static final long AT_ONCE = 256 << 10;

  /** The longest look; a file without a turn in it is the first at the next look. */
  private static final long LONGEST_LOOK_NANOS = 50_000_000;

  private static final long SOONEST_MILLIS = 50;
  private static final long LATEST_MILLIS = 1_000;
  private static final long FOREVER = Long.MAX_VALUE;

  /** The pause after a look, as a multiple of its duration. */
  private static final long REST = 19;

  private static final long MARK_EVERY_NANOS = 1_000_000_000;
  private static final long NEVER = Long.MIN_VALUE;

  private final long limitBytes;
  private final LongSupplier nanoTime;
  private final LongSupplier wallMillis;
  private final Function<Errands.Turn, Thread> starter;
  private final BiConsumer<Path, DroppedMiddle> trimmed;
  private final Map<String, List<Tail>> tails = new HashMap<>();
  private final Queue<Tail> ending = new ArrayDeque<>();

  private final LeftBehindOutput left;

  private @Nullable Thread thread;
  private boolean closed;
  private long pauseMillis = SOONEST_MILLIS;
  private long restUntilNanos;
  private long lookAtNanos;
  private int looksFrom;

  /** When the present look began. */
  private long lookNanos;

  /** Something was longer than it may be at this look: the next must not be long in coming. */
  private boolean tooLong;

  /** One buffer for all: there may be thousands of files, and one thread reads them. */
  private final byte[] buffer = new byte[LONGEST_LINE];

  /**
   * A forwarder.
   *
   * @param limitBytes the limit of one captured stream; the middle of a longer one is dropped
   * @param wallMillis the wall clock, for time marks
   * @param thread starts the thread that does this turn by turn
   * @param trimmed called once for each file with a gap
   */
  OutputForwarder(
      long limitBytes,
      LongSupplier nanoTime,
      LongSupplier wallMillis,
      Function<Errands.Turn, Thread> thread,
      BiConsumer<Path, DroppedMiddle> trimmed) {
    this.limitBytes = limitBytes;
    this.left = new LeftBehindOutput(limitBytes);
    this.nanoTime = nanoTime;
    this.wallMillis = wallMillis;
    this.starter = thread;
    this.trimmed = trimmed;
    this.restUntilNanos = nanoTime.getAsLong();
    this.lookAtNanos = restUntilNanos;
  }

  /** The receiver of the lines of one file. */
  interface Sink {
    /** Takes a line, without its line break. */
    void line(byte[] line);

    /** Called after the last line. */
    default void end() {}
  }

  /** Begins to forward the lines of a file, which need not exist yet. */
  synchronized void follow(String runId, Path file, Sink line) {
    List<Tail> present = tails.computeIfAbsent(runId, id -> new ArrayList<>(2));
    if (present.stream().anyMatch(tail -> tail.file.equals(file))) {
      return; // found again by a daemon that never lost it
    }
    present.add(new Tail(file, line));
    if (thread == null) {
      thread = starter.apply(this::turn);
    }
    pauseMillis = SOONEST_MILLIS;
    lookAtNanos = restUntilNanos;
    notifyAll();
  }

  /** Forwards the rest of a run that has ended. */
  synchronized void finish(String runId) {
    List<Tail> finished = tails.remove(runId);
    if (finished != null) {
      ending.addAll(finished);
      notifyAll();
    }
  }

  /** Bounds what is written to the file of a run that is over, for as long as somebody can. */
  void bound(Path file) {
    if (left.add(file)) {
      synchronized (this) {
        if (thread == null) {
          thread = starter.apply(this::turn);
        }
        notifyAll();
      }
    }
  }

  /** Waits for work and does it; false after the last turn. */
  boolean turn() throws InterruptedException {
    List<Tail> going;
    boolean isTime;
    boolean last;
    synchronized (this) {
      isTime = awaitWork();
      last = closed;
      going = last || isTime ? tails.values().stream().flatMap(List::stream).toList() : List.of();
    }
    do {
      for (int i = endings(); i > 0; i--) {
        finishNext();
      }
    } while (last && endings() > 0);
    if (!going.isEmpty() || (isTime && !left.isEmpty())) {
      look(going);
    }
    return !last;
  }

  private synchronized int endings() {
    return ending.size();
  }

  /** Forwards a part of one ended run, so that a long one delays nobody. */
  private void finishNext() {
    Tail tail;
    synchronized (this) {
      tail = ending.remove();
    }
    if (tail.isFinished(buffer)) {
      bound(tail.file);
    } else {
      synchronized (this) {
        ending.add(tail);
      }
    }
  }

  /** Waits until it is time to look at active runs. */
  private boolean awaitWork() throws InterruptedException {
    while (true) {
      long millis = tails.isEmpty() && left.isEmpty() ? FOREVER : millisToLook();
      if (closed || !ending.isEmpty() || millis <= 0) {
        return millis <= 0;
      }
      // The value that was compared is used: computed again, it could be 0, which waits for ever,
      // or negative.
      wait(millis == FOREVER ? 0 : millis);
    }
  }

  private long millisToLook() {
    return (lookAtNanos - nanoTime.getAsLong() + 999_999) / 1_000_000;
  }

  /** Looks at active runs; however many there are, most of the time is spent without looking. */
  private void look(List<Tail> going) {
    long begin = nanoTime.getAsLong();
    lookNanos = begin;
    tooLong = false;
    boolean moved = left.bound();
    RuntimeException thrown = null;
    int first = going.isEmpty() ? 0 : looksFrom % going.size();
    for (int i = 0; i < going.size(); i++) {
      Tail tail = going.get((first + i) % going.size());
      try {
        if (i == 0 || nanoTime.getAsLong() - begin < LONGEST_LOOK_NANOS) {
          moved |= tail.advance(buffer);
          looksFrom = first + i + 1;
        } else {
          tail.trimIfTooLong();
        }
      } catch (RuntimeException e) {
        thrown = e; // the others go on
      }
    }
    long end = nanoTime.getAsLong();
    synchronized (this) {
      pauseMillis = moved ? SOONEST_MILLIS : Math.min(pauseMillis * 2, LATEST_MILLIS);
      long rest = REST * (end - begin);
      rest = tooLong || left.areTooLong() ? Math.min(rest, LATEST_MILLIS * 1_000_000) : rest;
      restUntilNanos = end + Math.max(SOONEST_MILLIS * 1_000_000, rest);
      lookAtNanos = Math.max(end + pauseMillis * 1_000_000, restUntilNanos);
    }
    if (thrown != null) {
      throw thrown;
    }
  }

  /** Forwards what is there once more, and stops. */
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
  private final class Tail {
    private final Path file;
    private final Path mark;
    private final Sink sink;
    private final TimeMarks times;
    private long markedAtNanos = NEVER;
    private long offset;

    /** Null until there is something to read. */
    private @Nullable DroppedMiddle dropped;

    /** The length of the file when the run ended; what others add later is not forwarded. */
    private long end = -1;

    Tail(Path file, Sink sink) {
      this.file = file;
      this.mark = file.resolveSibling(file.getFileName() + ".forwarded");
      this.sink = sink;
      this.times = new TimeMarks(file);
    }

    /** Marks when it was this long, about once a second; a short run leaves no marks. */
    private void mark(long size) {
      if (markedAtNanos == NEVER) {
        markedAtNanos = lookNanos;
      } else if (end < 0 && lookNanos - markedAtNanos >= MARK_EVERY_NANOS) {
        markedAtNanos = lookNanos;
        times.look(size, wallMillis.getAsLong());
      }
    }

    /** What is gone of the file; the first look also finds where an earlier daemon stopped. */
    private DroppedMiddle dropped() {
      if (dropped == null) {
        offset = marked();
        dropped = DroppedMiddle.of(file);
      }
      return dropped;
    }

    private long marked() {
      try {
        return Long.parseLong(Files.readString(mark).strip());
      } catch (IOException | NumberFormatException e) {
        return 0;
      }
    }

    /** Forwards all whole lines; returns whether there were any. */
    boolean advance(byte[] buffer) {
      long before = offset;
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
        long size = channel.size();
        mark(size);
        if (size == 0) {
          return false;
        }
        dropped();
        before = offset;
        if (channel.size() > limitBytes) {
          trim();
        }
        while (offset - before < AT_ONCE) {
          skipWhatIsGone();
          int read = channel.read(ByteBuffer.wrap(buffer), offset);
          if (read <= 0) {
            break;
          }
          if (buffer[0] == 0 && isPastHole()) {
            continue;
          }
          int used = lines(buffer, read);
          if (used == 0) {
            break;
          }
          offset += used;
        }
      } catch (IOException e) {
        return false; // not begun yet, or cleaned up already, or the next look tries again
      }
      // A daemon that dies before a run's end is on record hands on its last lines again.
      if (offset != before && end < 0) {
        remember();
      }
      return offset != before;
    }

    void trimIfTooLong() {
      try {
        if (Files.size(file) > limitBytes) {
          trim();
        }
      } catch (IOException e) {
        // The file does not exist, or the next look tries again.
      }
    }

    private void trim() throws IOException {
      tooLong = true;
      boolean first = dropped().bytes() == 0;
      DroppedMiddle more = DroppedMiddle.trim(file, limitBytes);
      if (more != null) {
        dropped = more;
        if (first) {
          trimmed.accept(file, more);
        }
      }
    }

    /** Whether the position is at a hole in the file, which is no line, however long it is. */
    private boolean isPastHole() throws IOException {
      long before = offset;
      try (FileSpace space = FileSpace.open(file)) {
        Long data = space.dataFrom(offset);
        offset = data == null ? Files.size(file) : data;
      }
      return offset > before;
    }

    private void skipWhatIsGone() {
      if (dropped().holds(offset)) {
        sink.line(dropped().notice().getBytes(StandardCharsets.UTF_8));
        offset = dropped().to();
      }
    }

    /**
     * Forwards the whole lines in the buffer; a full buffer without a line break counts as a line.
     */
    private int lines(byte[] bytes, int length) {
      int start = 0;
      for (int i = 0; i < length; i++) {
        if (bytes[i] == '\n') {
          sink.line(Arrays.copyOfRange(bytes, start, i));
          start = i + 1;
        }
      }
      if (start == 0 && length == LONGEST_LINE) {
        int whole = OutputLines.wholeCharacters(bytes, length);
        sink.line(Arrays.copyOf(bytes, whole));
        return whole;
      }
      return start;
    }

    /**
     * Forwards a part of what the run had written when it ended; returns whether that is all.
     * Processes that it left behind may write for ever.
     */
    boolean isFinished(byte[] buffer) {
      try {
        end = end < 0 ? Files.size(file) : end;
      } catch (IOException e) {
        end = 0;
      }
      if (end > 0 && advance(buffer) && offset < end) {
        return false;
      }
      finish(buffer);
      return true;
    }

    /** Forwards the rest as a line, although it has no line break. */
    private void finish(byte[] buffer) {
      if (dropped != null && offset < end) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
          int read = channel.read(ByteBuffer.wrap(buffer), offset);
          if (read > 0) {
            sink.line(Arrays.copyOf(buffer, read));
          }
        } catch (IOException e) {
          // Output that cannot be read cannot be forwarded; it stays where it is.
        }
      }
      sink.end();
    }

    private void remember() {
      try {
        Private.write(mark, Long.toString(offset).getBytes(StandardCharsets.UTF_8));
      } catch (IOException e) {
        // The disk is full: a new daemon may forward some lines again.
      }
    }
  }
}
