package dev.kron.store;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Hashes of job identities, which are the names of their files, and of contents. */
final class Hashes {
  static final int HEX_LENGTH = 64;

  private Hashes() {}

  /** {@code hex(sha256(identity))}. */
  static String hex(String identity) {
    return HexFormat.of().formatHex(sha256(identity));
  }

  /** {@code hex(sha256(content))}. */
  static String hex(byte[] content) {
    return HexFormat.of().formatHex(sha256(content));
  }

  static byte[] sha256(String text) {
    return sha256(text.getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] sha256(byte[] content) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(content);
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
