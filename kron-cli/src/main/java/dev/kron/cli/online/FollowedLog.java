package dev.kron.cli.online;

import java.io.IOException;
import java.io.InputStream;

/**
 * Output that is followed. Where the daemon is killed the connection is cut, and the next daemon is
 * asked for what comes after the last byte.
 */
final class FollowedLog extends InputStream {
  private final Api api;
  private final String path;
  private InputStream in;
  private long position;

  /**
   * @param path with a query that more can be added to
   * @param begin where to begin, {@code tail=100&} for example; empty: at the beginning
   */
  FollowedLog(Api api, String path, String begin) throws IOException {
    this.api = api;
    this.path = path;
    this.in = api.open(path + begin + "follow=true");
    this.position = offset(in);
  }

  private static long offset(InputStream in) {
    return in instanceof HttpAnswer answer ? answer.offset() : 0;
  }

  /** How much stands before what is read next. */
  long position() {
    return position;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    while (true) {
      try {
        int count = in.read(bytes, offset, length);
        position += Math.max(0, count);
        return count;
      } catch (IOException e) {
        in.close();
        in = api.reopen(path + "follow=true&offset=" + position, null);
        position = offset(in);
      }
    }
  }

  @Override
  public int available() throws IOException {
    return in.available();
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
