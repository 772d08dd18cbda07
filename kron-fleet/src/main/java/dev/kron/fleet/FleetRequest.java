package dev.kron.fleet;

/**
 * A request of an operator. The id comes from whoever asks, so that asking twice is harmless.
 *
 * @param by who asks, for people
 */
public record FleetRequest(String id, String by, What what) {

  /** One of the things that can be asked for. */
  public sealed interface What {}

  /**
   * Run a job now.
   *
   * @param node name of the node that is to do it, empty: any
   * @param expiresMillis how long it may take until somebody begins
   */
  public record Trigger(String identity, String node, long expiresMillis) implements What {}

  /** Claim nothing of a job any more; when that is confirmed, it is so. */
  public record Suspend(String identity) implements What {}

  /** Claim again. */
  public record Resume(String identity) implements What {}

  /** A lost run holds its job no longer. */
  public record Release(String run) implements What {}

  /**
   * The machine is off for good: its runs are released, and it is never let in again. One that
   * lives is not removed.
   *
   * @param node its name, or its UUID
   */
  public record Remove(String node) implements What {}
}
