package dev.kron.daemon.log;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The daemon's structured log: one event a line, as text or JSON.
 *
 * <p>Lines are written by a thread of their own. A reader that does not read (a full pipe, a slow
 * terminal) makes the log lose lines, and say how many; it never makes the loop wait.
 */
public final class EventLog implements AutoCloseable {
  /**
   * The form of a line: everything, as text or JSON, or what somebody at a terminal needs (the time
   * of day in the machine's zone, what happened, and no seed), in colours or without.
   */
  public enum Format {
    TEXT,
    JSON,
    TERMINAL,
    COLOURED
  }

  /** How much somebody should care. */
  public enum Level {
    DEBUG("debug", "\033[2m"),
    INFO("info", "\033[1m"),
    WARN("warn", "\033[33m"),
    ERROR("error", "\033[1;31m");

    final String text;
    final String colour;

    Level(String text, String colour) {
      this.text = text;
      this.colour = colour;
    }
  }

  static final int QUEUE = 16_384;
  private static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT);
  private static final String PLAIN = "\033[0m";
  private static final long CLOSE_MILLIS = 2_000;

  /** The mark that ends the writer; no line is empty. */
  private static final byte[] END = new byte[0];

  private final Format format;
  private final Level least;
  private final Supplier<Instant> now;
  private final BlockingQueue<byte[]> lines = new ArrayBlockingQueue<>(QUEUE);
  private final AtomicLong dropped = new AtomicLong();
  private final AtomicLong said = new AtomicLong();
  private volatile long written;
  private final OutputStream out;
  private final @Nullable EventRing ring;
  private final @Nullable Thread writer;

  public EventLog(OutputStream out, Format format, Level least, Supplier<Instant> now) {
    this(out, format, least, now, true, null);
  }

  /**
   * A log.
   *
   * @param queued false if the caller writes its line itself and waits for that
   * @param ring also gets every event, whatever the log's level, for clients that follow
   */
  public EventLog(
      OutputStream out,
      Format format,
      Level least,
      Supplier<Instant> now,
      boolean queued,
      @Nullable EventRing ring) {
    this.out = out;
    this.ring = ring;
    this.format = format;
    this.least = least;
    this.now = now;
    this.writer =
        queued ? Thread.ofPlatform().name("krond-log").daemon().start(() -> write(out)) : null;
  }

  /** The id of the last event that clients can follow; empty if there is no ring. */
  public String lastEvent() {
    return ring == null ? "" : ring.id(ring.last());
  }

  /** The present time of the log. */
  public long millis() {
    return now.get().toEpochMilli();
  }

  public void debug(String component, String event, @Nullable Object... pairs) {
    log(Level.DEBUG, component, event, pairs);
  }

  public void info(String component, String event, @Nullable Object... pairs) {
    log(Level.INFO, component, event, pairs);
  }

  public void warn(String component, String event, @Nullable Object... pairs) {
    log(Level.WARN, component, event, pairs);
  }

  public void error(String component, String event, @Nullable Object... pairs) {
    log(Level.ERROR, component, event, pairs);
  }

  /**
   * @param pairs key, value, key, value …; a pair whose value is null is left out
   */
  public void log(Level level, String component, String event, @Nullable Object... pairs) {
    if (ring != null && level != Level.DEBUG) {
      ring.add(now.get().toEpochMilli(), level.text, component, event, pairs);
    }
    if (level.compareTo(least) < 0) {
      return;
    }
    enqueue(render(level, component, event, pairs));
  }

  /** Adds a finished line of a job's output, in turn with the daemon's own lines. */
  public void line(byte[] line) {
    enqueue(line);
  }

  /**
   * Marks a line of a job, in the format of this log.
   *
   * @param text a text without line breaks
   */
  public byte[] jobLine(String identity, String name, String runId, String stream, String text) {
    return format != Format.JSON
        ? ("[" + name + " " + runId + "] " + text + "\n").getBytes(StandardCharsets.UTF_8)
        : json(
            Level.INFO,
            "output",
            "line",
            new @Nullable Object[] {
              "identity", identity, "run", runId, "stream", stream, "text", text
            });
  }

  /**
   * Marks a line of a service, in the format of this log.
   *
   * @param instance its name, with the number if there are several
   */
  public byte[] serviceLine(String instance, String text) {
    return format != Format.JSON
        ? ("[" + instance + "] " + text + "\n").getBytes(StandardCharsets.UTF_8)
        : json(
            Level.INFO,
            "output",
            "line",
            new @Nullable Object[] {"instance", instance, "text", text});
  }

  private void enqueue(byte[] line) {
    if (writer == null) {
      write(out, line);
    } else if (lines.offer(line)) {
      said.incrementAndGet();
    } else {
      dropped.incrementAndGet();
    }
  }

  /** Whether every line so far is written or lost. */
  public boolean isWritten() {
    return written >= said.get();
  }

  private byte[] text(Level level, String component, String event, @Nullable Object[] pairs) {
    var line = new StringBuilder(160);
    appendTime(line);
    line.append(" level=").append(level.text);
    line.append(" component=").append(component);
    line.append(" event=").append(event);
    appendPairs(line, pairs);
    return line.append('\n').toString().getBytes(StandardCharsets.UTF_8);
  }

  private byte[] terminal(Level level, String component, String event, @Nullable Object[] pairs) {
    var line = new StringBuilder(120);
    String colour = format == Format.COLOURED ? level.colour : "";
    line.append(CLOCK.format(now.get().atZone(ZoneId.systemDefault())));
    line.append("  ").append(colour);
    if (level != Level.INFO) {
      line.append(level.text).append(": ");
    }
    line.append(component).append(' ').append(event.replace('_', ' '));
    line.append(colour.isEmpty() ? "" : PLAIN);
    appendPairs(line, pairs);
    return line.append('\n').toString().getBytes(StandardCharsets.UTF_8);
  }

  private void appendPairs(StringBuilder line, @Nullable Object[] pairs) {
    for (int i = 0; i < pairs.length; i += 2) {
      Object value = pairs[i + 1];
      if (value != null && (format == Format.TEXT || !"seed".equals(pairs[i]))) {
        line.append(' ').append(pairs[i]).append('=');
        appendValue(line, value.toString());
      }
    }
  }

  private byte[] json(Level level, String component, String event, @Nullable Object[] pairs) {
    var line = new StringBuilder(200).append("{\"time\":\"");
    appendTime(line);
    line.append("\",\"level\":\"").append(level.text);
    line.append("\",\"component\":\"").append(component);
    line.append("\",\"event\":\"").append(event).append('"');
    for (int i = 0; i < pairs.length; i += 2) {
      Object value = pairs[i + 1];
      if (value != null) {
        line.append(",\"").append(pairs[i]).append("\":");
        if (value instanceof Number || value instanceof Boolean) {
          line.append(value);
        } else {
          appendQuoted(line, value.toString());
        }
      }
    }
    return line.append("}\n").toString().getBytes(StandardCharsets.UTF_8);
  }

  /** Appends the time in RFC 3339 with all nine digits, so that lines sort as text. */
  private void appendTime(StringBuilder line) {
    Instant time = now.get();
    String seconds = Instant.ofEpochSecond(time.getEpochSecond()).toString();
    line.append(seconds, 0, seconds.length() - 1).append('.');
    String nanos = Integer.toString(time.getNano());
    line.append("000000000", 0, 9 - nanos.length()).append(nanos).append('Z');
  }

  private static void appendValue(StringBuilder line, String value) {
    boolean plain = !value.isEmpty();
    for (int i = 0; plain && i < value.length(); i++) {
      char c = value.charAt(i);
      plain = c > ' ' && c != '"' && c != '=' && c != '\\' && c < 0x7f;
    }
    if (plain) {
      line.append(value);
    } else {
      appendQuoted(line, value);
    }
  }

  private static void appendQuoted(StringBuilder line, String value) {
    line.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      switch (c) {
        case '"' -> line.append("\\\"");
        case '\\' -> line.append("\\\\");
        case '\n' -> line.append("\\n");
        case '\t' -> line.append("\\t");
        default -> {
          if (c < ' ' || (c >= 0x7f && c < 0xa0) || c == '\u2028' || c == '\u2029') {
            line.append("\\u").append(Character.forDigit(c >> 12, 16));
            line.append(Character.forDigit(c >> 8 & 15, 16));
            line.append(Character.forDigit(c >> 4 & 15, 16));
            line.append(Character.forDigit(c & 15, 16));
          } else {
            line.append(c);
          }
        }
      }
    }
    line.append('"');
  }

  private void write(OutputStream out) {
    long taken = 0;
    try {
      for (byte[] line = lines.take(); line.length > 0; line = lines.take()) {
        write(out, line);
        taken++;
        written = taken;
      }
      out.flush();
    } catch (IOException | InterruptedException e) {
      // The daemon is shutting down, and nobody reads its last lines.
    }
  }

  /**
   * Writes a line. One that cannot be written is lost and counted; the disk may have space again
   * later.
   */
  private void write(OutputStream out, byte[] line) {
    try {
      out.write(line);
    } catch (IOException e) {
      dropped.incrementAndGet();
      return;
    }
    long lost = dropped.getAndSet(0);
    try {
      if (lost > 0) {
        out.write(render(Level.WARN, "log", "lines_lost", "count", lost));
      }
      if (lines.isEmpty()) {
        out.flush();
      }
    } catch (IOException e) {
      dropped.addAndGet(Math.max(lost, 1));
    }
  }

  private byte[] render(Level level, String component, String event, @Nullable Object... pairs) {
    return switch (format) {
      case TEXT -> text(level, component, event, pairs);
      case JSON -> json(level, component, event, pairs);
      case TERMINAL, COLOURED -> terminal(level, component, event, pairs);
    };
  }

  /** Writes the queued lines, within a bounded time. */
  @Override
  public void close() {
    if (writer == null) {
      return;
    }
    try {
      if (lines.offer(END, CLOSE_MILLIS, TimeUnit.MILLISECONDS)) {
        writer.join(CLOSE_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
