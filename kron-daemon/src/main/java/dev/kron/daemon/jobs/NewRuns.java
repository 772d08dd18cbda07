package dev.kron.daemon.jobs;

import java.util.function.Supplier;

/**
 * The names of runs to come.
 *
 * @param ids a new one each time
 * @param bootId of the boot in which they begin
 */
public record NewRuns(Supplier<String> ids, String bootId) {
  String nextId() {
    return ids.get();
  }
}
