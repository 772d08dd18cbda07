package dev.kron.daemon.jobs;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The names of runs to come.
 *
 * @param ids a new one each time
 * @param bootId of the boot in which they begin
 * @param boots the periods of boots, null: there are none
 */
public record NewRuns(Supplier<String> ids, String bootId, @Nullable BootPeriods boots) {
  /** Without periods of boots. */
  public NewRuns(Supplier<String> ids, String bootId) {
    this(ids, bootId, null);
  }

  String nextId() {
    return ids.get();
  }
}
