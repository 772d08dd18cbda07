package dev.kron.job;

import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The reason of a history entry: facts for programs, and a sentence for people.
 *
 * @param lateSeconds how late the period was, if that is the cause; otherwise 0
 * @param deadlineSeconds the allowed lateness, if that is the cause; otherwise 0
 * @param text the sentence
 */
public record Reason(Cause cause, long lateSeconds, long deadlineSeconds, String text) {
  private static final Pattern LATENESS = Pattern.compile("(\\d{1,18}) s late .* (\\d{1,18}) s");

  /** The kinds of reasons. */
  public enum Cause {
    /** The period was later than its deadline allows. */
    LATE("late"),
    /** Another run was still active. */
    STILL_ACTIVE("still-active"),
    /** The run exceeded its timeout. */
    TIMED_OUT("timed-out"),
    /** The run was replaced by a newer one. */
    REPLACED("replaced"),
    /** The run was ended by the daemon's shutdown. */
    STOPPED("stopped"),
    /** The run was ended by an operator. */
    STOPPED_BY_OPERATOR("stopped-by-operator"),
    /** The run to be replaced could not be ended. */
    UNENDABLE("unendable"),
    /** The machine was restarted. */
    RESTARTED("machine-restarted"),
    /** No second of the window was accepted. */
    NO_CANDIDATE("no-candidate"),
    /** The command could not be started; the stage tells why. */
    NOT_STARTED("not-started"),
    /** The job was suspended when its turn in a chain came. */
    SUSPENDED("suspended"),
    /** The operator released the period. */
    RELEASED("released"),
    /** The way it ended is unknown, or a newer version of the daemon wrote the entry. */
    UNKNOWN("unknown");

    private final String word;

    Cause(String word) {
      this.word = word;
    }

    /** The cause as files and the API write it. */
    public String word() {
      return word;
    }

    public static Cause ofWord(String word) {
      for (Cause cause : values()) {
        if (cause.word.equals(word)) {
          return cause;
        }
      }
      return UNKNOWN;
    }
  }

  public static Reason of(Cause cause, String text) {
    return new Reason(cause, 0, 0, text);
  }

  static Reason late(long lateSeconds, long deadlineSeconds, String prefix) {
    return new Reason(
        Cause.LATE,
        lateSeconds,
        deadlineSeconds,
        "%s%s s late when the daemon was there again, the deadline is %s s"
            .formatted(prefix, lateSeconds, deadlineSeconds));
  }

  static Reason stillActive(ActiveRun run, String prefix) {
    Instant since = Instant.ofEpochSecond(Math.floorDiv(run.startedAt(), 1000L));
    return of(
        Cause.STILL_ACTIVE,
        "%srun %s is still active since %s".formatted(prefix, run.runId(), since));
  }

  /**
   * The reason of a run that ended. The reason for ending it takes precedence over what is unknown
   * about its end.
   */
  static @Nullable Reason ended(ActiveRun run, @Nullable String unknown) {
    ActiveRun.Ending ending = run.ending();
    if (ending == null) {
      return unknown == null ? null : of(Cause.UNKNOWN, unknown);
    }
    String by = run.endedBy() == null ? "" : " by " + run.endedBy();
    String why = ending.name().toLowerCase(Locale.ROOT).replace('_', ' ') + by;
    return of(cause(run), unknown == null ? why : why + "; " + unknown);
  }

  /** The cause for which a run is being ended. */
  static Cause cause(ActiveRun run) {
    if (run.endedBy() != null) {
      return Cause.STOPPED_BY_OPERATOR;
    }
    return switch (Objects.requireNonNull(run.ending())) {
      case TIMED_OUT -> Cause.TIMED_OUT;
      case REPLACED -> Cause.REPLACED;
      case STOPPED -> Cause.STOPPED;
    };
  }

  /** The reason in an entry of an older daemon, which wrote only the sentence. */
  public static Reason ofSentence(String text) {
    Matcher late = LATENESS.matcher(text);
    if (late.find()) {
      return new Reason(
          Cause.LATE, Long.parseLong(late.group(1)), Long.parseLong(late.group(2)), text);
    }
    return of(causeOf(text), text);
  }

  private static Cause causeOf(String text) {
    if (text.startsWith("timed out")) {
      return Cause.TIMED_OUT;
    }
    if (text.contains(" is still active since ")) {
      return Cause.STILL_ACTIVE;
    }
    if (text.startsWith("replaced")) {
      return Cause.REPLACED;
    }
    if (text.startsWith("stopped") || text.startsWith("the daemon was stopped")) {
      return Cause.STOPPED;
    }
    if (text.endsWith("which it replaces, could not be ended")) {
      return Cause.UNENDABLE;
    }
    if (text.startsWith("the machine was restarted")) {
      return Cause.RESTARTED;
    }
    if (text.startsWith("no candidate accepted") || text.startsWith("no second of the window")) {
      return Cause.NO_CANDIDATE;
    }
    return text.startsWith("released by the operator") ? Cause.RELEASED : Cause.UNKNOWN;
  }
}
