package dev.kron.store;

import dev.kron.service.FailureReason;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The persisted state of a supervised process. {@code Inactive} becomes {@link Stopped} without an
 * exit code; the others keep the supervisor's names.
 *
 * <p>In the file, a state without fields is its name, {@code "Running"}; one with fields is an
 * object of one member, {@code {"Exited": {"exit_code": 0, "exited_at": "…"}}}.
 */
public sealed interface ProcessState {

  /** Whether a process is there or about to be: {@code is_active} of the specification. */
  default boolean isRunning() {
    return switch (this) {
      case Starting _, Running _, Stopping _ -> true;
      case Stopped _, Blocked _, Exited _, Failed _ -> false;
    };
  }

  /** The process was never started, or is not to be started again. */
  record Stopped(@Nullable Integer exitCode) implements ProcessState {}

  /** The process waits for these services, given by name. */
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
   * The process ended.
   *
   * @param exitCode null if a signal ended it or the code is unknown
   */
  record Exited(@Nullable Integer exitCode, Instant exitedAt) implements ProcessState {}

  record Failed(FailureReason reason, Instant failedAt) implements ProcessState {}
}
