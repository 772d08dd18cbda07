package dev.kron.daemon.jobs;

import dev.kron.daemon.loop.Answer;
import dev.kron.job.JobEvent;
import dev.kron.job.JobSpec;
import dev.kron.job.JobState;
import dev.kron.job.RunRules;
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
 * A job as the loop knows it: what the file says, what is durable, when it is next due. Kept small,
 * there may be a hundred thousand; what only a moving job needs hangs on {@link #moving}.
 */
public final class Job implements Comparable<Job> {
  public static final long NEVER = Long.MAX_VALUE;

  public final String identity;

  /** Null: no longer in any file. Its state and its running processes stay. */
  public @Nullable JobSpec spec;

  /** What is on disk. Nothing is decided from anything else. */
  public JobState state;

  /** The second at which to look at it again, {@link #NEVER} where nothing is to come. */
  public long dueAt = NEVER;

  /** Its place in the {@link DueQueue}, −1 outside. */
  int queueIndex = -1;

  /** For this job alone, nothing before this moment was seen; 0: what the daemon saw. */
  public long seenSinceMillis;

  /** The second from which the entry that the file has now counts; {@link #NEVER}: long known. */
  long changedSince = NEVER;

  /** What became of its runs has to be found out before anything else happens. */
  boolean unsettled;

  /** Runs of links that nobody tells again: forgotten with the next write. */
  private Set<String> settledLinks = Set.of();

  /** It was said that a clock far ahead has silenced it. */
  boolean held;

  @Nullable Moving moving;

  public Job(@Nullable JobSpec spec, JobState state) {
    this.identity = state.identity(); // the state's own, not an equal one: it is most of a job
    this.spec = spec;
    this.state = state;
  }

  /** An event that waits for the steps before it, and who wants to know when it is done. */
  record Waiting(JobEvent event, @Nullable CompletableFuture<Answer> reply) {}

  /**
   * The part of a job that exists only while a step is on its way to the disk, or while it is
   * settled.
   */
  static final class Moving {
    final Queue<Waiting> waiting = new ArrayDeque<>(2);
    final Set<String> recovering = new HashSet<>(2);

    /** What is done once the job rests. */
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

  /** What its present step has led to comes next. */
  void happensNext(JobEvent event) {
    moving().waiting.add(new Waiting(event, null));
  }

  /** An event is durable: the past of the schedule that the file has now may be dropped by it. */
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
    return present == null ? RunRules.DEFAULT : present.rules();
  }

  public boolean suspended() {
    return state.suspended() || policy().suspend();
  }

  @Override
  public int compareTo(Job other) {
    return identity.compareTo(other.identity);
  }
}
