package dev.kron.job;

import dev.kron.cron.CronCalendar;
import dev.kron.schedule.Window;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state on which a job's future depends. The history is not part of it and stays on disk: each
 * step of the machine says which entries to append.
 *
 * @param lastHandled nominal second of the last handled period, {@code CronCalendar.NONE}: none yet
 * @param lastOutcome null exactly when {@code lastHandled} is none
 * @param lastChosen chosen second of that period, {@code NONE} where unschedulable or none
 * @param active runs, oldest first; the last one is the file's {@code ActiveExecution}
 * @param fingerprint of the schedule for which {@code since} was set
 * @param since epoch second from which due times count (first seen, schedule changed, quarantined)
 * @param pastLost whether the state was quarantined at {@code since}; then only periods whose
 *     window begins later count
 * @param suspended whether an operator suspended the job
 * @param begunAhead nominal seconds after {@code lastHandled} that count as handled: these periods
 *     began under a clock that was far ahead, and were kept when the operator released the others
 * @param retry the retry that waits, or null
 * @param links the links of chains from and to other jobs that are under way
 * @param boots ids of the boots that are handled, the last one last; empty where the last handled
 *     period is none
 */
public record JobState(
    String identity,
    long lastHandled,
    @Nullable Outcome lastOutcome,
    long lastChosen,
    List<ActiveRun> active,
    String fingerprint,
    long since,
    boolean pastLost,
    boolean suspended,
    List<Long> begunAhead,
    @Nullable Retry retry,
    Links links,
    List<String> boots) {
  private static final long LONGEST_WINDOW_SECONDS = Window.LONGEST_NANOS / 1_000_000_000L;

  public JobState {
    active = List.copyOf(active);
    begunAhead = List.copyOf(begunAhead);
    boots = List.copyOf(boots);
  }

  /** The state of a job that was never seen before. */
  public static JobState unseen(String identity) {
    return builder(identity).build();
  }

  /** The state of a job that was seen before and has run nothing since. */
  public static JobState arrived(
      String identity, String fingerprint, long since, boolean pastLost) {
    return builder(identity).fingerprint(fingerprint).since(since).pastLost(pastLost).build();
  }

  /**
   * The same job under another schedule. Under a new schedule it has no past; under the same one
   * nothing changes.
   */
  public JobState withSchedule(String fingerprint, long since) {
    if (fingerprint.equals(this.fingerprint)) {
      return this;
    }
    boolean lost = pastLostStillMatters(since);
    return withArrival(fingerprint, lost ? Math.max(this.since, since) : since, lost);
  }

  /**
   * The same job with another moment from which periods count; under another schedule its runs are
   * those of an earlier one.
   */
  public JobState withArrival(String fingerprint, long since, boolean pastLost) {
    List<ActiveRun> runs =
        fingerprint.equals(this.fingerprint)
            ? active
            : active.stream().map(ActiveRun::underAnotherSchedule).toList();
    return toBuilder()
        .fingerprint(fingerprint)
        .since(since)
        .pastLost(pastLost)
        .active(runs)
        .build();
  }

  /** The same job with other runs. */
  public JobState withActive(List<ActiveRun> active) {
    return toBuilder().active(active).build();
  }

  /** The same job, which has taken the link of this run: told again, nothing comes of it. */
  public JobState taking(String runId) {
    return toBuilder().links(links.taking(runId)).build();
  }

  /** The same job with other periods that began ahead of the clock. */
  public JobState withBegunAhead(List<Long> begunAhead) {
    return toBuilder().begunAhead(begunAhead).build();
  }

  /** The same state with an equal identity string, so that equal strings can be shared. */
  public JobState withIdentity(String identity) {
    return toBuilder().identity(identity).build();
  }

  /** Whether the job has something left to do even if it is in no file. */
  public boolean isUnfinished() {
    return !active.isEmpty() || retry != null || !links.owed().isEmpty();
  }

  /**
   * Whether a period that counts from a later moment may have begun before the state was lost. That
   * is over once the longest window open at the loss has closed.
   */
  boolean pastLostStillMatters(long later) {
    return pastLost && (since == CronCalendar.NONE || later - since <= LONGEST_WINDOW_SECONDS);
  }

  /** The nominal time up to which every period is handled: ended, or in an active run. */
  public long handled() {
    return handled(lastHandled, active);
  }

  static long handled(long lastHandled, List<ActiveRun> active) {
    long handled = lastHandled;
    for (ActiveRun run : active) {
      handled = Math.max(handled, run.nominal()); // a manual run's is NONE, the smallest
    }
    return handled;
  }

  /** Whether the period of a boot is handled: ended, or in an active run. */
  public boolean handled(String bootPeriod) {
    return handled(bootPeriod, boots, active);
  }

  static boolean handled(String bootPeriod, List<String> boots, List<ActiveRun> active) {
    return boots.contains(bootPeriod)
        || active.stream().anyMatch(run -> bootPeriod.equals(run.bootPeriod()));
  }

  /** Starts a builder of the state of a job that was never seen before. */
  public static Builder builder(String identity) {
    return new Builder(identity);
  }

  /** A builder that starts from this state. */
  public Builder toBuilder() {
    return new Builder(this);
  }

  /** A builder of states; components that are not set keep their defaults. */
  public static final class Builder {
    private String identity;
    private long lastHandled = CronCalendar.NONE;
    private @Nullable Outcome lastOutcome;
    private long lastChosen = CronCalendar.NONE;
    private List<ActiveRun> active = List.of();
    private String fingerprint = "";
    private long since = CronCalendar.NONE;
    private boolean pastLost;
    private boolean suspended;
    private List<Long> begunAhead = List.of();
    private @Nullable Retry retry;
    private Links links = Links.NONE;
    private List<String> boots = List.of();

    private Builder(String identity) {
      this.identity = identity;
    }

    private Builder(JobState other) {
      identity = other.identity;
      lastHandled = other.lastHandled;
      lastOutcome = other.lastOutcome;
      lastChosen = other.lastChosen;
      active = other.active;
      fingerprint = other.fingerprint;
      since = other.since;
      pastLost = other.pastLost;
      suspended = other.suspended;
      begunAhead = other.begunAhead;
      retry = other.retry;
      links = other.links;
      boots = other.boots;
    }

    public Builder identity(String identity) {
      this.identity = identity;
      return this;
    }

    public Builder lastHandled(long lastHandled) {
      this.lastHandled = lastHandled;
      return this;
    }

    public Builder lastOutcome(@Nullable Outcome lastOutcome) {
      this.lastOutcome = lastOutcome;
      return this;
    }

    public Builder lastChosen(long lastChosen) {
      this.lastChosen = lastChosen;
      return this;
    }

    public Builder active(List<ActiveRun> active) {
      this.active = active;
      return this;
    }

    public Builder fingerprint(String fingerprint) {
      this.fingerprint = fingerprint;
      return this;
    }

    public Builder since(long since) {
      this.since = since;
      return this;
    }

    public Builder pastLost(boolean pastLost) {
      this.pastLost = pastLost;
      return this;
    }

    public Builder suspended(boolean suspended) {
      this.suspended = suspended;
      return this;
    }

    public Builder begunAhead(List<Long> begunAhead) {
      this.begunAhead = begunAhead;
      return this;
    }

    public Builder retry(@Nullable Retry retry) {
      this.retry = retry;
      return this;
    }

    public Builder links(Links links) {
      this.links = links;
      return this;
    }

    public Builder boots(List<String> boots) {
      this.boots = boots;
      return this;
    }

    public JobState build() {
      return new JobState(
          identity,
          lastHandled,
          lastOutcome,
          lastChosen,
          active,
          fingerprint,
          since,
          pastLost,
          suspended,
          begunAhead,
          retry,
          links,
          boots);
    }
  }
}
