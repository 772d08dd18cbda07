package dev.kron.daemon;

import dev.kron.daemon.api.Snapshot;
import dev.kron.job.JobEvent;
import dev.kron.job.JobState;
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceEvent;
import dev.kron.store.CommitResult;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Something that happened outside the loop. */
sealed interface Input {

  /**
   * Something happened to a run.
   *
   * @param runId the run it belongs to, so that late answers are recognised
   */
  record Happened(String identity, String runId, JobEvent event) implements Input {}

  /**
   * What became of a run of this job could not be found out: the disk did not allow it.
   *
   * @param atMillis until when; the loop may hear of it much later
   */
  record HeldUp(String identity, long atMillis) implements Input {}

  /**
   * A run has a keeper, started now or found again.
   *
   * @param timeoutAtBootNanos when it has used up its time, {@link #NO_TIMEOUT}: never
   */
  record Began(String identity, String runId, JobEvent.Launched event, long timeoutAtBootNanos)
      implements Input {
    static final long NO_TIMEOUT = Long.MAX_VALUE;
  }

  /** A step came back from the disk. */
  record Committed(Write write, CommitResult result) implements Input {}

  /**
   * Writing was tried while it did not work.
   *
   * @param reason why it still does not, null where it works again
   */
  record Probed(@Nullable String reason) implements Input {}

  /** State cannot be written, as somebody found out without writing any. */
  record Unwritable(String reason) implements Input {}

  /** Somebody looked at the clocks, and there is time nobody saw. */
  record Away() implements Input {}

  /** An operator asks for something; the answer completes the future. */
  record Asked(Request request, CompletableFuture<Reply> reply) implements Input {}

  /** Somebody wants to see all jobs as they are now. */
  record Looked(Consumer<Snapshot> viewer) implements Input {}

  /**
   * What an operator wants to be forgotten was worked out elsewhere.
   *
   * @param from the state of the job from which it was
   */
  record Proposed(Forgetting.Wish wish, JobState from, JobEvent event) implements Input {}

  /**
   * The files were read and checked, for a reload.
   *
   * @param dryRun only the difference is wanted
   */
  record FilesRead(Reading reading, boolean dryRun, CompletableFuture<Reply> reply)
      implements Input {}

  /** The new pasts that a reload brings are durable, or could not be written. */
  record Arrived(
      Reload reload,
      ServiceReading services,
      @Nullable String failure,
      CompletableFuture<Reply> reply)
      implements Input {}

  /**
   * Something happened to a process of a service; what it is about says to which run it belongs.
   *
   * @param facts where more is known of the process now
   */
  record ServiceHappened(InstanceId instance, ServiceEvent event, @Nullable RunFacts facts)
      implements Input {}

  /**
   * A turn of services came back from the disk.
   *
   * @param failure null: it is durable
   */
  record ServicesSaved(@Nullable String failure) implements Input {}

  /** An answer to an operator. */
  sealed interface Reply {
    /**
     * @param runId of the run that was started, where one was
     */
    record Done(String message, @Nullable String runId) implements Reply {}

    /** What a reload has changed, or would change: identities. */
    record Planned(
        List<String> added, List<String> changed, List<String> removed, ServicePlan services)
        implements Reply {
      String summary() {
        String jobs =
            "%s added, %s changed, %s removed"
                .formatted(added.size(), changed.size(), removed.size());
        return services.isEmpty() ? jobs : jobs + "; services: " + services.summary();
      }
    }

    /**
     * It was understood, and cannot be done.
     *
     * @param details one reason each, where there are several
     */
    record Refused(String reason, List<String> details) implements Reply {
      Refused(String reason) {
        this(reason, List.of());
      }
    }
  }
}
