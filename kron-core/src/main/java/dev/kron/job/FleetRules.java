package dev.kron.job;

/**
 * The part of an entry that a krontab of a fleet has and no other.
 *
 * @param path of the krontab below the directory of fleet krontabs, the same on every node
 * @param node name of the node whose files these are; no part of the definition
 */
public record FleetRules(String path, Placement on, Loss loss, String node) {
  private static final String PREFIX = "fleet:";

  /** What becomes of a run whose node is lost. */
  public enum Loss {
    /** It is never run again. */
    SKIP,
    /** Another node runs its period again. */
    RERUN
  }

  /** Whether an identity is that of a job of a fleet. */
  public static boolean isOfFleet(String identity) {
    return identity.startsWith(PREFIX);
  }

  /** What the jobs of its file are known by, but for their names. */
  String prefix() {
    return PREFIX + path + ":";
  }
}
