package dev.kron.fleet;

/**
 * A job in a node's files.
 *
 * @param row shared, or the node's own
 * @param definition the hash of all that the files say of it
 * @param fingerprint of its schedule: another one has no past
 * @param place where it runs: after a change only periods whose window starts later count
 * @param owner the node's name where the row is its own, otherwise empty: its choices depend on it
 */
public record NodeVote(
    RowKey row, String definition, String fingerprint, String place, String owner) {

  /** The place where a node's own row belongs. */
  public String ownPlace() {
    return place + "@" + owner;
  }

  /** The same for the row that is the node's own. */
  NodeVote own() {
    return new NodeVote(row, definition, fingerprint, ownPlace(), "");
  }
}
