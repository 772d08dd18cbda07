package dev.kron.daemon.web;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Random words, hashes and signatures. */
final class RandomSecrets {
  static final int KEY_BYTES = 32;
  private static final String MAC = "HmacSHA256";
  private static final SecureRandom RANDOM = new SecureRandom();

  private RandomSecrets() {}

  /** A word of so many random bytes, for addresses and headers. */
  static String word(int bytes) {
    byte[] random = new byte[bytes];
    RANDOM.nextBytes(random);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
  }

  /** A random number of a range, both ends included. */
  static int number(int least, int most) {
    return RANDOM.nextInt(least, most + 1);
  }

  static byte[] hash(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Whether a text was signed with a key; the time that this takes reveals nothing about either.
   */
  static boolean isSigned(byte[] key, String text, String signature) {
    try {
      Mac mac = Mac.getInstance(MAC);
      mac.init(new SecretKeySpec(key, MAC));
      byte[] right = mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
      return MessageDigest.isEqual(right, Base64.getUrlDecoder().decode(signature));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
