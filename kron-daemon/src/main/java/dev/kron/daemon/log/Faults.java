package dev.kron.daemon.log;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Parts of the daemon that do not do their work now, and why. A part reports itself by a name of
 * its own and takes that back when it works again; a daemon with a standing fault is not healthy.
 * Every method may be called from any thread.
 */
public final class Faults {
  private final Map<String, Fault> standing = new ConcurrentSkipListMap<>();
  private final LongAdder raised = new LongAdder();

  /**
   * A part that does not work.
   *
   * @param component its name: {@code worker}, {@code output} …
   * @param sinceMillis when it was reported first, wall clock
   * @param message what was reported last
   */
  public record Fault(String component, long sinceMillis, String message) {}

  /** Reports a part; what stands already keeps its moment. */
  public void raise(String component, long nowMillis, String message) {
    raised.increment();
    standing.merge(
        component,
        new Fault(component, nowMillis, message),
        (before, now) -> new Fault(component, before.sinceMillis(), message));
  }

  /** The part works again. */
  public void clear(String component) {
    standing.remove(component);
  }

  /**
   * @param problem null: the part works
   */
  public void about(String component, long nowMillis, @Nullable String problem) {
    if (problem == null) {
      clear(component);
    } else {
      raise(component, nowMillis, problem);
    }
  }

  /** Faults that were raised and not cleared, by name. */
  public List<Fault> standing() {
    return List.copyOf(standing.values());
  }

  /** How many were ever raised. */
  public long raised() {
    return raised.sum();
  }
}
