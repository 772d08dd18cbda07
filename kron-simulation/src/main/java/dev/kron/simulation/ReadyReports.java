package dev.kron.simulation;

import dev.kron.process.Launch;
import dev.kron.process.Readiness;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The reports of commands that they are ready, on their way to a daemon. A pipe keeps what was
 * written until it is read, whoever lives; a socket is there while a daemon listens.
 */
final class ReadyReports {
  private static final long SECOND = 1_000_000_000L;
  private static final long PROMPT_NANOS = SECOND / 20;
  private static final long READ_NANOS = SECOND / 50;

  private final Machine machine;
  private final Map<String, Boolean> unread = new HashMap<>();
  private final Map<String, Hearer> hearers = new HashMap<>();

  /** A daemon that listens to one run. */
  private static final class Hearer {
    final Object daemon;
    final Consumer<Runnable> threads;
    Readiness.Listener listener;
    boolean heard;

    Hearer(Object daemon, Consumer<Runnable> threads, Readiness.Listener listener) {
      this.daemon = daemon;
      this.threads = threads;
      this.listener = listener;
    }
  }

  ReadyReports(Machine machine) {
    this.machine = machine;
  }

  /** Whether a command reports through a pipe; null if it does not report. */
  static @Nullable Boolean throughPipe(Launch launch) {
    if (launch.readyDescriptor() != null) {
      return true;
    }
    return Execution.variables(launch).containsKey("NOTIFY_SOCKET") ? false : null;
  }

  /**
   * The time that a command takes until it reports; null: it never does. It depends on the run
   * alone, so that it changes nothing of what else chance does.
   */
  static @Nullable Long afterNanos(String runId, boolean calm) {
    var random = new SplittableRandom(runId.hashCode());
    if (calm) {
      return PROMPT_NANOS;
    }
    return switch (random.nextInt(8)) {
      case 0 -> null;
      case 1, 2 -> random.nextLong(40 * SECOND);
      default -> random.nextLong(2 * SECOND);
    };
  }

  /** A command reports. */
  void report(String runId, boolean pipe) {
    if (pipe || hearers.containsKey(runId)) {
      unread.put(runId, pipe);
      machine.soon(READ_NANOS, () -> come(runId));
    }
  }

  /** A report has come for a daemon, whose thread reads it as soon as it can. */
  private void come(String runId) {
    Hearer hearer = hearers.get(runId);
    if (hearer != null) {
      hearer.threads.accept(() -> read(runId));
    }
  }

  private void read(String runId) {
    Hearer hearer = hearers.get(runId);
    if (hearer != null && unread.remove(runId) != null) {
      hearer.heard = true;
      hearer.listener.ready();
    }
  }

  void listen(
      Object daemon, Consumer<Runnable> threads, String runId, Readiness.Listener listener) {
    Hearer hearer = hearers.computeIfAbsent(runId, id -> new Hearer(daemon, threads, listener));
    hearer.listener = listener;
    if (hearer.heard) {
      listener.ready();
    } else {
      read(runId);
    }
  }

  void stop(Object daemon, String runId) {
    Hearer hearer = hearers.get(runId);
    if (hearer != null && hearer.daemon.equals(daemon)) {
      hearers.remove(runId);
    }
  }

  /** A daemon is dead: its sockets are gone, with what nobody has read. */
  void died(Object daemon) {
    hearers.values().removeIf(hearer -> hearer.daemon.equals(daemon));
    unread.values().removeIf(pipe -> !pipe);
  }

  void reboot() {
    hearers.clear();
    unread.clear();
  }
}
