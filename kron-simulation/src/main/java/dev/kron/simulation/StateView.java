package dev.kron.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A job's state file as anybody can read it, by the names that the specification gives. */
record StateView(
    String identity,
    String lastHandled,
    String lastOutcome,
    List<Active> active,
    List<Entry> history,
    String since,
    boolean suspended,
    String fingerprint,
    @Nullable Waiting retry,
    List<String> owed,
    Notices notices) {

  /**
   * The open problems of a job, and the messages owed.
   *
   * @param threads by the keys of their rules
   * @param owed messages, oldest first
   */
  record Notices(Map<String, OpenProblem> threads, List<Owed> owed) {
    static final Notices NONE = new Notices(Map.of(), List.of());
  }

  /** A problem that is open. */
  record OpenProblem(String id, long count, long toldMillis) {}

  /** A message that is owed to these channels. */
  record Owed(
      String id,
      String thread,
      boolean reminder,
      String word,
      long atMillis,
      List<String> channels) {
    boolean isRecovery() {
      return word.equals("recovered");
    }
  }

  /** An attempt that waits. */
  record Waiting(
      String period,
      String cause,
      int attempt,
      String notBefore,
      String fingerprint,
      String failedRun) {
    boolean isAttempt(Active run) {
      return isAttempt(run.period, run.cause, run.attempt);
    }

    boolean isAttempt(Entry entry) {
      return isAttempt(entry.period, entry.causedBy, entry.attempt);
    }

    private boolean isAttempt(String ofPeriod, String causedBy, int number) {
      return period.equals(ofPeriod) && cause.equals(causedBy) && attempt == number;
    }
  }

  /** A run that the file calls active. */
  record Active(
      String runId,
      String period,
      String phase,
      String ending,
      String bootId,
      String due,
      int attempt,
      String cause) {
    /** The period and the attempt. */
    String key() {
      return Execution.key(period, attempt);
    }
  }

  /** A line of the history. */
  record Entry(
      String period,
      String outcome,
      @Nullable Integer exitCode,
      @Nullable Integer signal,
      Why why,
      String stage,
      String runId,
      int attempt,
      boolean success,
      String completedAt,
      String causedBy) {
    /** The outcome of what was executed, however it ended. */
    static final String EXECUTED = "executed";

    /** The period and the attempt. */
    String key() {
      return Execution.key(period, attempt);
    }

    /** The daemon ended the run, whatever its exit code. */
    boolean ended() {
      return switch (why.cause) {
        case "timed-out", "replaced", "stopped", "stopped-by-operator" -> true;
        default -> false;
      };
    }

    /** The period did not end: an operator has released it. */
    boolean released() {
      return why.cause.equals("released");
    }
  }

  /** The reason of a line, as facts. */
  record Why(String cause, long lateSeconds, long deadlineSeconds) {}

  /** Null where the bytes are no state file. */
  static @Nullable StateView parse(byte[] bytes) {
    try {
      if (!(WitnessJson.parse(bytes) instanceof Map<?, ?> state) || !isKnown(state)) {
        return null;
      }
      var active = new ArrayList<Active>();
      for (Object run : list(state.get("OtherActive"))) {
        active.add(active((Map<?, ?>) run));
      }
      if (state.get("ActiveExecution") instanceof Map<?, ?> run) {
        active.add(active(run));
      }
      var history = new ArrayList<Entry>();
      for (Object entry : list(state.get("History"))) {
        history.add(entry((Map<?, ?>) entry));
      }
      return new StateView(
          text(state, "Identity"),
          text(state, "LastHandledPeriodID"),
          text(state, "LastOutcome"),
          active,
          history,
          text(state, "Since"),
          Boolean.TRUE.equals(state.get("Suspended")),
          text(state, "ScheduleFingerprint"),
          state.get("Retry") instanceof Map<?, ?> retry ? waiting(retry) : null,
          owed(state),
          state.get("Notices") instanceof Map<?, ?> notices ? notices(notices) : Notices.NONE);
    } catch (IllegalArgumentException | ClassCastException e) {
      return null;
    }
  }

  private static boolean isKnown(Map<?, ?> state) {
    return state.get("Version") instanceof String version
        && (version.equals("1") || version.equals("1.1") || version.equals("1.2"));
  }

  /**
   * The last period that is done with or under way. Periods sort as text, but for boots: of those
   * the last in the file is the latest. Empty: none.
   */
  String handled() {
    String handled = lastHandled;
    for (Active run : active) {
      boolean byOrder = BootRules.isBoot(run.period) || BootRules.isBoot(handled);
      boolean later = byOrder ? !run.period.isEmpty() : run.period.compareTo(handled) > 0;
      handled = later ? run.period : handled;
    }
    return handled;
  }

  @Nullable Active find(String runId) {
    for (Active run : active) {
      if (run.runId.equals(runId)) {
        return run;
      }
    }
    return null;
  }

  private static List<?> list(@Nullable Object value) {
    return value instanceof List<?> list ? list : List.of();
  }

  private static String text(Map<?, ?> map, String name) {
    return map.get(name) instanceof String text ? text : "";
  }

  private static @Nullable Integer number(Map<?, ?> map, String name) {
    return map.get(name) instanceof Long number ? Integer.valueOf(number.intValue()) : null;
  }

  private static long seconds(Map<?, ?> map, String name) {
    return map.get(name) instanceof Long number ? number : 0;
  }

  private static Active active(Map<?, ?> run) {
    return new Active(
        text(run, "RunID"),
        text(run, "PeriodID"),
        text(run, "Phase"),
        text(run, "Ending"),
        text(run, "BootID"),
        text(run, "DueTime"),
        attempt(run),
        text(run, "Cause"));
  }

  private static Entry entry(Map<?, ?> entry) {
    return new Entry(
        text(entry, "PeriodID"),
        text(entry, "Outcome"),
        number(entry, "ExitCode"),
        number(entry, "Signal"),
        new Why(reason(entry), seconds(entry, "LateSeconds"), seconds(entry, "DeadlineSeconds")),
        text(entry, "Stage"),
        text(entry, "RunID"),
        attempt(entry),
        Boolean.TRUE.equals(entry.get("Success")),
        text(entry, "CompletedAt"),
        isRun(text(entry, "Cause")) ? text(entry, "Cause") : "");
  }

  private static String reason(Map<?, ?> entry) {
    String cause = text(entry, "Cause");
    return isRun(cause) ? text(entry, "ReasonCause") : cause;
  }

  /** Whether the cause is a run, as in a chain. */
  private static boolean isRun(String cause) {
    return cause.length() == 26;
  }

  /** The links that a job owes: the run, a blank, the job that follows. */
  private static List<String> owed(Map<?, ?> state) {
    var owed = new ArrayList<String>();
    for (Object link : list(state.get("OwedLinks"))) {
      owed.add(text((Map<?, ?>) link, "Cause") + " " + text((Map<?, ?>) link, "Target"));
    }
    return owed;
  }

  private static Notices notices(Map<?, ?> written) {
    var threads = new TreeMap<String, OpenProblem>();
    for (Object each : list(written.get("threads"))) {
      Map<?, ?> thread = (Map<?, ?>) each;
      threads.put(
          text(thread, "rule"),
          new OpenProblem(text(thread, "id"), seconds(thread, "count"), seconds(thread, "told")));
    }
    var owed = new ArrayList<Owed>();
    for (Object each : list(written.get("owed"))) {
      Map<?, ?> message = (Map<?, ?>) each;
      owed.add(
          new Owed(
              text(message, "id"),
              text(message, "thread"),
              Boolean.TRUE.equals(message.get("reminder")),
              text(message, "word"),
              seconds(message, "at"),
              list(message.get("channels")).stream().map(String::valueOf).toList()));
    }
    return new Notices(threads, owed);
  }

  private static int attempt(Map<?, ?> map) {
    Integer attempt = number(map, "Attempt");
    return attempt == null ? 1 : attempt;
  }

  private static Waiting waiting(Map<?, ?> retry) {
    return new Waiting(
        text(retry, "PeriodID"),
        text(retry, "Cause"),
        attempt(retry),
        text(retry, "NotBefore"),
        text(retry, "ScheduleFingerprint"),
        retry.get("Failed") instanceof Map<?, ?> failed ? text(failed, "RunID") : "");
  }
}
