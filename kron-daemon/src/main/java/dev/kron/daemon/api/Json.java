package dev.kron.daemon.api;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Writes one JSON text as it goes; nothing is kept but a small buffer and the depth, so that a list
 * of a hundred thousand jobs costs no more memory than one of ten.
 */
final class Json implements AutoCloseable {
  private static final byte[] HEX = {
    '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'
  };
  private static final int ROOM = 16;

  private final OutputStream out;
  private final byte[] buffer = new byte[1024];
  private int used;
  private boolean first = true;
  private boolean afterName;

  Json(OutputStream out) {
    this.out = out;
  }

  Json beginObject() throws IOException {
    return open('{');
  }

  Json endObject() throws IOException {
    return end('}');
  }

  Json beginArray() throws IOException {
    return open('[');
  }

  Json endArray() throws IOException {
    return end(']');
  }

  Json name(String name) throws IOException {
    separate();
    quote(name);
    put(':');
    afterName = true;
    return this;
  }

  Json value(@Nullable String text) throws IOException {
    separate();
    if (text == null) {
      ascii("null");
    } else {
      quote(text);
    }
    return this;
  }

  Json value(long number) throws IOException {
    separate();
    ascii(Long.toString(number));
    return this;
  }

  Json value(boolean truth) throws IOException {
    separate();
    ascii(truth ? "true" : "false");
    return this;
  }

  Json member(String name, @Nullable String text) throws IOException {
    return name(name).value(text);
  }

  Json member(String name, long number) throws IOException {
    return name(name).value(number);
  }

  Json member(String name, @Nullable Integer number) throws IOException {
    return number == null ? name(name).value((String) null) : name(name).value((long) number);
  }

  Json member(String name, boolean truth) throws IOException {
    return name(name).value(truth);
  }

  Json member(String name, Collection<String> texts) throws IOException {
    name(name).beginArray();
    for (String text : texts) {
      value(text);
    }
    return endArray();
  }

  /** A number where it is one, otherwise text: what a log event's value is. */
  Json any(Object object) throws IOException {
    separate();
    if (object instanceof Number || object instanceof Boolean) {
      ascii(object.toString());
    } else {
      quote(object.toString());
    }
    return this;
  }

  /** RFC 3339 in UTC, to the second. */
  Json second(String name, long epochSecond) throws IOException {
    return member(name, Instant.ofEpochSecond(epochSecond).toString());
  }

  /** RFC 3339 in UTC, null for 0. */
  Json millis(String name, long epochMilli) throws IOException {
    return member(name, epochMilli == 0 ? null : Instant.ofEpochMilli(epochMilli).toString());
  }

  /** Hands on what is written so far; another text may follow. */
  void handOn() throws IOException {
    drain();
    first = true;
  }

  @Override
  public void close() throws IOException {
    put('\n');
    drain();
    out.close();
  }

  private Json open(char bracket) throws IOException {
    separate();
    put(bracket);
    first = true;
    return this;
  }

  private Json end(char bracket) throws IOException {
    put(bracket);
    first = false;
    return this;
  }

  private void separate() throws IOException {
    if (afterName) {
      afterName = false;
    } else if (!first) {
      put(',');
    }
    first = false;
  }

  private void quote(String text) throws IOException {
    put('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= ' ' && c < 0x7f && c != '"' && c != '\\') {
        put(c);
      } else if (c == '"' || c == '\\') {
        put('\\');
        put(c);
      } else if (c >= 0xa0 && !Character.isSurrogate(c)) {
        utf8(c);
      } else if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        utf8(Character.toCodePoint(c, text.charAt(++i)));
      } else {
        escape(c);
      }
    }
    put('"');
  }

  private void escape(char c) throws IOException {
    put('\\');
    switch (c) {
      case '\n' -> put('n');
      case '\t' -> put('t');
      case '\r' -> put('r');
      default -> {
        put('u');
        for (int shift = 12; shift >= 0; shift -= 4) {
          put(HEX[c >> shift & 15]);
        }
      }
    }
  }

  private void utf8(int codePoint) throws IOException {
    if (codePoint < 0x800) {
      put(0xc0 | codePoint >> 6);
    } else {
      if (codePoint < 0x10000) {
        put(0xe0 | codePoint >> 12);
      } else {
        put(0xf0 | codePoint >> 18);
        put(0x80 | (codePoint >> 12 & 0x3f));
      }
      put(0x80 | (codePoint >> 6 & 0x3f));
    }
    put(0x80 | (codePoint & 0x3f));
  }

  private void ascii(String text) throws IOException {
    for (int i = 0; i < text.length(); i++) {
      put(text.charAt(i));
    }
  }

  private void put(int octet) throws IOException {
    if (used > buffer.length - ROOM) {
      drain();
    }
    buffer[used++] = (byte) octet;
  }

  private void drain() throws IOException {
    out.write(buffer, 0, used);
    used = 0;
  }
}
