package dev.kron.cli.online;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kron.cli.output.Times;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A line of output with the two times between which it was written, as the daemon sends it: {@code
 * OFFSET AFTER BY TEXT}.
 */
final class TimedLine {
  /** Looks are about a second apart; a wider interval is no time to rely on. */
  private static final long EXACT_MILLIS = 2_000;

  private final long offset;
  private final @Nullable Instant after;
  private final Instant by;
  private final byte[] text;

  private TimedLine(long offset, @Nullable Instant after, Instant by, byte[] text) {
    this.offset = offset;
    this.after = after;
    this.by = by;
    this.text = text;
  }

  /** The offset after this line, in all that was written. */
  long offset() {
    return offset;
  }

  /** Null if nobody knows. */
  @Nullable Instant after() {
    return after;
  }

  Instant by() {
    return by;
  }

  byte[] text() {
    return text;
  }

  static TimedLine parse(byte[] line) throws IOException {
    int[] ends = new int[3];
    for (int i = 0, from = 0; i < ends.length; i++, from = ends[i - 1] + 1) {
      ends[i] = space(line, from);
    }
    try {
      String after = new String(line, ends[0] + 1, ends[1] - ends[0] - 1, UTF_8);
      String by = new String(line, ends[1] + 1, ends[2] - ends[1] - 1, UTF_8);
      return new TimedLine(
          Long.parseLong(new String(line, 0, ends[0], UTF_8)),
          after.equals("-") ? null : Instant.parse(after),
          Instant.parse(by),
          Arrays.copyOfRange(line, ends[2] + 1, line.length));
    } catch (NumberFormatException | DateTimeException e) {
      throw new IOException("the daemon sent a line without times", e);
    }
  }

  private static int space(byte[] line, int from) throws IOException {
    for (int i = from; i < line.length; i++) {
      if (line[i] == ' ') {
        return i;
      }
    }
    throw new IOException("the daemon sent a line without times");
  }

  /** The time for people; {@code ~} after it where it may have been written long before. */
  String stamp() {
    boolean exact = after != null && by.toEpochMilli() - after.toEpochMilli() <= EXACT_MILLIS;
    return Times.local(by.getEpochSecond(), ZoneId.systemDefault()) + (exact ? "  " : "~ ");
  }
}
