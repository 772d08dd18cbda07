package dev.kron.daemon.api;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where and for whom the API is open.
 *
 * @param socket the unix socket's path, null: no API at all
 * @param fallback where to go if another daemon answers at {@code socket}, null: refuse to start
 * @param readerGroup who may look, beside root and the daemon's user; null: nobody
 * @param operatorGroup who may also act; null: nobody
 * @param port of loopback, 0 for any, −1: no TCP
 * @param tokenFile what a request by TCP must bring is in it; made where it does not exist
 * @param stalledMillis a connection on which nothing moves for so long, though something should, is
 *     ended: half a request, or an answer that nobody reads
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

  /** For the daemon's own user and root only. */
  public static ApiSettings at(Path socket) {
    return new ApiSettings(socket, null, null, null, NO_PORT, null);
  }

  /** The same, with another patience for connections that stall. */
  public ApiSettings endingStalledAfter(long millis) {
    return new ApiSettings(socket, fallback, readerGroup, operatorGroup, port, tokenFile, millis);
  }

  /**
   * The group that the socket belongs to: operators have to be readers too where both are named.
   */
  @Nullable String socketGroup() {
    return readerGroup == null ? operatorGroup : readerGroup;
  }
}
