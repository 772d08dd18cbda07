package dev.kron.daemon;

import dev.kron.daemon.log.Faults;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.LoopTime;
import dev.kron.daemon.loop.Timers;
import dev.kron.daemon.loop.Writability;
import dev.kron.daemon.notices.Notifier;
import dev.kron.notice.Event;
import dev.kron.notice.NotifySpec;
import dev.kron.notice.Subject;
import dev.kron.notice.Word;
import dev.kron.service.ServiceInstance;
import dev.kron.service.ServiceSpec;
import dev.kron.service.ServiceState;
import dev.kron.service.SupervisionState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks at services and at the daemon itself every few seconds, where somebody wants to be told of
 * them. What stands is told, however it came about: a look that was missed loses nothing. For the
 * loop's thread.
 */
final class StandingNotices {
  private static final String KEY = "standing notices";
  private static final long EVERY_NANOS = 5_000_000_000L;

  /** So many restarts since a service last stayed up for a while. */
  static final int FLAPS = 3;

  private final Clocks clocks;
  private final Timers timers;
  private final Writability writability;
  private final Supplier<SupervisionState> supervised;
  private final Faults faults;
  private final Supplier<@Nullable Notifier> notifier;

  StandingNotices(
      LoopTime time,
      Writability writability,
      Supplier<SupervisionState> supervised,
      Faults faults,
      Supplier<@Nullable Notifier> notifier) {
    this.clocks = time.clocks();
    this.timers = time.timers();
    this.writability = writability;
    this.supervised = supervised;
    this.faults = faults;
    this.notifier = notifier;
  }

  /** The rules may be others now. */
  void arm() {
    Notifier present = notifier.get();
    NotifySpec spec = present == null ? NotifySpec.NONE : present.spec();
    boolean services = spec.hasRulesFor(Subject.Kind.SERVICE);
    boolean daemon = spec.hasRulesFor(Subject.Kind.DAEMON);
    if (present == null || (!services && !daemon)) {
      timers.cancel(KEY);
      return;
    }
    List<Notifier.Standing> seen = new ArrayList<>();
    if (services) {
      services(seen);
      removed(present, seen);
    }
    if (daemon) {
      seen.add(daemon());
    }
    present.observe(seen);
    timers.set(KEY, clocks.bootNanos() + EVERY_NANOS, this::arm);
  }

  /** A service that is in no file has no problem, and nobody is reminded of the one that it had. */
  private static void removed(Notifier present, List<Notifier.Standing> seen) {
    Set<Subject> there = new HashSet<>();
    seen.forEach(standing -> there.add(standing.subject()));
    for (Subject subject : present.outbox().subjects()) {
      if (subject.kind() == Subject.Kind.SERVICE && !there.contains(subject)) {
        seen.add(new Notifier.Standing(subject, null, true, "it is in no file any more"));
      }
    }
  }

  private Notifier.Standing daemon() {
    List<String> troubles = new ArrayList<>();
    if (writability.trouble() != null) {
      troubles.add("state cannot be written, nothing new is started: " + writability.trouble());
    }
    for (Faults.Fault fault : faults.standing()) {
      troubles.add(fault.component() + " does not work: " + fault.message());
    }
    Event trouble =
        troubles.isEmpty()
            ? null
            : Event.noticed(Word.UNHEALTHY, clocks.wallMillis(), String.join("; ", troubles));
    return new Notifier.Standing(Subject.DAEMON, trouble, troubles.isEmpty(), null);
  }

  private void services(List<Notifier.Standing> seen) {
    SupervisionState state = supervised.get();
    for (ServiceSpec spec : state.graph().services().values()) {
      String name = spec.name();
      int restarts =
          state.instances(name).stream().mapToInt(ServiceInstance::restartCount).max().orElse(0);
      boolean wanted = state.isWanted(name) && !state.isLeaving(name);
      Event trouble = null;
      // One that waits for its restart has failed too, and may yet stay up.
      boolean gaveUp =
          state.instances(name).stream()
              .anyMatch(it -> it.state().kind() == ServiceState.Kind.FAILED && !it.inBackoff());
      if (wanted && gaveUp) {
        trouble = Event.noticed(Word.FAILED, clocks.wallMillis(), "the service is down for good");
      } else if (wanted && restarts >= FLAPS) {
        String reason = "started again " + restarts + " times, and did not stay up";
        trouble = Event.noticed(Word.FLAPPING, clocks.wallMillis(), reason);
      }
      boolean well = trouble == null && state.isUp(name) && restarts == 0;
      seen.add(
          new Notifier.Standing(
              new Subject(Subject.Kind.SERVICE, name),
              trouble,
              well || !wanted,
              wanted ? null : "it is not wanted up any more"));
    }
  }
}
