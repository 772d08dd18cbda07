package dev.kron.json;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * A writer of JSON that holds only a small buffer and the nesting depth, so that a list of a
 * hundred thousand jobs needs no more memory than one of ten.
 */
public final class JsonWriter implements Closeable {
  private static final int HANDED_ON_BYTES = 1024;

  private final Sink sink;
  private final Layout layout;
  private final JsonText text = new JsonText();
  private int depth;
  private boolean empty = true;
  private boolean afterName;

  /** The receiver of the bytes. */
  @FunctionalInterface
  public interface Sink extends Closeable {
    void write(byte[] bytes, int start, int length) throws IOException;

    @Override
    default void close() throws IOException {}
  }

  /** The white space between the values. */
  public enum Layout {
    /** No white space. */
    COMPACT,
    /** One line, with a space after the colons. */
    ONE_LINE,
    /** A line for each value, indented by two. */
    INDENTED
  }

  public JsonWriter(Sink sink, Layout layout) {
    this.sink = sink;
    this.layout = layout;
  }

  /** A function that writes one value. */
  @FunctionalInterface
  public interface Body {
    void write(JsonWriter json) throws IOException;
  }

  /** One value as compact text. */
  public static String text(Body body) {
    var text = new JsonText();
    try {
      var json =
          new JsonWriter(
              (bytes, start, length) -> text.raw(bytes, start, start + length), Layout.COMPACT);
      body.write(json);
      json.handOn();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // memory does not fail
    }
    return text.toString();
  }

  public JsonWriter beginObject() throws IOException {
    return open('{');
  }

  public JsonWriter endObject() throws IOException {
    return close('}');
  }

  public JsonWriter beginArray() throws IOException {
    return open('[');
  }

  public JsonWriter endArray() throws IOException {
    return close(']');
  }

  public JsonWriter name(String name) throws IOException {
    separate();
    text.string(name).ascii(layout == Layout.COMPACT ? ":" : ": ");
    afterName = true;
    return this;
  }

  public JsonWriter value(@Nullable String string) throws IOException {
    separate();
    if (string == null) {
      text.ascii("null");
    } else {
      text.string(string);
    }
    return this;
  }

  public JsonWriter value(long number) throws IOException {
    separate();
    text.ascii(Long.toString(number));
    return this;
  }

  public JsonWriter value(boolean truth) throws IOException {
    separate();
    text.ascii(Boolean.toString(truth));
    return this;
  }

  /** Writes the shortest decimal that reads back as the same number. */
  public JsonWriter value(double number) throws IOException {
    if (!Double.isFinite(number)) {
      throw new IllegalArgumentException("JSON has no word for " + number);
    }
    separate();
    text.ascii(Double.toString(number));
    return this;
  }

  /** Writes numbers and booleans as such, and anything else as text. */
  public JsonWriter any(Object object) throws IOException {
    return switch (object) {
      case Double number -> value(number.doubleValue());
      case Number number -> value(number.longValue());
      case Boolean truth -> value(truth.booleanValue());
      default -> value(object.toString());
    };
  }

  public JsonWriter member(String name, @Nullable String string) throws IOException {
    return name(name).value(string);
  }

  public JsonWriter member(String name, long number) throws IOException {
    return name(name).value(number);
  }

  public JsonWriter member(String name, @Nullable Integer number) throws IOException {
    return number == null ? name(name).value((String) null) : name(name).value((long) number);
  }

  public JsonWriter member(String name, boolean truth) throws IOException {
    return name(name).value(truth);
  }

  public JsonWriter member(String name, Collection<String> strings) throws IOException {
    name(name).beginArray();
    for (String string : strings) {
      value(string);
    }
    return endArray();
  }

  /** Writes a time in RFC 3339 and UTC, to the second. */
  public JsonWriter second(String name, long epochSecond) throws IOException {
    return member(name, Instant.ofEpochSecond(epochSecond).toString());
  }

  /** Writes a time in RFC 3339 and UTC; 0 becomes null. */
  public JsonWriter millis(String name, long epochMilli) throws IOException {
    return member(name, epochMilli == 0 ? null : Instant.ofEpochMilli(epochMilli).toString());
  }

  /** Ends the text with a line break and flushes it to the sink; another text may follow. */
  public void end() throws IOException {
    if (depth != 0) {
      throw new IllegalStateException(depth + " brackets are still open");
    }
    text.ascii('\n');
    handOn();
  }

  /** Flushes everything written so far to the sink; another text may follow if no value is open. */
  public void handOn() throws IOException {
    sink.write(text.array(), 0, text.length());
    text.clear();
    empty |= depth == 0;
  }

  /** Ends the text with a line break, complete or not, and closes the sink. */
  @Override
  public void close() throws IOException {
    try (sink) {
      text.ascii('\n');
      handOn();
    }
  }

  private JsonWriter open(char bracket) throws IOException {
    separate();
    text.ascii(bracket);
    depth++;
    empty = true;
    return this;
  }

  private JsonWriter close(char bracket) {
    depth--;
    if (!empty) {
      newLine();
    }
    text.ascii(bracket);
    empty = false;
    return this;
  }

  private void separate() throws IOException {
    if (text.length() > HANDED_ON_BYTES) {
      sink.write(text.array(), 0, text.length());
      text.clear();
    }
    if (afterName) {
      afterName = false;
      return;
    }
    if (!empty) {
      text.ascii(',');
    }
    if (depth > 0) {
      newLine();
    }
    empty = false;
  }

  private void newLine() {
    if (layout == Layout.INDENTED) {
      text.ascii('\n');
      for (int i = 0; i < depth; i++) {
        text.ascii("  ");
      }
    }
  }
}
