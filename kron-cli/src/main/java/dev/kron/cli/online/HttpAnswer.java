package dev.kron.cli.online;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** The answer to one request: its status, and its body as a stream. */
final class HttpAnswer extends InputStream {
  private static final int LONGEST_LINE = 16 * 1024;
  private static final long UNTIL_END = -1;

  private final SocketChannel channel;
  private final ByteBuffer buffer = ByteBuffer.allocate(16 * 1024).flip();
  private int status;
  private boolean chunked;
  private long offset;

  /** What is left of the body, or of the present chunk. */
  private long left = UNTIL_END;

  private HttpAnswer(SocketChannel channel) {
    this.channel = channel;
  }

  static HttpAnswer read(SocketChannel channel) throws IOException {
    HttpAnswer answer = new HttpAnswer(channel);
    answer.head();
    return answer;
  }

  /** The number of bytes of the output before this answer. */
  long offset() {
    return offset;
  }

  int status() {
    return status;
  }

  private void head() throws IOException {
    String first = line();
    if (!first.startsWith("HTTP/1.1 ") || first.length() < 12) {
      throw new IOException("whatever answers here does not speak HTTP");
    }
    status = Integer.parseInt(first, 9, 12, 10);
    for (String header = line(); !header.isEmpty(); header = line()) {
      int colon = header.indexOf(':');
      String name = colon < 0 ? "" : header.substring(0, colon);
      String value = header.substring(colon + 1).strip();
      if (name.equalsIgnoreCase("Content-Length")) {
        left = Long.parseLong(value);
      } else if (name.equalsIgnoreCase("X-Offset")) {
        offset = Long.parseLong(value);
      } else if (name.equalsIgnoreCase("Transfer-Encoding")) {
        chunked = value.equalsIgnoreCase("chunked");
      }
    }
    if (chunked) {
      left = 0; // the first chunk may be long in coming
    }
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int octet = octet(); octet != '\n'; octet = octet()) {
      if (octet < 0) {
        throw new EOFException("the daemon ended the connection");
      }
      if (line.length() > LONGEST_LINE) {
        throw new IOException("whatever answers here does not speak HTTP");
      }
      line.append((char) octet);
    }
    int length = line.length();
    if (length > 0 && line.charAt(length - 1) == '\r') {
      line.setLength(length - 1);
    }
    return line.toString();
  }

  private int octet() throws IOException {
    return fill() ? buffer.get() & 0xff : -1;
  }

  /** Whether there is something in the buffer now. */
  private boolean fill() throws IOException {
    while (!buffer.hasRemaining()) {
      buffer.clear();
      int count = channel.read(buffer);
      buffer.flip();
      if (count < 0) {
        return false;
      }
    }
    return true;
  }

  /** Begins the next chunk; a body without one has ended. */
  private void nextChunk() throws IOException {
    String size = line();
    if (size.isEmpty()) {
      size = line(); // the line break after the chunk before
    }
    try {
      left = Long.parseLong(size, 16);
    } catch (NumberFormatException e) {
      throw new IOException("whatever answers here does not speak HTTP");
    }
    if (left == 0) {
      chunked = false;
    }
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (chunked && left == 0) {
      nextChunk();
    }
    if (left == 0) {
      return -1;
    }
    if (!fill()) {
      if (left == UNTIL_END) {
        return -1;
      }
      throw new EOFException("the daemon ended the connection");
    }
    int count = Math.min(length, buffer.remaining());
    if (left != UNTIL_END) {
      count = (int) Math.min(count, left);
      left -= count;
    }
    buffer.get(bytes, offset, count);
    return count;
  }

  @Override
  public int available() {
    return left == UNTIL_END ? buffer.remaining() : (int) Math.min(left, buffer.remaining());
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
