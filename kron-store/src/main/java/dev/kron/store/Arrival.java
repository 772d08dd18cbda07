package dev.kron.store;

/**
 * The beginning of a job's past: the job was seen for the first time, its schedule changed, or its
 * state was lost.
 *
 * @param fingerprint of its schedule: printable ASCII without spaces
 * @param since epoch second from which due times count
 * @param pastLost whether its state was lost at {@code since}, so that a period whose window had
 *     begun may have run
 */
public record Arrival(String identity, String fingerprint, long since, boolean pastLost) {
  public Arrival {
    if (!isFingerprint(fingerprint) || fingerprint.isEmpty()) {
      throw new IllegalArgumentException(
          "a fingerprint is printable ASCII without spaces, not '" + fingerprint + "'");
    }
  }

  static boolean isFingerprint(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) <= ' ' || text.charAt(i) >= 0x7f) {
        return false;
      }
    }
    return true;
  }
}
