package dev.kron.daemon.runs;

import dev.kron.daemon.loop.Errands;
import dev.kron.process.FileSpace;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
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
 * Hands on what runs write, line by line, from the files their output goes to. The commands write
 * those files themselves and need nobody for it; this only reads behind them, so it may be slow, or
 * dead, without anyone losing a byte. How far it came stands beside each file, and a new daemon
 * goes on from there.
 */
final class OutputForwarder implements AutoCloseable {
  /** A line without an end is handed on in pieces of this size. */
  static final int LONGEST_LINE = 64 * 1024;

  /** Of each file, so much at a look: one that writes without end must not keep us from others. */
  private static final long AT_ONCE = 256 << 10;

  /** A file that had no turn in this time at a look is the first at the next. */
  private static final long LONGEST_LOOK_NANOS = 50_000_000;

  private static final long SOONEST_MILLIS = 50;
  private static final long LATEST_MILLIS = 1_000;
  private static final long FOREVER = Long.MAX_VALUE;

  /** After each look, so many times as long without one. */
  private static final long REST = 19;

  private final long limitBytes;
  private final LongSupplier nanoTime;
  private final Function<Errands.Turn, Thread> starter;
  private final BiConsumer<Path, DroppedMiddle> trimmed;
  private final Map<String, List<Tail>> tails = new HashMap<>();
  private final Queue<Tail> ending = new ArrayDeque<>();
  private @Nullable Thread thread;
  private boolean closed;
  private long pauseMillis = SOONEST_MILLIS;
  private long restUntilNanos;
  private long lookAtNanos;
  private int looksFrom;

  /** One for all: there may be thousands of files, and one thread looks at them. */
  private final byte[] buffer = new byte[LONGEST_LINE];

  /**
   * @param limitBytes of one captured stream; the middle of more is dropped
   * @param thread starts the one that does this turn by turn
   * @param trimmed told once of each file of which something is gone
   */
  OutputForwarder(
      long limitBytes,
      LongSupplier nanoTime,
      Function<Errands.Turn, Thread> thread,
      BiConsumer<Path, DroppedMiddle> trimmed) {
    this.limitBytes = limitBytes;
    this.nanoTime = nanoTime;
    this.starter = thread;
    this.trimmed = trimmed;
    this.restUntilNanos = nanoTime.getAsLong();
    this.lookAtNanos = restUntilNanos;
  }

  /** Takes the lines of one file. */
  interface Sink {
    /** Without its end. */
    void line(byte[] line);

    /** No line comes after it. */
    default void end() {}
  }

  /** Begins to hand on the lines of a file that may not be there yet. */
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

  /** The run has ended: hands on the rest of what it wrote. */
  synchronized void finish(String runId) {
    List<Tail> finished = tails.remove(runId);
    if (finished != null) {
      ending.addAll(finished);
      notifyAll();
    }
  }

  /** Waits until there is something to do, and does it; false: that was the last. */
  boolean turn() throws InterruptedException {
    List<Tail> going;
    boolean last;
    synchronized (this) {
      boolean isTime = awaitWork();
      last = closed;
      going = last || isTime ? tails.values().stream().flatMap(List::stream).toList() : List.of();
    }
    do {
      for (int i = endings(); i > 0; i--) {
        finishNext();
      }
    } while (last && endings() > 0);
    if (!going.isEmpty()) {
      look(going);
    }
    return !last;
  }

  private synchronized int endings() {
    return ending.size();
  }

  /** Comes a step nearer to the end of one of them: a long one holds up nobody. */
  private void finishNext() {
    Tail tail;
    synchronized (this) {
      tail = ending.remove();
    }
    if (!tail.isFinished(buffer)) {
      synchronized (this) {
        ending.add(tail);
      }
    }
  }

  /** Whether it is time to look at what goes on. */
  private boolean awaitWork() throws InterruptedException {
    while (true) {
      long millis = tails.isEmpty() ? FOREVER : millisToLook();
      if (closed || !ending.isEmpty() || millis <= 0) {
        return millis <= 0;
      }
      // As it was when it was compared: computed once more, it could be 0, for ever, or less.
      wait(millis == FOREVER ? 0 : millis);
    }
  }

  private long millisToLook() {
    return (lookAtNanos - nanoTime.getAsLong() + 999_999) / 1_000_000;
  }

