package dev.kron.daemon.api;

/**
 * The sender of a request.
 *
 * @param uid the user id; {@link #NOBODY} if it is not known
 */
public record Visitor(String name, int uid, Authority authority) {
  public static final int NOBODY = -1;
}
