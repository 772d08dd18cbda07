package dev.kron.daemon.api;

import dev.kron.json.JsonWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Response;

/** The body of an answer. A short one goes out in one piece, with its length. */
final class Body extends OutputStream implements JsonWriter.Sink {
  private final Response response;
  private final byte[] buffer = new byte[16 * 1024];
  private int used;
  private boolean begun;
  private boolean closed;

  Body(Response response) {
    this.response = response;
  }

  @Override
  public void write(int octet) throws IOException {
    if (used == buffer.length) {
      send(false);
    }
    buffer[used++] = (byte) octet;
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    int at = offset;
    int left = length;
    while (left > 0) {
      if (used == buffer.length) {
        send(false);
      }
      int part = Math.min(left, buffer.length - used);
      System.arraycopy(bytes, at, buffer, used, part);
      used += part;
      at += part;
      left -= part;
    }
  }

  /**
   * Sends what is buffered. The first call sends even nothing, so that a follower gets its headers
   * at once.
   */
  @Override
  public void flush() throws IOException {
    if (used > 0 || !begun) {
      send(false);
    }
  }

  private void send(boolean last) throws IOException {
    begun = true;
    ByteBuffer content = ByteBuffer.wrap(buffer, 0, used);
    used = 0;
    Content.Sink.write(response, last, content);
  }

  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    if (!begun) {
      response.getHeaders().put(HttpHeader.CONTENT_LENGTH, used);
    }
    send(true);
  }
}
