package dev.kron.daemon.log;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The parts of the daemon that do not work at present, and why. A part reports a fault under a name
 * of its own and clears it when it works again; a daemon with a fault is not healthy. Every method
 * may be called from any thread.
 */
public final class Faults {
  private final Map<String, Fault> standing = new ConcurrentSkipListMap<>();
  private final LongAdder raised = new LongAdder();

  /**
   * A part that does not work.
   *
   * @param component its name: {@code worker}, {@code output} …
   * @param sinceMillis when it was first reported, wall clock
   * @param message the latest report
   */
  public record Fault(String component, long sinceMillis, String message) {}

  /** Reports a fault; a fault that stands already keeps its time. */
  public void raise(String component, long nowMillis, String message) {
    raised.increment();
    standing.merge(
        component,
        new Fault(component, nowMillis, message),
        (before, now) -> new Fault(component, before.sinceMillis(), message));
  }

  /** Clears a fault: the part works again. */
  public void clear(String component) {
    standing.remove(component);
  }

  /**
   * Reports or clears a fault.
   *
   * @param problem null if the part works
   */
  public void about(String component, long nowMillis, @Nullable String problem) {
    if (problem == null) {
      clear(component);
    } else {
      raise(component, nowMillis, problem);
    }
  }

  /** The faults that were not cleared, by name. */
  public List<Fault> standing() {
    return List.copyOf(standing.values());
  }

  /** The number of faults that were ever reported. */
  public long raised() {
    return raised.sum();
  }
}
