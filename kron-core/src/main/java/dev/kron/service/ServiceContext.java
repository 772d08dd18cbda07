package dev.kron.service;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The circumstances of an instance when an event happens.
 *
 * @param wanted whether the service is wanted up
 * @param waitingOn the services that must be up, or past their start, before this one may start
 * @param conflictsWith the services that must be gone before this one may start
 * @param culprit the service whose failure prevents a start; null if there is none
 * @param runIds gives ids for new runs
 * @param halt null unless everything goes down
 */
public record ServiceContext(
    ServiceSpec spec,
    boolean wanted,
    List<String> waitingOn,
    List<String> conflictsWith,
    @Nullable String culprit,
    Moment now,
    Supplier<String> runIds,
    @Nullable Halt halt) {
  public ServiceContext {
    waitingOn = List.copyOf(waitingOn);
    conflictsWith = List.copyOf(conflictsWith);
  }
}
