package dev.kron.daemon.log;

import dev.kron.store.PastEvent;
import java.util.function.Consumer;

/**
 * The means by which the daemon reports: its log, and its counters with their faults.
 *
 * @param past records events of services
 */
public record Reports(EventLog log, Meters meters, Consumer<PastEvent> past) {
  /** Reports without a record of services. */
  public Reports(EventLog log, Meters meters) {
    this(log, meters, event -> {});
  }
}
