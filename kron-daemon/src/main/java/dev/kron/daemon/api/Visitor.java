package dev.kron.daemon.api;

/**
 * Somebody at the door.
 *
 * @param uid their number, {@link #NOBODY} where that is not known
 */
public record Visitor(String name, int uid, Authority authority) {
  public static final int NOBODY = -1;
}
