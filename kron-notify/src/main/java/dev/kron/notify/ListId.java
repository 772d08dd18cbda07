package dev.kron.notify;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The ids of lists follow from what is in them. */
final class ListId {
  private static final int BYTES = 10;

  private ListId() {}

  static String of(String ids) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(ids.getBytes(StandardCharsets.UTF_8));
      return "list-" + HexFormat.of().formatHex(digest, 0, BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }
}
