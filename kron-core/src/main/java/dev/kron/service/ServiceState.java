package dev.kron.service;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of one instance of a service. Moments are epoch millis, for people; what is measured is
 * measured by the boot clock and stands in {@link ServiceInstance}.
 */
public sealed interface ServiceState {

  /** The states without what belongs to them. */
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

  /** Configured and not started. */
  record Inactive() implements ServiceState {}

  /** Wanted up, and waiting; by the names of services. */
  record Blocked(List<String> waitingOn, List<String> conflictsWith) implements ServiceState {
    public Blocked {
      waitingOn = List.copyOf(waitingOn);
      conflictsWith = List.copyOf(conflictsWith);
    }
  }

  /**
   * Its process was intended or started, and is not ready.
   *
   * @param pid null until the process is there
   */
  record Starting(@Nullable Integer pid, long startedAt) implements ServiceState {}

  /**
   * Ready.
   *
   * @param pid null for a target, which has no process
   */
  record Running(@Nullable Integer pid, long readyAt) implements ServiceState {}

  /** Was told to end. */
  record Stopping(@Nullable Integer pid, long signalSentAt) implements ServiceState {}

  /**
   * Ended cleanly, or on request.
   *
   * @param exitCode null: nobody knows how, or a signal ended it on request
   */
  record Exited(@Nullable Integer exitCode, long exitedAt) implements ServiceState {}

  /** Ended or was ended because something went wrong. */
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

  /** Whether this satisfies who requires it; a oneshot that exited with 0 does so too. */
  default boolean isSatisfied() {
    return kind() == Kind.RUNNING;
  }

  /** Whether a process is there, or about to be. */
  default boolean isActive() {
    return switch (kind()) {
      case STARTING, RUNNING, STOPPING -> true;
      case INACTIVE, BLOCKED, EXITED, FAILED -> false;
    };
  }

  /** Whether a request to start means something. */
  default boolean canAttemptStart() {
    return switch (kind()) {
      case INACTIVE, EXITED, FAILED -> true;
      case BLOCKED, STARTING, RUNNING, STOPPING -> false;
    };
  }

  /** Of the process, where one is there and known. */
  default @Nullable Integer pid() {
    return null;
  }
}
