package dev.kron.simulation;

import dev.kron.process.Credentials;
import dev.kron.process.InputSource;
import dev.kron.process.Launch;
import dev.kron.service.HealthCheck;
import dev.kron.service.ServiceSpec;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The command of a launch, held against what a file says. */
final class Launched {
  private Launched() {}

  /** The difference between a launch and a job's entry; null: none. */
  static @Nullable String differs(Launch launch, JobEntry entry) {
    String wrong = command(launch, List.of(entry.command()));
    wrong = wrong == null ? user(launch, entry.user()) : wrong;
    wrong = wrong == null ? input(launch, entry) : wrong;
    for (String variable : entry.environment()) {
      wrong = wrong == null ? environment(launch, variable) : wrong;
    }
    return wrong;
  }

  /** The difference from the times that a job's schedule gives; null: none. */
  static @Nullable String differsInTimes(Launch launch, JobEntry entry) {
    Map<String, String> variables = Execution.variables(launch);
    String period = variables.getOrDefault("KRON_PERIOD", "");
    if (period.isEmpty()) {
      return null;
    }
    if (BootRules.isBoot(period)) {
      return differsInBoot(variables, entry, period);
    }
    long nominal = Instant.parse(period).getEpochSecond();
    if (!entry.times().has(nominal)) {
      return period + " is none of " + entry.schedule();
    }
    Timetable.Period really = entry.times().period(nominal);
    Map<String, Long> told =
        Map.of(
            "KRON_CHOSEN",
            really.chosen(),
            "KRON_WINDOW_START",
            really.windowStart(),
            "KRON_WINDOW_END",
            really.windowEnd());
    for (Map.Entry<String, Long> each : told.entrySet()) {
      String expected = Instant.ofEpochSecond(each.getValue()).toString();
      if (!expected.equals(variables.get(each.getKey()))) {
        return "%s is %s, and not %s"
            .formatted(each.getKey(), variables.get(each.getKey()), expected);
      }
    }
    return null;
  }

  /** The same of a boot, whose window begins when a daemon was ready in it. */
  private static @Nullable String differsInBoot(
      Map<String, String> variables, JobEntry entry, String period) {
    if (!entry.times().isBoot()) {
      return period + " is none of " + entry.schedule();
    }
    Instant start = Instant.parse(variables.getOrDefault("KRON_WINDOW_START", ""));
    Instant chosen = Instant.parse(variables.getOrDefault("KRON_CHOSEN", ""));
    Instant end = Instant.parse(variables.getOrDefault("KRON_WINDOW_END", ""));
    boolean right =
        chosen.equals(start.plusSeconds(entry.times().secondsAfterBoot(period)))
            && end.equals(start.plusSeconds(entry.times().windowSeconds()));
    return right ? null : "the window is " + start + " to " + end + " and its second " + chosen;
  }

  /** The difference between a launch and a service's file; null: none. */
  static @Nullable String differs(Launch launch, ServiceSpec spec, boolean check) {
    HealthCheck health = spec.health();
    List<String> words =
        check && health != null && health.probe() instanceof HealthCheck.Probe.Exec(var command)
            ? command
            : spec.exec();
    String wrong = command(launch, words);
    wrong = wrong == null ? user(launch, spec.user()) : wrong;
    for (String variable : spec.environment()) {
      wrong = wrong == null ? environment(launch, variable) : wrong;
    }
    return wrong;
  }

  private static @Nullable String command(Launch launch, List<String> words) {
    return launch.command().equals(words)
        ? null
        : "the command is " + launch.command() + ", and not " + words;
  }

  /** A run that was caused reads what its cause wrote, if its file says so; others read nothing. */
  private static @Nullable String input(Launch launch, JobEntry entry) {
    String cause = Execution.variables(launch).getOrDefault("KRON_CAUSE", "");
    InputSource expected =
        entry.readsCause() && !cause.isEmpty()
            ? new InputSource.Kept(Machine.STATE.resolve("runs").resolve(cause).resolve("stdout"))
            : new InputSource.Nothing();
    return launch.stdin().equals(expected)
        ? null
        : "it reads " + launch.stdin() + ", and not " + expected;
  }

  private static @Nullable String environment(Launch launch, String variable) {
    return launch.environment().contains(variable)
        ? null
        : variable + " is not in " + launch.environment();
  }

  private static @Nullable String user(Launch launch, @Nullable String user) {
    Credentials who = launch.credentials();
    boolean other = SimulatedUsers.OTHER.name().equals(user);
    boolean right = other ? who != null && who.uid() == SimulatedUsers.OTHER.uid() : who == null;
    return right ? null : "the user is " + who + ", and not " + user;
  }
}
