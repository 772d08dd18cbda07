package dev.kron.cli.output;

import dev.kron.json.JsonWriter;
import dev.kron.text.VisibleText;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A buffered stream of text lines. Whatever is printed is made harmless first: control characters,
 * direction overrides and broken surrogates come out as visible escapes, so that a job's name or a
 * command cannot move the cursor, recolour the screen or hide itself. Only {@link #styled} emits
 * escape sequences, and only its own.
 */
public final class Output {
  private final OutputStream stream;
  private final Look look;
  private final byte[] buffer = new byte[16 * 1024];
  private int used;

  /**
   * What the receiving side can show.
   *
   * @param width columns
   * @param unicode whether letters beyond ASCII arrive
   * @param colour whether to send colours
   */
  public record Look(int width, boolean unicode, boolean colour) {
    /** A file or pipe: always the same bytes, whatever the environment. */
    public static final Look PLAIN = new Look(80, true, false);
  }

  public Output(OutputStream stream, Look look) {
    this.stream = stream;
    this.look = look;
  }

  /** Another stream that looks the same, but for its width. */
  public Output onto(OutputStream other, int width) {
    return new Output(other, new Look(width, look.unicode(), look.colour()));
  }

  /** Whether the output is a terminal, which has a width. One may look like a file all the same. */
  @SuppressWarnings("ReferenceEquality")
  public boolean terminal() {
    return look != Look.PLAIN;
  }

  public int width() {
    return look.width();
  }

  public boolean unicode() {
    return look.unicode();
  }

  /** Prints text within a line; a line break in it is shown, not made. */
  public void print(String text) throws IOException {
    int length = text.length();
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      if (c >= ' ' && c < 0x7f) {
        put(c);
      } else if (Character.isHighSurrogate(c)
          && i + 1 < length
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        printBeyondAscii(Character.toCodePoint(c, text.charAt(++i)));
      } else if (c < 0xa0 || Character.isSurrogate(c)) {
        raw(VisibleText.escape(c));
      } else {
        printBeyondAscii(c);
      }
    }
  }

  private void printBeyondAscii(int codePoint) throws IOException {
    if (!look.unicode() || VisibleText.isHarmful(codePoint)) {
      raw(VisibleText.escape(codePoint));
    } else {
      putUtf8(codePoint);
    }
  }

  public void line(String text) throws IOException {
    print(text);
    put('\n');
  }

  /** Prints a line of a file that is to be read again: its tabs stay tabs. */
  public void fileLine(String text) throws IOException {
    int from = 0;
    for (int tab = text.indexOf('\t'); tab >= 0; tab = text.indexOf('\t', from)) {
      print(text.substring(from, tab));
      put('\t');
      from = tab + 1;
    }
    line(text.substring(from));
  }

  public void line() throws IOException {
    put('\n');
  }

  public void styled(Style style, String text) throws IOException {
    if (look.colour()) {
      raw(style.begin());
      print(text);
      raw(Style.RESET);
    } else {
      print(text);
    }
  }

  /**
   * Prints a line, on a terminal in as many as it needs.
   *
   * @param rest by how much all lines but the first are indented
   */
  public void folded(@Nullable Style style, String text, int rest) throws IOException {
    String words = text.stripLeading();
    String lead = text.substring(0, text.length() - words.length());
    boolean fits = !terminal() || text.length() <= width();
    for (String line : fits ? List.of(text) : Folded.lines(lead, words, rest, width())) {
      if (style == null) {
        print(line);
      } else {
        styled(style, line);
      }
      line();
    }
  }

  /** Writes bytes unchanged; only for output that is no terminal, or bytes that we made. */
  public void octets(byte[] bytes, int start, int length) throws IOException {
    for (int i = start; i < start + length; i++) {
      put(bytes[i]);
    }
  }

  /** A writer of JSON that people read as well. */
  public JsonWriter json() {
    return new JsonWriter(this::octets, JsonWriter.Layout.INDENTED);
  }

  /** A writer of JSON texts that follow one another, each on a line of its own. */
  public JsonWriter jsonLines() {
    return new JsonWriter(this::octets, JsonWriter.Layout.ONE_LINE);
  }

  /** Replaces the present line of a terminal, at once. */
  public void rewrite(String text) throws IOException {
    raw("\r\u001b[K");
    print(text);
    flush();
  }

  /** For the sequences of a screen. */
  void raw(String text) throws IOException {
    for (int i = 0; i < text.length(); i++) {
      put(text.charAt(i));
    }
  }

  private void putUtf8(int codePoint) throws IOException {
    if (codePoint < 0x80) {
      put(codePoint);
    } else if (codePoint < 0x800) {
      put(0xc0 | (codePoint >> 6));
      putTail(codePoint, 0);
    } else if (codePoint < 0x10000) {
      put(0xe0 | (codePoint >> 12));
      putTail(codePoint, 6);
    } else {
      put(0xf0 | (codePoint >> 18));
      putTail(codePoint, 12);
    }
  }

  /** The octets after the first, six bits each. */
  private void putTail(int codePoint, int from) throws IOException {
    for (int shift = from; shift >= 0; shift -= 6) {
      put(0x80 | ((codePoint >> shift) & 0x3f));
    }
  }

  private void put(int octet) throws IOException {
    if (used == buffer.length) {
      drain();
    }
    buffer[used++] = (byte) octet;
  }

  private void drain() throws IOException {
    int length = used;
    used = 0;
    try {
      stream.write(buffer, 0, length);
    } catch (IOException e) {
      throw new OutputClosedException(e);
    }
  }

  /** Hands everything on. */
  public void flush() throws IOException {
    drain();
    stream.flush();
  }
}
