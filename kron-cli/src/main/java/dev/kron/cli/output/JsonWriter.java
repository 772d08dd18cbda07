package dev.kron.cli.output;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Writes JSON as it goes, indented by two or on one line; nothing is kept but the depth. */
public final class JsonWriter {
  private static final char[] HEX = "0123456789abcdef".toCharArray();

  private final Output out;
  private final boolean oneLine;
  private int depth;
  private boolean empty = true;
  private boolean afterName;

  public JsonWriter(Output out) {
    this(out, false);
  }

  private JsonWriter(Output out, boolean oneLine) {
    this.out = out;
    this.oneLine = oneLine;
  }

  /** For texts that follow one another, each on a line of its own. */
  public static JsonWriter ofLines(Output out) {
    return new JsonWriter(out, true);
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
    quote(name);
    out.raw(": ");
    afterName = true;
    return this;
  }

  public JsonWriter value(@Nullable String text) throws IOException {
    separate();
    if (text == null) {
      out.raw("null");
    } else {
      quote(text);
    }
    return this;
  }

  public JsonWriter value(long number) throws IOException {
    separate();
    out.raw(Long.toString(number));
    return this;
  }

  public JsonWriter value(boolean truth) throws IOException {
    separate();
    out.raw(truth ? "true" : "false");
    return this;
  }

  /** Writes the shortest decimal that reads back as the same number. */
  public JsonWriter value(double number) throws IOException {
    if (!Double.isFinite(number)) {
      throw new IllegalArgumentException("JSON has no word for " + number);
    }
    separate();
    out.raw(Double.toString(number));
    return this;
  }

  public JsonWriter member(String name, @Nullable String text) throws IOException {
    return name(name).value(text);
  }

  public JsonWriter member(String name, long number) throws IOException {
    return name(name).value(number);
  }

  public JsonWriter member(String name, boolean truth) throws IOException {
    return name(name).value(truth);
  }

  /** Ends the text with a line break. */
  public void end() throws IOException {
    if (depth != 0) {
      throw new IllegalStateException(depth + " brackets are still open");
    }
    out.line();
    empty = true;
  }

  private JsonWriter open(char bracket) throws IOException {
    separate();
    out.put(bracket);
    depth++;
    empty = true;
    return this;
  }

  private JsonWriter close(char bracket) throws IOException {
    depth--;
    if (!empty) {
      newLine();
    }
    out.put(bracket);
    empty = false;
    return this;
  }

  private void separate() throws IOException {
    if (afterName) {
      afterName = false;
      return;
    }
    if (depth > 0) {
      if (!empty) {
        out.put(',');
      }
      newLine();
    }
    empty = false;
  }

  private void newLine() throws IOException {
    if (oneLine) {
      return;
    }
    out.put('\n');
    for (int i = 0; i < depth; i++) {
      out.raw("  ");
    }
  }

  private void quote(String text) throws IOException {
    out.put('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.put('\\');
        out.put(c);
      } else if (c >= ' ' && c < 0x7f) {
        out.put(c);
      } else if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        pair(c, text.charAt(++i));
      } else if (Harmful.is(c)) {
        escape(c);
      } else {
        out.putUtf8(c);
      }
    }
    out.put('"');
  }

  private void pair(char high, char low) throws IOException {
    int codePoint = Character.toCodePoint(high, low);
    if (Harmful.is(codePoint)) {
      escape(high);
      escape(low);
    } else {
      out.putUtf8(codePoint);
    }
  }

  private void escape(char c) throws IOException {
    switch (c) {
      case '\n' -> out.raw("\\n");
      case '\t' -> out.raw("\\t");
      case '\r' -> out.raw("\\r");
      default -> {
        out.raw("\\u");
        for (int shift = 12; shift >= 0; shift -= 4) {
          out.put(HEX[(c >> shift) & 15]);
        }
      }
    }
  }
}
