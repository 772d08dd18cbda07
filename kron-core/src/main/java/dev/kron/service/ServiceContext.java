package dev.kron.service;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The surroundings of an instance when something happens.
 *
 * @param wanted up
 * @param waitingOn what has to be up, or out of the way, before it may start
 * @param conflictsWith who has to be gone before it may start
 * @param culprit who has given up, so that it cannot start; null: nobody
 * @param runIds a new name for a run
 * @param halt null: the daemon goes on
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
