package dev.kron.daemon.services;

import dev.kron.service.InstanceId;
import dev.kron.service.ServiceEffect;
import dev.kron.service.ServiceEvent;
import dev.kron.service.TimeoutKind;
import org.jspecify.annotations.Nullable;

/** Something that happened to services outside the loop. */
public sealed interface ServiceInput {
  /**
   * Something happened to a process of a service; what it is about says to which run it belongs.
   *
   * @param facts where more is known of the process now
   */
  record Happened(InstanceId instance, ServiceEvent event, @Nullable RunFacts facts)
      implements ServiceInput {}

  /**
   * A signal to end has been sent, or cannot be sent for now and is tried again.
   *
   * @param kind the wait for that end
   * @param atBootNanos when; the loop may hear of it much later
   */
  record Signalled(InstanceId instance, TimeoutKind kind, long atBootNanos)
      implements ServiceInput {}

  /** An alert is over: nothing is owed any more. */
  record AlertOver(InstanceId instance, String runId) implements ServiceInput {}

  /** A wait is over, and what may have ended it before was looked at. */
  record Waited(ServiceEffect.WakeAt wake) implements ServiceInput {}

  /**
   * A turn of services came back from the disk.
   *
   * @param failure null: it is durable
   */
  record Saved(@Nullable String failure) implements ServiceInput {}
}
