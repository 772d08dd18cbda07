package dev.kron.daemon.api;

import dev.kron.daemon.log.Faults;
import dev.kron.service.FailureReason;
import dev.kron.service.ServiceInstance;
import dev.kron.service.ServiceSpec;
import dev.kron.service.ServiceState;
import dev.kron.service.SupervisionState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The health of the daemon: whether everything runs that should, and what does not. The status,
 * {@code kron status} and the metrics all use it.
 */
final class Health {
  /** A service may wait so long for others, or for its turn, before that is a problem. */
  private static final long GRACE_MILLIS = Duration.ofMinutes(1).toMillis();

  private Health() {}

  /** The problems, in words; empty: healthy. */
  static List<String> problems(
      Snapshot snapshot, int held, SupervisionState supervised, Faults faults) {
    var problems = new ArrayList<String>();
    if (snapshot.trouble() != null) {
      problems.add("state cannot be written, nothing new is started: " + snapshot.trouble());
    }
    if (snapshot.stopping()) {
      problems.add("the daemon is stopping");
    }
    if (held > 0) {
      problems.add(
          "%s %s held by a clock that was once ahead: kron forget JOB --periods-after now"
              .formatted(held, held == 1 ? "job is" : "jobs are"));
    }
    if (!snapshot.stopping()) {
      for (ServiceSpec spec : supervised.graph().services().values()) {
        String problem =
            problem(supervised, spec, snapshot.downMillis().getOrDefault(spec.name(), 0L));
        if (problem != null) {
          problems.add("service " + spec.name() + " " + problem);
        }
      }
    }
    for (Faults.Fault fault : faults.standing()) {
      problems.add(fault.component() + " does not work: " + fault.message());
    }
    return problems;
  }

  /** The problem of a service; null: none. */
  static @Nullable String problem(SupervisionState supervised, ServiceSpec spec, long downMillis) {
    String name = spec.name();
    if (!supervised.isWanted(name) || supervised.isLeaving(name)) {
      return supervised.instances(name).stream().anyMatch(Health::isUnendable)
          ? "is to be down, and not even KILL has ended it"
          : null;
    }
    if (supervised.isUp(name)) {
      return null;
    }
    return switch (supervised.state(name)) {
      case ServiceState.Failed _ ->
          "is wanted up and has failed: " + ServiceShapes.reason(supervised, spec);
      case ServiceState.Exited exited ->
          isComing(supervised, name)
              ? null
              : "is wanted up and has ended" + ended(supervised, spec, exited);
      case ServiceState.Blocked blocked -> {
        List<String> others = new ArrayList<>(blocked.waitingOn());
        others.addAll(blocked.conflictsWith());
        yield downMillis > GRACE_MILLIS
            ? "is wanted up and waits for " + String.join(", ", others)
            : null;
      }
      case ServiceState.Inactive _ ->
          downMillis > GRACE_MILLIS ? "is wanted up and was not started" : null;
      case ServiceState.Starting _, ServiceState.Running _, ServiceState.Stopping _ ->
          null; // it is starting, within its own timeout
    };
  }

  private static String ended(
      SupervisionState supervised, ServiceSpec spec, ServiceState.Exited exited) {
    String gaveUp = ServiceShapes.reason(supervised, spec);
    String how =
        gaveUp != null
            ? ", " + gaveUp
            : (exited.exitCode() == null ? "" : ", exit " + exited.exitCode())
                + "; its restart policy leaves it so";
    return how + ": kron start or kron stop";
  }

  private static boolean isUnendable(ServiceInstance instance) {
    return instance.runId() != null
        && instance.state() instanceof ServiceState.Failed failed
        && failed.reason() instanceof FailureReason.StopTimeout;
  }

  /**
   * Whether an instance waits for its restart. A oneshot that is repeated counts as up meanwhile.
   */
  private static boolean isComing(SupervisionState supervised, String name) {
    return supervised.instances(name).stream().anyMatch(ServiceInstance::inBackoff);
  }
}
