package dev.kron.job;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The hash that is published together with what is made of it. */
final class Sha256 {
  private Sha256() {}

  static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new LinkageError("every Java platform has SHA-256", e);
    }
  }
}
