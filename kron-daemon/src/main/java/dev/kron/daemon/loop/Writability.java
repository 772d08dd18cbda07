package dev.kron.daemon.loop;

import dev.kron.daemon.log.EventLog;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The one answer to whether state can be written. Every failed write is reported here; jobs and
 * services are told alike, and nothing is started until a probe of the disk succeeds. For the
 * loop's thread.
 */
public final class Writability {
  private static final String STORE = "store";
  private static final String PROBE = "probe";
  private static final long PROBE_EVERY_NANOS = 1_000_000_000L;

  private final Clocks clocks;
  private final Timers timers;
  private final Runnable probe;
  private final EventLog log;
  private List<Listener> listeners = List.of();
  private @Nullable String trouble;

  /** The moment at which a probe last succeeded after a failure, by the boot clock. */
  private @Nullable Long restoredNanos;

  /** One half of the daemon: jobs or services. */
  public interface Listener {
    /** Called when nothing may be started any more. */
    void unwritable();

    /** Called when writing works again; whatever was not written meanwhile has to be found out. */
    void writableAgain();
  }

  /**
   * The state of a disk that works.
   *
   * @param probe begins to test whether writing works; its result comes to {@link #probed}
   */
  public Writability(Clocks clocks, Timers timers, Runnable probe, EventLog log) {
    this.clocks = clocks;
    this.timers = timers;
    this.probe = probe;
    this.log = log;
  }

  /** Sets the listeners, in the order in which they are told. */
  public void tell(Listener... all) {
    listeners = List.of(all);
  }

  public boolean isWritable() {
    return trouble == null;
  }

  /** The reason why state cannot be written; null if it can. */
  public @Nullable String trouble() {
    return trouble;
  }

  /** Records that a write failed, or would fail; nothing is started until a probe succeeds. */
  public void failed(String reason) {
    if (trouble != null) {
      return;
    }
    trouble = reason;
    log.error(
        STORE,
        "persistence_failed",
        "reason",
        reason,
        "consequence",
        "nothing new is started until writing works again");
    listeners.forEach(Listener::unwritable);
    if (restoredNanos != null && clocks.bootNanos() - restoredNanos < PROBE_EVERY_NANOS) {
      probeLater(); // where the probe writes it is well, elsewhere it is not
    } else {
      probe.run();
    }
  }

  private void probeLater() {
    timers.set(PROBE, clocks.bootNanos() + PROBE_EVERY_NANOS, probe);
  }

  /**
   * Takes the result of a probe.
   *
   * @param reason why writing does not work; null if it works
   */
  public void probed(@Nullable String reason) {
    if (reason != null) {
      probeLater();
    } else if (trouble != null) {
      trouble = null;
      restoredNanos = clocks.bootNanos();
      log.warn(STORE, "persistence_restored");
      listeners.forEach(Listener::writableAgain);
    }
  }
}
