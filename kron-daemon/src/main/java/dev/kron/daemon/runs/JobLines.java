package dev.kron.daemon.runs;

import dev.kron.daemon.log.EventLog;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * A run's lines in the daemon's own output. Each is marked with its job and run, so that no job can
 * write what looks like somebody else's line, and what a terminal would act on is escaped. A run
 * that writes more than fits is shown in part; its record has every byte.
 */
final class JobLines implements OutputForwarder.Sink {
  static final int LINES_A_SECOND = 10_000;
  static final int BYTES_A_SECOND = 1 << 20;
  static final long BYTES = 100L << 20;
  private static final long SECOND_NANOS = 1_000_000_000L;

  private final EventLog log;
  private final RunNote note;
  private final String runId;
  private final String stream;
  private final LongSupplier nanoTime;
  private final Consumer<byte[]> out;
  private long secondBegan;
  private int linesInSecond;
  private long bytesInSecond;
  private long bytes;
  private long hidden;

  /**
   * @param log in whose form lines are written
   * @param stream {@code stdout} or {@code stderr}
   * @param out takes lines with their ends
   */
  JobLines(
      EventLog log,
      RunNote note,
      String runId,
      String stream,
      LongSupplier nanoTime,
      Consumer<byte[]> out) {
    this.log = log;
    this.note = note;
    this.runId = runId;
    this.stream = stream;
    this.nanoTime = nanoTime;
    this.out = out;
    this.secondBegan = nanoTime.getAsLong();
  }

  @Override
  public void line(byte[] line) {
    long now = nanoTime.getAsLong();
    if (now - secondBegan >= SECOND_NANOS) {
      secondBegan = now;
      linesInSecond = 0;
      bytesInSecond = 0;
    }
    int length = line.length + 1;
    if (linesInSecond >= LINES_A_SECOND
        || bytesInSecond + length > BYTES_A_SECOND
        || bytes + length > BYTES) {
      hidden += length;
      return;
    }
    tellWhatIsHidden();
    linesInSecond++;
    bytesInSecond += length;
    bytes += length;
    show(escaped(line));
  }

  @Override
  public void end() {
    tellWhatIsHidden();
  }

  private void tellWhatIsHidden() {
    if (hidden > 0) {
      show("… " + hidden + " bytes not shown, see kron logs " + runId);
      hidden = 0;
    }
  }

  private void show(String text) {
    out.accept(log.jobLine(note.identity(), note.name(), runId, stream, text));
  }

  /** Text as it is; what is none, or what a terminal would act on, as {@code \xHH} or similar. */
  static String escaped(byte[] line) {
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    ByteBuffer in = ByteBuffer.wrap(line);
    CharBuffer decoded = CharBuffer.allocate(line.length);
    var text = new StringBuilder(line.length + 16);
    while (true) {
      CoderResult result = decoder.decode(in, decoded, true);
      decoded.flip();
      for (int i = 0; i < decoded.length(); i++) {
        append(text, decoded.charAt(i));
      }
      decoded.clear();
      if (!result.isError()) {
        return text.toString();
      }
      for (int i = 0; i < result.length(); i++) {
        appendHex(text.append("\\x"), in.get() & 0xff, 2);
      }
    }
  }

  private static void append(StringBuilder text, char c) {
    if (c == '\t' || (c >= ' ' && c < 0x7f)) {
      text.append(c);
    } else if (c < 0xa0) {
      appendHex(text.append("\\x"), c, 2);
    } else if ((c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff) {
      appendHex(text.append("\\u"), c, 4); // ends of lines, and what turns a line round
    } else {
      text.append(c);
    }
  }

  private static void appendHex(StringBuilder text, int value, int digits) {
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
      text.append(Character.forDigit(value >> shift & 15, 16));
    }
  }
}
