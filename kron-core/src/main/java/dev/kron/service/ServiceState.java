package dev.kron.service;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of one instance of a service. Times here are epoch milliseconds, for people; waits are
 * measured by the boot clock and stand in {@link ServiceInstance}.
 */
public sealed interface ServiceState {

  /** The states without their data. */
  enum Kind {
    INACTIVE("inactive", "[-]"),
    BLOCKED("blocked", "[?]"),
    STARTING("starting", "[>]"),
    RUNNING("running", "[+]"),
    STOPPING("stopping", "[!]"),
    EXITED("exited", "[.]"),
    FAILED("failed", "[X]");

    private final String text;
    private final String symbol;

    Kind(String text, String symbol) {
      this.text = text;
      this.symbol = symbol;
    }

    /** The word that people read. */
    public String text() {
      return text;
    }

    public String symbol() {
      return symbol;
    }
  }

  /** The service is configured and not started. */
  record Inactive() implements ServiceState {}

  /** The service is wanted up and waits for these services, given by name. */
  record Blocked(List<String> waitingOn, List<String> conflictsWith) implements ServiceState {
    public Blocked {
      waitingOn = List.copyOf(waitingOn);
      conflictsWith = List.copyOf(conflictsWith);
    }
  }

  /**
   * The process was intended or started, and the service is not ready yet.
   *
   * @param pid null until the process is there
   */
  record Starting(@Nullable Integer pid, long startedAt) implements ServiceState {}

  /**
   * The service is ready.
   *
   * @param pid null for a target, which has no process
   */
  record Running(@Nullable Integer pid, long readyAt) implements ServiceState {}

  /** The process was told to end. */
  record Stopping(@Nullable Integer pid, long signalSentAt) implements ServiceState {}

  /**
   * The process ended cleanly, or on request.
   *
   * @param exitCode null if it is unknown, or a signal ended the process on request
   */
  record Exited(@Nullable Integer exitCode, long exitedAt) implements ServiceState {}

  /** The service ended, or was ended, because something went wrong. */
  record Failed(FailureReason reason, long failedAt) implements ServiceState {}

  default Kind kind() {
    return switch (this) {
      case Inactive() -> Kind.INACTIVE;
      case Blocked blocked -> Kind.BLOCKED;
      case Starting starting -> Kind.STARTING;
      case Running running -> Kind.RUNNING;
      case Stopping stopping -> Kind.STOPPING;
      case Exited exited -> Kind.EXITED;
      case Failed failed -> Kind.FAILED;
    };
  }

  default String name() {
    return kind().text();
  }

  default String symbol() {
    return kind().symbol();
  }

  /**
   * Whether services that require this one may start; a oneshot that exited 0 satisfies them as
   * well.
   */
  default boolean isSatisfied() {
    return kind() == Kind.RUNNING;
  }

  /** Whether there is a process, or one is about to be started. */
  default boolean isActive() {
    return switch (kind()) {
      case STARTING, RUNNING, STOPPING -> true;
      case INACTIVE, BLOCKED, EXITED, FAILED -> false;
    };
  }

  /** Whether a request to start has an effect. */
  default boolean canAttemptStart() {
    return switch (kind()) {
      case INACTIVE, EXITED, FAILED -> true;
      case BLOCKED, STARTING, RUNNING, STOPPING -> false;
    };
  }

  /** The pid, if a process is there and known. */
  default @Nullable Integer pid() {
    return null;
  }
}
