package dev.kron.daemon;

import dev.kron.daemon.api.ApiSettings;
import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.web.WebSettings;
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
 * @param onFailureLimit how long such a command, a job's own too, may take
 * @param historyLimit history entries kept per job
 * @param outputLimitBytes of all ended runs together; the oldest are dropped first
 * @param stopTimeout how long ending everything may take when the daemon takes its jobs with it
 * @param api where and for whom the control API is open
 * @param exitWith the service whose end ends everything; null: none
 * @param observing who is told what
 * @param web where the dashboard is served
 */
public record Settings(
    List<Path> config,
    Path state,
    boolean strict,
    boolean followSymlinks,
    EventLog.Format logFormat,
    EventLog.Level logLevel,
    List<String> onFailure,
    Duration onFailureLimit,
    int historyLimit,
    long outputLimitBytes,
    Duration stopTimeout,
    ApiSettings api,
    @Nullable String exitWith,
    Observing observing,
    WebSettings web) {
  /**
   * Who is told what.
   *
   * @param notifyFile whom to tell, null: {@code notify.toml} in the first directory says it
   * @param serviceOutput what services write is shown on the daemon's standard output too
   * @param jobMetrics patterns of the jobs that have metrics of their own
   */
  public record Observing(
      @Nullable Path notifyFile, boolean serviceOutput, List<String> jobMetrics) {
    public static final Observing USUAL = new Observing(null, false, List.of());

    public Observing {
      jobMetrics = List.copyOf(jobMetrics);
    }
  }

  public static final int DEFAULT_HISTORY_LIMIT = 100;
  public static final long DEFAULT_OUTPUT_LIMIT_BYTES = 1L << 30;
  public static final Duration DEFAULT_ON_FAILURE_LIMIT = Duration.ofMinutes(10);
  public static final Duration DEFAULT_STOP_TIMEOUT = Duration.ofSeconds(90);

  public Settings {
    config = List.copyOf(config);
    onFailure = List.copyOf(onFailure);
  }

  /** Starts settings with what every daemon has; all else is at its default until set. */
  public static Builder builder(List<Path> config, Path state) {
    return new Builder(config, state);
  }

  /** Settings, one by one. */
  public static final class Builder {
    private final List<Path> config;
    private final Path state;
    private boolean strict;
    private boolean followSymlinks;
    private EventLog.Format logFormat = EventLog.Format.TEXT;
    private EventLog.Level logLevel = EventLog.Level.INFO;
    private List<String> onFailure = List.of();
    private Duration onFailureLimit = DEFAULT_ON_FAILURE_LIMIT;
    private int historyLimit = DEFAULT_HISTORY_LIMIT;
    private long outputLimitBytes = DEFAULT_OUTPUT_LIMIT_BYTES;
    private Duration stopTimeout = DEFAULT_STOP_TIMEOUT;
    private ApiSettings api = ApiSettings.NONE;
    private @Nullable String exitWith;
    private Observing observing = Observing.USUAL;
    private WebSettings web = WebSettings.USUAL;

    private Builder(List<Path> config, Path state) {
      this.config = config;
      this.state = state;
    }

    public Builder strict(boolean strict) {
      this.strict = strict;
      return this;
    }

    public Builder followSymlinks(boolean followSymlinks) {
      this.followSymlinks = followSymlinks;
      return this;
    }

    public Builder logFormat(EventLog.Format logFormat) {
      this.logFormat = logFormat;
      return this;
    }

    public Builder logLevel(EventLog.Level logLevel) {
      this.logLevel = logLevel;
      return this;
    }

    public Builder onFailure(List<String> onFailure) {
      this.onFailure = onFailure;
      return this;
    }

    public Builder onFailureLimit(Duration onFailureLimit) {
      this.onFailureLimit = onFailureLimit;
      return this;
    }

    public Builder historyLimit(int historyLimit) {
      this.historyLimit = historyLimit;
      return this;
    }

    public Builder outputLimitBytes(long outputLimitBytes) {
      this.outputLimitBytes = outputLimitBytes;
      return this;
    }

    public Builder stopTimeout(Duration stopTimeout) {
      this.stopTimeout = stopTimeout;
      return this;
    }

    public Builder api(ApiSettings api) {
      this.api = api;
      return this;
    }

    public Builder exitWith(@Nullable String exitWith) {
      this.exitWith = exitWith;
      return this;
    }

    public Builder observing(Observing observing) {
      this.observing = observing;
      return this;
    }

    public Builder web(WebSettings web) {
      this.web = web;
      return this;
    }

    public Settings build() {
      return new Settings(
          config,
          state,
          strict,
          followSymlinks,
          logFormat,
          logLevel,
          onFailure,
          onFailureLimit,
          historyLimit,
          outputLimitBytes,
          stopTimeout,
          api,
          exitWith,
          observing,
          web);
    }
  }
}
