package dev.kron.daemon.api;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of the API, and who may use it.
 *
 * @param socket the path of the unix socket; null: no API
 * @param fallback the path to use if another daemon answers at {@code socket}; null: refuse to
 *     start
 * @param readerGroup who may look, beside root and the daemon's user; null: nobody
 * @param operatorGroup who may also act; null: nobody
 * @param port of loopback, 0 for any, −1: no TCP
 * @param tokenFile the file with the token that requests by TCP must bring; made if it does not
 *     exist
 * @param stalledMillis how long a connection may stall, with half a request or an answer that is
 *     not read, until it is ended
 */
public record ApiSettings(
    @Nullable Path socket,
    @Nullable Path fallback,
    @Nullable String readerGroup,
    @Nullable String operatorGroup,
    int port,
    @Nullable Path tokenFile,
    long stalledMillis) {
  public static final int NO_PORT = -1;
  private static final long STALLED_MILLIS = 30_000;

  public ApiSettings(
      @Nullable Path socket,
      @Nullable Path fallback,
      @Nullable String readerGroup,
      @Nullable String operatorGroup,
      int port,
      @Nullable Path tokenFile) {
    this(socket, fallback, readerGroup, operatorGroup, port, tokenFile, STALLED_MILLIS);
  }

  /** No API. */
  public static final ApiSettings NONE = new ApiSettings(null, null, null, null, NO_PORT, null);

  /** An API for the daemon's own user and root only. */
  public static ApiSettings at(Path socket) {
    return new ApiSettings(socket, null, null, null, NO_PORT, null);
  }

  /** The same settings with another limit for stalled connections. */
  public ApiSettings endingStalledAfter(long millis) {
    return new ApiSettings(socket, fallback, readerGroup, operatorGroup, port, tokenFile, millis);
  }

  /** The group of the socket. If both groups are named, operators have to be readers too. */
  @Nullable String socketGroup() {
    return readerGroup == null ? operatorGroup : readerGroup;
  }
}
