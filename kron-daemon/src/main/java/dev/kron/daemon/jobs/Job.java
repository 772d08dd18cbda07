package dev.kron.daemon.jobs;

import dev.kron.daemon.loop.Answer;
import dev.kron.job.FleetRules;
import dev.kron.job.JobEvent;
import dev.kron.job.JobSpec;
import dev.kron.job.JobState;
import dev.kron.job.RunRules;
import dev.kron.schedule.DueTimes;
import dev.kron.schedule.Policy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A job as the loop knows it: its entry in the file, its durable state, when it is next due. It is
 * kept small, since there may be a hundred thousand; what only a moving job needs is in {@link
 * #moving}.
 */
public final class Job implements Comparable<Job> {
  public static final long NEVER = Long.MAX_VALUE;

  public final String identity;

  /**
   * The entry in the file; null: in no file any more, but its state and its running processes stay.
   */
  public @Nullable JobSpec spec;

  /** The state on disk. All decisions are made from it. */
  public JobState state;

  /** The second at which to look at the job again; {@link #NEVER} if nothing is to come. */
  public long dueAt = NEVER;

  /** When the next period of a job is due that a fleet's nodes claim, and the entry it was of. */
  private long nextDue;

  private @Nullable JobSpec nextDueOf;

  /** Its place in the {@link DueQueue}, −1 outside. */
  int queueIndex = -1;

  /**
   * The moment before which the daemon did not watch this job; 0: it watched it as long as all
   * others.
   */
  public long seenSinceMillis;

  /** The second from which the present entry counts; {@link #NEVER}: it was always there. */
  long changedSince = NEVER;

  /** Whether the fate of its runs has to be found out before anything else happens. */
  boolean unsettled;

  /** Chained runs that are not announced again; the next write forgets them. */
  private Set<String> settledLinks = Set.of();

  /** Whether it was logged that a clock far ahead has silenced the job. */
  boolean held;

  @Nullable Moving moving;

  public Job(@Nullable JobSpec spec, JobState state) {
    this.identity =
        state.identity(); // the state's own string, not an equal one: it takes most of a job's
    // memory
    this.spec = spec;
    this.state = state;
  }

  /** An event that waits for the steps before it, and the reply that is owed when it is done. */
  record Waiting(JobEvent event, @Nullable CompletableFuture<Answer> reply) {}

  /**
   * The part of a job that exists only while a step is on its way to the disk, or while it is
   * settled.
   */
  static final class Moving {
    final Queue<Waiting> waiting = new ArrayDeque<>(2);
    final Set<String> recovering = new HashSet<>(2);

    /** The tasks to do once the job rests. */
    final List<Runnable> afterwards = new ArrayList<>(0);

    boolean committing;
  }

  Moving moving() {
    Moving present = moving;
    if (present == null) {
      present = new Moving();
      moving = present;
    }
    return present;
  }

  void settleLink(String runId) {
    settledLinks = settledLinks.isEmpty() ? new HashSet<>() : settledLinks;
    settledLinks.add(runId);
  }

  boolean isSettledLink(String runId) {
    return settledLinks.contains(runId);
  }

  /** Nothing waits, nothing is under way. */
  void rest() {
    Moving before = moving;
    moving = null;
    if (before != null) {
      before.afterwards.forEach(Runnable::run);
    }
  }

  /** Puts an event before all others that wait: it follows from the present step. */
  void happensNext(JobEvent event) {
    moving().waiting.add(new Waiting(event, null));
  }

  /** An event is durable; it may end the time for which the present schedule has no past. */
  void noticed(JobEvent event) {
    JobSpec present = spec;
    if (event instanceof JobEvent.PastDropped dropped
        && present != null
        && dropped.fingerprint().equals(present.schedule().fingerprint())) {
      changedSince = NEVER;
    }
  }

  Policy policy() {
    JobSpec present = spec;
    return present == null ? Policy.DEFAULT : present.schedule().policy();
  }

  RunRules rules() {
    JobSpec present = spec;
    if (present != null) {
      return present.rules();
    }
    return FleetRules.isOfFleet(identity) ? RunRules.FLEET_DEFAULT : RunRules.DEFAULT;
  }

  /** The exit codes that count as success. */
  public List<Integer> okExit() {
    return rules().retry().okExit();
  }

  /** When its next period is due, on whichever machine. */
  @SuppressWarnings("ReferenceEquality") // what was read again is computed again
  public long nextDue(long nowMillis) {
    JobSpec present = spec;
    if (present == null || !present.isClaimed()) {
      return dueAt;
    }
    long now = Math.floorDiv(nowMillis, 1000L);
    if (nextDueOf != present || nextDue <= now) {
      DueTimes.Due due = DueTimes.of(present.schedule(), present.seed()).firstAfter(now);
      nextDueOf = present;
      nextDue = due == null || present.schedule().policy().suspend() ? NEVER : due.dueEpochSecond();
    }
    return nextDue;
  }

  public boolean suspended() {
    return state.suspended() || policy().suspend();
  }

  @Override
  public int compareTo(Job other) {
    return identity.compareTo(other.identity);
  }
}
