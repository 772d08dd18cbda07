package dev.kron.cli.online;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * Output that is followed. If the daemon is killed, the next daemon is asked for what comes after
 * the last byte.
 */
final class FollowedLog extends InputStream {
  private final Api api;
  private final String path;
  private final boolean timed;
  private InputStream in;
  private long position;
  private byte[] line = {};
  private int shown;

  /**
   * @param path with a query that more can be added to
   * @param begin where to begin, {@code tail=100&} for example; empty: at the beginning
   * @param timed whether the path asks for times: lines are whole then, and say where they end
   */
  FollowedLog(Api api, String path, String begin, boolean timed) throws IOException {
    this.api = api;
    this.path = path;
    this.timed = timed;
    this.in = api.open(path + begin + "follow=true");
    this.position = offset(in);
  }

  private static long offset(InputStream in) {
    return in instanceof HttpAnswer answer ? answer.offset() : 0;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    if (timed && shown == line.length) {
      line = nextLine();
      shown = 0;
    }
    if (timed) {
      int count = Math.min(length, line.length - shown);
      System.arraycopy(line, shown, bytes, offset, count);
      shown += count;
      return count == 0 ? -1 : count;
    }
    return readOn(bytes, offset, length);
  }

  /** A whole line; one that was cut off comes again. Empty: that was the last. */
  private byte[] nextLine() throws IOException {
    var next = new ByteArrayOutputStream(256);
    while (true) {
      try {
        int octet = in.read();
        if (octet < 0) {
          return new byte[0];
        }
        next.write(octet);
        if (octet == '\n') {
          position = TimedLine.parse(next.toByteArray()).offset();
          return next.toByteArray();
        }
      } catch (IOException e) {
        next.reset();
        goOn();
      }
    }
  }

  private void goOn() throws IOException {
    in.close();
    in = api.reopen(path + "follow=true&offset=" + position, null);
    position = offset(in);
  }

  private int readOn(byte[] bytes, int offset, int length) throws IOException {
    while (true) {
      try {
        int count = in.read(bytes, offset, length);
        position += Math.max(0, count);
        return count;
      } catch (IOException e) {
        goOn();
      }
    }
  }

  @Override
  public int available() throws IOException {
    return in.available() + line.length - shown;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
