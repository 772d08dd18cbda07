package dev.kron.fleet;

import org.jspecify.annotations.Nullable;

/**
 * The end of a run.
 *
 * @param claim of which it came
 * @param retryAtMillis when it is to be tried again, null: not at all
 */
public record Settlement(Claim claim, End end, @Nullable Long retryAtMillis) {

  /**
   * The end itself.
   *
   * @param outcome in a word: success, failed, unknown, missed
   * @param exitCode null where there is none, or nobody knows
   * @param beganMillis null: it never began
   * @param output the last of what a failed run wrote, where that is wanted; otherwise empty
   */
  public record End(
      String outcome,
      @Nullable Integer exitCode,
      @Nullable Long beganMillis,
      long endedMillis,
      String reason,
      String output) {}
}
