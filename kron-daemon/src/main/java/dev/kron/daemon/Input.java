package dev.kron.daemon;

import dev.kron.daemon.api.Snapshot;
import dev.kron.daemon.jobs.JobInput;
import dev.kron.daemon.jobs.Reload;
import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Request;
import dev.kron.daemon.services.ServiceInput;
import dev.kron.daemon.services.ServiceReading;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Something that happened outside the loop. */
sealed interface Input {
  /** Something that concerns jobs alone. */
  record OfJobs(JobInput input) implements Input {}

  /** Something that concerns services alone. */
  record OfServices(ServiceInput input) implements Input {}

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

  /** Something is to be done at a moment of the boot clock, beside the loop. */
  record Later(String key, long bootNanos, Runnable task) implements Input {}

  /** An operator asks for something; the answer completes the future. */
  record Asked(Request request, CompletableFuture<Answer> reply) implements Input {}

  /** Somebody wants to see all jobs as they are now. */
  record Looked(Consumer<Snapshot> viewer) implements Input {}

  /**
   * The files were read and checked, for a reload.
   *
   * @param dryRun only the difference is wanted
   */
  record FilesRead(Reading reading, boolean dryRun, CompletableFuture<Answer> reply)
      implements Input {}

  /** The new pasts that a reload brings are durable, or could not be written. */
  record Arrived(
      Reload reload,
      ServiceReading services,
      @Nullable String failure,
      CompletableFuture<Answer> reply)
      implements Input {}
}
