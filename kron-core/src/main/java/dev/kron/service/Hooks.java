package dev.kron.service;

import java.util.List;

/**
 * The hooks of a service; a command without words is none.
 *
 * @param onFailure the command that is told when an instance has failed for good
 * @param timeoutMillis how long each of the others may take before it is ended
 */
public record Hooks(
    List<String> beforeStart,
    List<String> afterStop,
    List<String> reload,
    List<String> onFailure,
    long timeoutMillis) {
  public static final long STANDARD_TIMEOUT_MILLIS = 30_000;

  /** The key of {@code onFailure} in a service file; it is no {@link Hook} of the machine's. */
  public static final String ON_FAILURE = "onfailure";

  public static final Hooks NONE =
      new Hooks(List.of(), List.of(), List.of(), List.of(), STANDARD_TIMEOUT_MILLIS);

  public Hooks {
    beforeStart = List.copyOf(beforeStart);
    afterStop = List.copyOf(afterStop);
    reload = List.copyOf(reload);
    onFailure = List.copyOf(onFailure);
    if (timeoutMillis <= 0) {
      throw new IllegalArgumentException(timeoutMillis + " ms for a hook: has to be above 0");
    }
  }

  /** The words of a hook; empty: there is none. */
  public List<String> words(Hook hook) {
    return switch (hook) {
      case BEFORE_START -> beforeStart;
      case AFTER_STOP -> afterStop;
      case RELOAD -> reload;
    };
  }

  public boolean has(Hook hook) {
    return !words(hook).isEmpty();
  }
}
