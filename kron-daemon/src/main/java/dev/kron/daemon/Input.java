package dev.kron.daemon;

import dev.kron.daemon.api.Snapshot;
import dev.kron.daemon.fleet.FleetInput;
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

  /** Something that concerns the fleet alone. */
  record OfFleet(FleetInput input) implements Input {}

  /** Something that concerns services alone. */
  record OfServices(ServiceInput input) implements Input {}

  /**
   * The result of a test whether state can be written.
   *
   * @param reason why it cannot; null if it can
   */
  record Probed(@Nullable String reason) implements Input {}

  /** State cannot be written, as was found out without writing any. */
  record Unwritable(String reason) implements Input {}

  /** The clocks show that the daemon was away. */
  record Away() implements Input {}

  /** A task to be done at a moment of the boot clock, wanted by another thread. */
  record Later(String key, long bootNanos, Runnable task) implements Input {}

  /** An operator's request; the answer completes the future. */
  record Asked(Request request, CompletableFuture<Answer> reply) implements Input {}

  /** A request for a snapshot of all jobs. */
  record Looked(Consumer<Snapshot> viewer) implements Input {}

  /**
   * The files were read and checked, for a reload.
   *
   * @param dryRun only the difference is wanted
   */
  record FilesRead(Reading reading, boolean dryRun, CompletableFuture<Answer> reply)
      implements Input {}

  /** The moments from which new and changed jobs count are durable, or could not be written. */
  record Arrived(
      Reload reload,
      ServiceReading services,
      @Nullable String failure,
      CompletableFuture<Answer> reply)
      implements Input {}
}
