package dev.kron.cli.online;

import dev.kron.cli.line.RefusedException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Server-sent events, one after another; a lost connection is made again, after the last one. */
final class EventStream implements AutoCloseable {
  private static final int TRIES = 3;

  private final Api api;
  private final String path;
  private final boolean follow;
  private @Nullable String last;
  private @Nullable InputStream in;

  /**
   * @param after the id to begin after, null: from now on
   */
  EventStream(Api api, String path, @Nullable String after, boolean follow) throws IOException {
    this.api = api;
    this.path = path;
    this.follow = follow;
    this.last = after;
    this.in = connect();
  }

  private InputStream connect() throws IOException {
    return api.open("GET", path, header());
  }

  private @Nullable String header() {
    return last == null ? null : "Last-Event-ID: " + last;
  }

  /** The data of the next event; null at the end. */
  @Nullable String next() throws IOException {
    for (int tries = 0; ; tries++) {
      boolean cut = false;
      try {
        String data = read();
        if (data != null || !follow) {
          return data;
        }
      } catch (IOException e) {
        if (!follow || tries >= TRIES) {
          throw e;
        }
        cut = true; // not even a last word: the daemon was killed
      }
      close();
      if (tries >= TRIES) {
        return null;
      }
      try {
        in = cut ? api.reopen(path, header()) : connect();
      } catch (RefusedException e) {
        return null; // the daemon is gone, and so is what there was to follow
      }
    }
  }

  private @Nullable String read() throws IOException {
    String data = null;
    for (String line = line(); line != null; line = line()) {
      if (line.startsWith("id: ")) {
        last = line.substring(4);
      } else if (line.startsWith("data: ")) {
        data = line.substring(6);
      } else if (line.isEmpty() && data != null) {
        return data;
      }
    }
    return null;
  }

  private @Nullable String line() throws IOException {
    InputStream present = in;
    if (present == null) {
      return null;
    }
    ByteArrayOutputStream line = new ByteArrayOutputStream(256);
    for (int octet = present.read(); octet != '\n'; octet = present.read()) {
      if (octet < 0) {
        return null;
      }
      line.write(octet);
    }
    return line.toString(StandardCharsets.UTF_8);
  }

  /** Whether more has come already. */
  boolean hasMore() throws IOException {
    InputStream present = in;
    return present != null && present.available() > 0;
  }

  @Override
  public void close() throws IOException {
    InputStream present = in;
    in = null;
    if (present != null) {
      present.close();
    }
  }
}
