package dev.kron.daemon;

import dev.kron.daemon.api.ApiSettings;
import dev.kron.daemon.log.EventLog;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a daemon was started.
 *
 * @param config directories and files with krontabs
 * @param state the state directory
 * @param strict relative command paths are errors
 * @param followSymlinks configuration files may be symbolic links
 * @param onFailure words of a command to run when a run of a job without its own fails; empty: none
 * @param historyLimit history entries kept per job
 * @param outputLimitBytes of all ended runs together; the oldest are dropped first
 * @param stopTimeout how long ending everything may take when the daemon takes its jobs with it
 * @param api where and for whom the control API is open
 * @param exitWith the service whose end ends everything; null: none
 * @param observing who is told what
 */
public record Settings(
    List<Path> config,
    Path state,
    boolean strict,
    boolean followSymlinks,
    EventLog.Format logFormat,
    EventLog.Level logLevel,
    List<String> onFailure,
    int historyLimit,
    long outputLimitBytes,
    Duration stopTimeout,
    ApiSettings api,
    @Nullable String exitWith,
    Observing observing) {
  /**
   * Who is told what.
   *
   * @param notifyFile whom to tell, null: {@code notify.toml} in the first directory says it
   */
  public record Observing(@Nullable Path notifyFile) {
    public static final Observing USUAL = new Observing(null);
  }

  public static final int DEFAULT_HISTORY_LIMIT = 100;
  public static final long DEFAULT_OUTPUT_LIMIT_BYTES = 1L << 30;
  public static final Duration DEFAULT_STOP_TIMEOUT = Duration.ofSeconds(90);

  /** Told as usual. */
  public Settings(
      List<Path> config,
      Path state,
      boolean strict,
      boolean followSymlinks,
      EventLog.Format logFormat,
      EventLog.Level logLevel,
      List<String> onFailure,
      int historyLimit,
      long outputLimitBytes,
      Duration stopTimeout,
      ApiSettings api,
      @Nullable String exitWith) {
    this(
        config,
        state,
        strict,
        followSymlinks,
        logFormat,
        logLevel,
        onFailure,
        historyLimit,
        outputLimitBytes,
        stopTimeout,
        api,
        exitWith,
        Observing.USUAL);
  }

  /** Without an API. */
  public Settings(
      List<Path> config,
      Path state,
      boolean strict,
      boolean followSymlinks,
      EventLog.Format logFormat,
      EventLog.Level logLevel,
      List<String> onFailure,
      int historyLimit,
      long outputLimitBytes,
      Duration stopTimeout) {
    this(
        config,
        state,
        strict,
        followSymlinks,
        logFormat,
        logLevel,
        onFailure,
        historyLimit,
        outputLimitBytes,
        stopTimeout,
        ApiSettings.NONE,
        null);
  }

  /** Without a service to follow. */
  public Settings(
      List<Path> config,
      Path state,
      boolean strict,
      boolean followSymlinks,
      EventLog.Format logFormat,
      EventLog.Level logLevel,
      List<String> onFailure,
      int historyLimit,
      long outputLimitBytes,
      Duration stopTimeout,
      ApiSettings api) {
    this(
        config,
        state,
        strict,
        followSymlinks,
        logFormat,
        logLevel,
        onFailure,
        historyLimit,
        outputLimitBytes,
        stopTimeout,
        api,
        null);
  }

  public Settings {
    config = List.copyOf(config);
    onFailure = List.copyOf(onFailure);
  }
}
