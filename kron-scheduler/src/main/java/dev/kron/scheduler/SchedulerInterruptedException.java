package dev.kron.scheduler;

/**
 * A thread was interrupted while it waited in {@code stop} (or in an {@code initialize} that waited
 * for a stop). Its interrupt flag is set again. The scheduler goes on stopping: it starts nothing
 * more, and another {@code stop} waits for the rest. Or it was interrupted while it waited for one
 * task to be run, paused or resumed, which may still happen.
 */
public final class SchedulerInterruptedException extends SchedulerException {
  private static final long serialVersionUID = 1L;

  SchedulerInterruptedException(String operation, InterruptedException cause) {
    super("Interrupted while waiting in " + operation + "(): " + consequence(operation), cause);
  }

  private static String consequence(String operation) {
    return switch (operation) {
      case "initialize", "stop" ->
          "the scheduler keeps stopping and starts nothing more; call stop() again to wait for the"
              + " callbacks that still run";
      default -> "what was asked for may still happen";
    };
  }
}
