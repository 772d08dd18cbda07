package dev.kron.daemon.api;

import java.io.IOException;
import java.io.OutputStream;

/** The receiver of output that somebody asked for. */
interface LogSink {
  /**
   * Takes a part of it.
   *
   * @param at the offset of its first byte
   */
  void write(byte[] bytes, int count, long at) throws IOException;

  /** Hands on what was taken; all that comes later was written after this moment. */
  default void caughtUp(long nowMillis) throws IOException {}

  /** Hands on the rest. */
  default void end() throws IOException {}

  /** Output as it is. */
  static LogSink plain(OutputStream out) {
    return new LogSink() {
      @Override
      public void write(byte[] bytes, int count, long at) throws IOException {
        out.write(bytes, 0, count);
      }

      @Override
      public void caughtUp(long nowMillis) throws IOException {
        out.flush();
      }
    };
  }
}
