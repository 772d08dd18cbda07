package dev.kron.store;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Job identities as names of files. */
final class Hashes {
  static final int HEX_LENGTH = 64;

  private Hashes() {}

  /** {@code hex(sha256(identity))}. */
  static String hex(String identity) {
    return HexFormat.of().formatHex(sha256(identity));
  }

  static byte[] sha256(String text) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return digest.digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  static boolean isHex(CharSequence text, int start, int end) {
    for (int i = start; i < end; i++) {
      char c = text.charAt(i);
      if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
        return false;
      }
    }
    return true;
  }
}
