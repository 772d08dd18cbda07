package dev.kron.job;

import org.jspecify.annotations.Nullable;

/**
 * The nodes of a fleet on which a job runs.
 *
 * @param label of the nodes that are meant, null: all of them
 * @param all whether each of these nodes runs every period for itself; otherwise one of them does
 */
public record Placement(@Nullable String label, boolean all) {
  /** One node, whichever: what a job without {@code on} has. */
  public static final Placement ANY = new Placement(null, false);

  /** Each node for itself. */
  public static final Placement ALL = new Placement(null, true);

  private static final String LABEL = "label:";
  private static final String EACH = ",all";

  /** Reads what stands behind {@code on=}, or gives null where it cannot be understood. */
  public static @Nullable Placement parse(String text) {
    if (text.equals("any")) {
      return ANY;
    }
    if (text.equals("all")) {
      return ALL;
    }
    if (!text.startsWith(LABEL)) {
      return null;
    }
    boolean all = text.endsWith(EACH);
    String label = text.substring(LABEL.length(), text.length() - (all ? EACH.length() : 0));
    return FleetNames.problem("the label", label) == null ? new Placement(label, all) : null;
  }

  /** As it is written in a krontab. */
  @Override
  public String toString() {
    return label == null ? all ? "all" : "any" : LABEL + label + (all ? EACH : "");
  }
}