  /** Looks at what goes on; however many there are, most of the time nobody looks. */
  private void look(List<Tail> going) {
    long begin = nanoTime.getAsLong();
    boolean moved = false;
    RuntimeException thrown = null;
    int first = looksFrom % going.size();
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
      restUntilNanos = end + Math.max(SOONEST_MILLIS * 1_000_000, REST * (end - begin));
      lookAtNanos = Math.max(end + pauseMillis * 1_000_000, restUntilNanos);
    }
    if (thrown != null) {
      throw thrown;
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
  private final class Tail {
    private final Path file;
    private final Path mark;
    private final Sink sink;
    private DroppedMiddle dropped;
    private long offset;

    /** How long the file was when the run had ended; what others add later is not handed on. */
    private long end = -1;

    Tail(Path file, Sink sink) {
      this.file = file;
      this.mark = file.resolveSibling(file.getFileName() + ".forwarded");
      this.sink = sink;
      this.offset = marked();
      this.dropped = DroppedMiddle.of(file);
    }

    private long marked() {
      try {
        return Long.parseLong(Files.readString(mark).strip());
      } catch (IOException | NumberFormatException e) {
        return 0;
      }
    }

    /** Hands on all whole lines that are there; says whether there were any. */
    boolean advance(byte[] buffer) {
      long before = offset;
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
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

    void trimIfTooLong() {
      try {
        if (Files.size(file) > limitBytes) {
          trim();
        }
      } catch (IOException e) {
        // Not there, or the next look tries again.
      }
    }

    private void trim() throws IOException {
      DroppedMiddle more = DroppedMiddle.trim(file, limitBytes);
      if (more != null) {
        boolean first = dropped.bytes() == 0;
        dropped = more;
        if (first) {
          trimmed.accept(file, more);
        }
      }
    }

    /** A hole in the file is no line, however long it is. */
    private boolean isPastHole() throws IOException {
      long before = offset;
      try (FileSpace space = FileSpace.open(file)) {
        Long data = space.dataFrom(offset);
        offset = data == null ? Files.size(file) : data;
      }
      return offset > before;
    }

    private void skipWhatIsGone() {
      if (dropped.holds(offset)) {
        sink.line(dropped.notice().getBytes(StandardCharsets.UTF_8));
        offset = dropped.to();
      }
    }

    /** Hands on the whole lines in the buffer; a full buffer without an end counts as a line. */
    private int lines(byte[] bytes, int length) {
      int start = 0;
      for (int i = 0; i < length; i++) {
        if (bytes[i] == '\n') {
          sink.line(Arrays.copyOfRange(bytes, start, i));
          start = i + 1;
        }
      }
      if (start == 0 && length == LONGEST_LINE) {
        int whole = wholeCharacters(bytes, length);
        sink.line(Arrays.copyOf(bytes, whole));
        return whole;
      }
      return start;
    }

    /** Up to a character that is cut in two. */
    private static int wholeCharacters(byte[] bytes, int length) {
      int start = length - 1;
      while (start > length - 4 && (bytes[start] & 0xc0) == 0x80) {
        start--;
      }
      int needed = (bytes[start] & 0xf8) == 0xf0 ? 4 : (bytes[start] & 0xf0) == 0xe0 ? 3 : 2;
      boolean cut = (bytes[start] & 0xc0) == 0xc0 && start + needed > length;
      return cut ? start : length;
    }

    /**
     * Hands on some of what the run had written when it had ended, and says whether that is all.
     * Processes that it left behind may write for ever.
     */
    boolean isFinished(byte[] buffer) {
      try {
        end = end < 0 ? Files.size(file) : end;
      } catch (IOException e) {
        end = 0;
      }
      if (advance(buffer) && offset < end) {
        return false;
      }
      finish(buffer);
      return true;
    }

    /** What is left is a line, although nothing ends it. */
    private void finish(byte[] buffer) {
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
        int read = offset < end ? channel.read(ByteBuffer.wrap(buffer), offset) : 0;
        if (read > 0) {
          sink.line(Arrays.copyOf(buffer, read));
          offset += read;
          remember();
        }
      } catch (IOException e) {
        // What cannot be read cannot be handed on; it stays where it is.
      }
      sink.end();
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
