package dev.kron.daemon;

import dev.kron.daemon.jobs.JobStops;
import dev.kron.daemon.jobs.Jobs;
import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.LoopTime;
import dev.kron.daemon.loop.Request;
import dev.kron.daemon.loop.Timers;
import dev.kron.daemon.loop.Writability;
import dev.kron.daemon.services.Supervisor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The way out. Where everything ends with the daemon, all of it gets its stop signal in order, then
 * KILL, and what is left when time is up is named. For the loop's thread.
 */
final class Shutdown {
  static final int STOPPED = 0;
  static final int NOT_WRITTEN = 4;
  static final int LEFT_BEHIND = 5;

  /** A daemon that leaves its jobs running waits so long for those that it is just starting. */
  private static final Duration STARTS_WITHIN = Duration.ofSeconds(10);

  /** At the end everything that is left is sent KILL, so long before time is up. */
  private static final Duration LAST_RESORT = Duration.ofSeconds(1);

  private final Clocks clocks;
  private final Timers timers;
  private final Jobs jobs;
  private final JobStops jobStops;
  private final Supervisor supervisor;
  private final Writability writability;
  private final EventLog log;
  private final Duration stopTimeout;
  private final @Nullable String exitWith;
  private Request.@Nullable Stop how;
  private @Nullable Integer serviceExit;
  private boolean timeIsUp;

  /**
   * How the daemon leaves.
   *
   * @param stopTimeout within which everything has to end that ends with it
   * @param exitWith the service with which it leaves, null: none
   */
  record Leaving(Duration stopTimeout, @Nullable String exitWith) {}

  Shutdown(
      LoopTime time,
      Jobs jobs,
      JobStops jobStops,
      Supervisor supervisor,
      Writability writability,
      EventLog log,
      Leaving leaving) {
    this.clocks = time.clocks();
    this.timers = time.timers();
    this.jobs = jobs;
    this.jobStops = jobStops;
    this.supervisor = supervisor;
    this.writability = writability;
    this.log = log;
    this.stopTimeout = leaving.stopTimeout();
    this.exitWith = leaving.exitWith();
  }

  boolean isUnderWay() {
    return how != null;
  }

  /**
   * Leaves with everything when the service ends for good that this daemon is there for; says
   * whether that is now.
   */
  boolean followTheService() {
    if (exitWith == null || isUnderWay()) {
      return false;
    }
    serviceExit = supervisor.exitCode(exitWith);
    if (serviceExit == null) {
      return false;
    }
    begin(Request.Stop.END_JOBS);
    return true;
  }

  void begin(Request.Stop asked) {
    if (how == Request.Stop.END_JOBS) {
      return;
    }
    how = asked;
    log.info("daemon", "stopping", "how", asked);
    jobs.close();
    timeIsUp = false;
    Duration within = asked == Request.Stop.END_JOBS ? stopTimeout : STARTS_WITHIN;
    if (asked == Request.Stop.END_JOBS) {
      endAll();
    }
    timers.set("stop", clocks.bootNanos() + within.toNanos(), () -> timeIsUp = true);
  }

  private void endAll() {
    long now = clocks.bootNanos();
    long nanos = stopTimeout.toNanos();
    long until = now + nanos - Math.min(nanos / 4, LAST_RESORT.toNanos());
    jobStops.endAll(stopTimeout);
    supervisor.halt(until / 1_000_000L);
    timers.set(
        "stop:kill",
        until,
        () -> {
          jobStops.killAll();
          supervisor.killAll();
        });
  }

  /** Null: not yet; otherwise the daemon is done, with this exit code. */
  @Nullable Integer exitCode() {
    Request.Stop present = how;
    boolean done =
        present != null
            && jobs.quiet()
            && supervisor.quiet()
            && switch (present) {
              case LEAVE_JOBS -> timeIsUp || !jobs.anyStarting();
              case WAIT_FOR_JOBS -> !jobs.anyActive() && !jobs.anyStarting();
              case END_JOBS -> timeIsUp || (jobStops.isAtRest() && supervisor.isAtRest());
            };
    if (!done) {
      return null;
    }
    List<String> left = present == Request.Stop.END_JOBS ? left() : List.of();
    if (!left.isEmpty()) {
      log.error("daemon", "left_behind", "count", left.size(), "what", String.join(", ", left));
      return LEFT_BEHIND;
    }
    if (!writability.isWritable() || !supervisor.isWriting()) {
      return NOT_WRITTEN;
    }
    return serviceExit == null ? STOPPED : serviceExit;
  }

  private List<String> left() {
    List<String> left = new ArrayList<>(jobStops.left());
    left.addAll(supervisor.left());
    return left;
  }
}
