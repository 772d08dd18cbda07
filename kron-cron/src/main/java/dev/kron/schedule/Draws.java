package dev.kron.schedule;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Draws of the published stream over any material: SHA-256 seeds it, SplitMix64 goes on. */
public final class Draws {
  private Draws() {}

  /**
   * A draw of the stream over lines.
   *
   * @param number which draw, from 1
   * @param lines the material, joined by newlines
   * @return in [0, 1)
   */
  public static double of(int number, String... lines) {
    long state = state(String.join("\n", lines));
    for (int i = 0; i < number; i++) {
      state = SplitMix64.advance(state);
    }
    return SplitMix64.draw(state);
  }

  /** The state that a stream over some material begins with. */
  static long state(String material) {
    return ByteBuffer.wrap(hash(material)).getLong();
  }

  static byte[] hash(String material) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(material.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new LinkageError("every Java platform has SHA-256", e);
    }
  }
}
