package dev.kron.daemon.runs;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Lines of jobs and services in the daemon's own output. Each line is marked with its origin, so
 * that nobody can forge another one's line, and control characters are escaped. If a run writes
 * more than fits, only a part is shown; its file has every byte.
 */
public final class OutputLines implements OutputForwarder.Sink {
  static final int LINES_A_SECOND = 10_000;
  static final int BYTES_A_SECOND = 1 << 20;
  static final long BYTES_OF_A_RUN = 100L << 20;
  private static final long SECOND_NANOS = 1_000_000_000L;

  private final Function<String, byte[]> mark;
  private final String name;
  private final long mostBytes;
  private final LongSupplier nanoTime;
  private final Consumer<byte[]> out;
  private long secondBegan;
  private int linesInSecond;
  private long bytesInSecond;
  private long bytes;
  private long hidden;

  /**
   * Lines of one run.
   *
   * @param mark makes a marked line, with its line break, of a text
   * @param name the name to give to {@code kron logs} to see everything
   * @param mostBytes the limit for a run; a service has none
   * @param out takes lines with their line breaks
   */
  public OutputLines(
      Function<String, byte[]> mark,
      String name,
      long mostBytes,
      LongSupplier nanoTime,
      Consumer<byte[]> out) {
    this.mark = mark;
    this.name = name;
    this.mostBytes = mostBytes;
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
        || bytes + length > mostBytes) {
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
      show("… " + hidden + " bytes not shown, see kron logs " + name);
      hidden = 0;
    }
  }

  private void show(String text) {
    out.accept(mark.apply(text));
  }

  /** A text with control characters and invalid bytes written as {@code \xHH} or similar. */
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

  /** The length up to the last whole character. */
  static int wholeCharacters(byte[] bytes, int length) {
    int start = length - 1;
    while (start > length - 4 && (bytes[start] & 0xc0) == 0x80) {
      start--;
    }
    int needed = (bytes[start] & 0xf8) == 0xf0 ? 4 : (bytes[start] & 0xf0) == 0xe0 ? 3 : 2;
    boolean cut = (bytes[start] & 0xc0) == 0xc0 && start + needed > length;
    return cut ? start : length;
  }
}
