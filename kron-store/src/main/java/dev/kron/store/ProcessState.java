package dev.kron.store;

import dev.kron.service.FailureReason;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of a supervised process as it is written down. Inactive is {@link Stopped} without an
 * exit code; the others bear the supervisor's names.
 *
 * <p>In the file a state without fields is its name, {@code "Running"}; one with fields is an
 * object of one member, {@code {"Exited": {"exit_code": 0, "exited_at": "…"}}}.
 */
public sealed interface ProcessState {

  /** A process is there, or is about to be: the supervisor's {@code is_active}. */
  default boolean isRunning() {
    return switch (this) {
      case Starting _, Running _, Stopping _ -> true;
      case Stopped _, Blocked _, Exited _, Failed _ -> false;
    };
  }

  /** Never started, or started no more. */
  record Stopped(@Nullable Integer exitCode) implements ProcessState {}

  /** By the names of services. */
  record Blocked(List<String> waitingOn, List<String> conflictsWith) implements ProcessState {
    public Blocked {
      waitingOn = List.copyOf(waitingOn);
      conflictsWith = List.copyOf(conflictsWith);
    }
  }

  record Starting() implements ProcessState {}

  record Running() implements ProcessState {}

  record Stopping() implements ProcessState {}

  /**
   * @param exitCode null: ended by a signal, or nobody knows how
   */
  record Exited(@Nullable Integer exitCode, Instant exitedAt) implements ProcessState {}

  record Failed(FailureReason reason, Instant failedAt) implements ProcessState {}
}
