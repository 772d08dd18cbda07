package dev.kron.daemon.services;

import dev.kron.daemon.loop.Clocks;
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceEffect.WakeAt;
import dev.kron.service.TimeoutKind;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.ObjLongConsumer;

/**
 * The times that runs have to end. Each begins when its signal was sent, and not when that was
 * decided: the machine may sleep in between. Used on the loop's thread only.
 */
final class StopTimes {
  private final Clocks clocks;
  private final ObjLongConsumer<WakeAt> timer;

  /** Runs that a signal to end is on its way to. */
  private final Set<Ending> unsent = new HashSet<>();

  private final Map<Ending, Stop> stops = new HashMap<>();

  /** A run of an instance that is to end: its process or a hook around it, or a reload command. */
  private record Ending(InstanceId instance, TimeoutKind kind) {}

  /** The time that a run has to end once its signal is sent. */
  private record Stop(WakeAt wake, long nanos) {}

  /**
   * @param timer sets the timer of a wait, to a moment of the boot clock in nanoseconds
   */
  StopTimes(Clocks clocks, ObjLongConsumer<WakeAt> timer) {
    this.clocks = clocks;
    this.timer = timer;
  }

  static boolean isStop(TimeoutKind kind) {
    return kind == TimeoutKind.STOP || kind == TimeoutKind.RELOAD_STOP;
  }

  /** A signal to end is on its way. */
  void sends(InstanceId id, TimeoutKind kind) {
    unsent.add(new Ending(id, kind));
  }

  /** A run has to end by a moment, or that much later if its signal is still on its way. */
  void stopBy(WakeAt wake, long dueNanos) {
    var ending = new Ending(wake.instance(), wake.kind());
    stops.put(ending, new Stop(wake, dueNanos - clocks.bootNanos()));
    if (!unsent.contains(ending)) {
      timer.accept(wake, dueNanos);
    }
  }

  /** A signal to end has been sent, or cannot be sent for now. */
  void signalled(InstanceId id, TimeoutKind kind, long atBootNanos) {
    var ending = new Ending(id, kind);
    unsent.remove(ending);
    Stop stop = stops.remove(ending);
    if (stop != null) {
      // Never before the moment that the machine knows: it would not be over yet.
      long soonest = stop.wake().bootMillis() * 1_000_000L;
      timer.accept(stop.wake(), Math.max(soonest, atBootNanos + stop.nanos()));
    }
  }
}
