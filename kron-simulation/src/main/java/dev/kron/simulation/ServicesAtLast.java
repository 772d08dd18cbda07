package dev.kron.simulation;

import dev.kron.service.Dependencies;
import dev.kron.service.Lifecycle;
import dev.kron.service.ServiceSpec;
import dev.kron.simulation.SupervisorView.Instance;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The judgement of services when faults have stopped: wanted up, up; and nothing else. */
final class ServicesAtLast {
  private static final long MILLI = 1_000_000L;

  private final SupervisorView platter;
  private final Map<String, ServiceSpec> known;
  private final Scales scales;
  private final ServiceExecutions executions;
  private final Predicate<Execution> isUnknowable;
  private final Predicate<String> hasRival;
  private final Predicate<String> isAtRest;
  private final BiFunction<Invariant, String, Violation> fail;

  /**
   * @param isUnknowable whether all that told of a run was lost, so that nobody can end it
   * @param isAtRest whether an instance is down by the policy that it had when it ended
   * @param hasRival whether one runs that a service conflicts with
   */
  ServicesAtLast(
      SupervisorView platter,
      ServiceNews news,
      ServiceExecutions executions,
      Predicate<Execution> isUnknowable,
      Predicate<String> hasRival,
      Predicate<String> isAtRest,
      BiFunction<Invariant, String, Violation> fail) {
    this.platter = platter;
    this.known = news.known;
    this.scales = news.scales;
    this.executions = executions;
    this.isUnknowable = isUnknowable;
    this.hasRival = hasRival;
    this.isAtRest = isAtRest;
    this.fail = fail;
  }

  void check() {
    for (ServiceSpec spec : known.values()) {
      if (platter.isWanted(spec.name())
          && !waitsForARival(spec.name(), new HashSet<>())
          && !waitsForAnotherRound(spec)) {
        isUp(spec);
      }
    }
    for (String instance : executions.instances()) {
      ServiceSpec spec = known.get(ServiceExecutions.service(instance));
      int index = Integer.parseInt(instance.substring(instance.indexOf('@') + 1));
      boolean wanted =
          spec != null && platter.isWanted(spec.name()) && index < scales.instances(spec);
      if (!wanted && alive(instance, null) > 0) {
        throw fail.apply(Invariant.WANTED_DOWN_GOES_DOWN, instance + " still runs");
      }
    }
  }

  private static Stream<String> before(ServiceSpec spec) {
    Dependencies dependencies = spec.dependencies();
    return Stream.concat(dependencies.requires().stream(), dependencies.after().stream());
  }

  /** A service that waits for a oneshot that is run again and again is up only in between. */
  private boolean waitsForAnotherRound(ServiceSpec spec) {
    return before(spec)
        .map(known::get)
        .anyMatch(
            other ->
                other != null
                    && ((other.type() == ServiceSpec.Type.ONESHOT
                            && other.lifecycle().restart() == Lifecycle.Restart.ALWAYS)
                        || waitsForAnotherRound(other)));
  }

  private boolean waitsForARival(String service, Set<String> seen) {
    ServiceSpec spec = known.get(service);
    if (spec == null || !seen.add(service)) {
      return false;
    }
    return hasRival.test(service) || before(spec).anyMatch(other -> waitsForARival(other, seen));
  }

  /** Whether it has run long enough for its restarts to be forgotten, and they are not. */
  private boolean isOwedAReset(Instance told, ServiceSpec spec) {
    long uptime = spec.lifecycle().minUptimeMillis() * MILLI;
    return told.state().equals("Running")
        && !spec.isTarget()
        && told.restarts() > 0
        && executions.wasUp(told.runId(), uptime + ServiceNews.PATIENCE_NANOS);
  }

  /**
   * Processes of an instance of which anything tells.
   *
   * @param runId of which the supervisor's file tells
   */
  private long alive(String instance, @Nullable String runId) {
    return executions.of(instance).stream()
        .filter(it -> !it.over)
        .filter(it -> it.run.id().equals(runId) || !isUnknowable.test(it))
        .count();
  }

  private void isUp(ServiceSpec spec) {
    for (int index = 0; index < scales.instances(spec); index++) {
      String instance = spec.name() + "@" + index;
      Instance told = platter.find(spec.name(), index);
      long alive = alive(instance, told == null ? null : told.runId());
      boolean up =
          told != null
              && switch (spec.type()) {
                case SIMPLE -> told.state().equals("Running") && alive == 1;
                case TARGET -> told.state().equals("Running");
                case ONESHOT -> isUnderWay(told) || isDone(told);
              };
      if (told != null && isOwedAReset(told, spec)) {
        throw fail.apply(Invariant.BACKOFF_IS_RESET, instance + " is " + told);
      }
      if (!up && !(told != null && rests(spec, told))) {
        throw fail.apply(
            Invariant.WANTED_UP_COMES_UP,
            "%s has %s processes and is %s".formatted(instance, alive, told));
      }
    }
  }

  private static boolean isUnderWay(Instance told) {
    return told.isActive() || (told.hasEnded() && told.restartPending());
  }

  private static boolean isDone(Instance told) {
    return told.state().equals("Exited") && Integer.valueOf(0).equals(told.code());
  }

  /** Whether it is down, and its own policy or that of one which it requires keeps it so. */
  private boolean rests(ServiceSpec spec, Instance told) {
    if (told.detail().equals("DependencyFailed")) {
      return spec.dependencies().requires().stream().anyMatch(this::anyRests);
    }
    return isAtRest.test(spec.name() + "@" + told.index());
  }

  private boolean anyRests(String service) {
    ServiceSpec spec = known.get(service);
    if (spec == null) {
      return false;
    }
    for (int index = 0; index < scales.instances(spec); index++) {
      Instance told = platter.find(service, index);
      if (told != null && rests(spec, told)) {
        return true;
      }
    }
    return false;
  }
}
