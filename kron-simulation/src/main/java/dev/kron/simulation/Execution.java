package dev.kron.simulation;

import dev.kron.process.Launch;
import dev.kron.process.Run;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A command that was really executed, as the world knows it, whatever anybody has on record. */
final class Execution {
  static final long NO_LIMIT = Long.MAX_VALUE;

  /** The file was being changed when it was launched. */
  static final long UNSURE = Long.MAX_VALUE - 1;

  static final long NEVER = Long.MIN_VALUE / 2;

  final Run run;
  final String identity;

  /** The period's id; empty for a manual run. */
  final String period;

  /** The run whose success caused it; empty: none. */
  final String cause;

  /** The text that the command could read when it was launched; null: nothing. */
  final @Nullable String input;

  /** Which attempt of its period it is, from 1. */
  final int attempt;

  /** The command of an {@code onfailure}, not of a job. */
  final boolean alert;

  /** {@code name@index} of the service's instance that it is of; null: of a job. */
  final @Nullable String instance;

  /** The command is a health check of a service, not the service itself. */
  final boolean check;

  final SimulatedProcess command;
  final long beganNanos;

  /** When it ended; meaningless while it goes on. */
  long endedNanos;

  /** The status that its parent saw; null while it goes on, and where power ended it. */
  @Nullable Integer status;

  /** The signal that ended it. */
  @Nullable Integer signal;

  /** The job's file was lost while it was in it. */
  boolean forgotten;

  /** The time that its job's file let it run when it was launched. */
  long limitNanos = NO_LIMIT;

  /** The time that every file let it run that may have been in force then. */
  long leastNanos;

  /** When it was launched, which is before it began. */
  long launchedNanos;

  /** When it reported that it is ready. */
  long reportedNanos = NEVER;

  /** When it was last told to end. */
  long termNanos = NEVER;

  /** When it was last killed. */
  long killNanos = NEVER;

  /** The files that tell who it is were taken away: signals need not reach it. */
  boolean unheard;

  /** Its record vanished before its start was on record: it looks as if it had never begun. */
  boolean unknowable;

  /** Its keeper has written how it ended, and no loss of power came after that. */
  boolean recorded;

  /** An operator asked for its end, or all ended: the restart policy has no say. */
  boolean stopped;

  /** The command goes on no more, however that came. */
  boolean over;

  Execution(Launch launch, @Nullable String input, SimulatedProcess command, long beganNanos) {
    Map<String, String> variables = variables(launch);
    this.run = launch.run();
    this.identity = variables.getOrDefault("KRON_IDENTITY", "");
    this.period = variables.getOrDefault("KRON_PERIOD", "");
    this.cause = variables.getOrDefault("KRON_CAUSE", "");
    this.input = input;
    this.attempt = Integer.parseInt(variables.getOrDefault("KRON_ATTEMPT", "1"));
    this.alert = variables.containsKey("KRON_OUTCOME");
    String service = variables.get("KRON_SERVICE");
    this.instance = service == null ? null : service + "@" + variables.get("KRON_INSTANCE");
    this.check = launch.command().getFirst().equals(ServiceEntries.CHECK);
    this.command = command;
    this.beganNanos = beganNanos;
    this.launchedNanos = beganNanos;
  }

  /** What tells of it was taken away. */
  void isLost() {
    limitNanos = UNSURE;
    leastNanos = 0;
    unheard = true;
  }

  /** The period and the attempt: what is executed at most once. */
  static String key(String period, int attempt) {
    return attempt == 1 ? period : period + " attempt " + attempt;
  }

  String key() {
    return key(period, attempt);
  }

  /** Whether not even KILL ends it at once. */
  boolean isDeaf() {
    Conduct conduct = command.conduct;
    return conduct != null && conduct.deafNanos() > 0;
  }

  static Map<String, String> variables(Launch launch) {
    var variables = new HashMap<String, String>();
    for (String variable : launch.environment()) {
      int equals = variable.indexOf('=');
      variables.put(variable.substring(0, equals), variable.substring(equals + 1));
    }
    return variables;
  }
}
