package dev.kron.daemon.log;

import dev.kron.store.PastEvent;
import java.util.function.Consumer;

/**
 * The ways in which the daemon tells of itself: its log, and its counters with their faults.
 *
 * @param past keeps what happens to services
 */
public record Reports(EventLog log, Meters meters, Consumer<PastEvent> past) {
  /** Without a past. */
  public Reports(EventLog log, Meters meters) {
    this(log, meters, event -> {});
  }
}
