package dev.kron.schedule;

import dev.kron.cron.ZoneTimeline;
import java.nio.charset.StandardCharsets;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * SHA-256 over identity, period key and salt.
 *
 * <p>A digest is costly to make and not thread-safe, so a few are kept in slots. Whoever takes one
 * empties its slot and puts it back afterwards; whoever finds the slot empty makes a new one.
 * Nothing waits, nothing is bound to a thread (there may be a million virtual ones), and slots are
 * spread by identity.
 */
final class SeedHash {
  private static final int SLOTS = 64;
  private static final int KEPT_BYTES = 1024;
  private static final int HASH_BYTES = 32;
  private static final AtomicReferenceArray<SeedHash> KEPT = new AtomicReferenceArray<>(SLOTS);

  private final MessageDigest digest;
  private byte[] material = new byte[256];

  /** The identity that the material begins with; jobs are asked about several times in a row. */
  private String identity = "";

  private int identityBytes;
  private final byte[] hash = new byte[HASH_BYTES];

  private SeedHash() {
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new LinkageError("every Java platform has SHA-256", e);
    }
  }

  /** The state that a period's stream begins with: the hash's first eight bytes, big-endian. */
  static long state(String identity, Seed seed, ZoneTimeline clock, long nominal) {
    int slot = (identity.hashCode() * 0x9E3779B9) >>> 26;
    SeedHash taken = KEPT.getAndSet(slot, null);
    SeedHash hash = taken == null ? new SeedHash() : taken;
    hash.compute(identity, seed, clock, nominal);
    long state = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      state = (state << 8) | (hash.hash[i] & 0xff);
    }
    if (hash.material.length <= KEPT_BYTES) {
      KEPT.lazySet(slot, hash);
    }
    return state;
  }

  /** The whole hash in lower-case hexadecimal digits. */
  static String hex(String identity, Seed seed, ZoneTimeline clock, long nominal) {
    SeedHash hash = new SeedHash();
    hash.compute(identity, seed, clock, nominal);
    return HexFormat.of().formatHex(hash.hash);
  }

  private void compute(String identity, Seed seed, ZoneTimeline clock, long nominal) {
    if (!identity.equals(this.identity)) {
      identityBytes = write(identity, 0);
      this.identity = identity;
    }
    int at = identityBytes;
    material[at++] = '\n';
    at = PeriodKey.write(seed.strategy(), clock, nominal, material, at);
    material[at++] = '\n';
    at = write(seed.salt(), at);
    digest.update(material, 0, at);
    try {
      digest.digest(hash, 0, HASH_BYTES);
    } catch (DigestException e) {
      throw new IllegalStateException("a SHA-256 hash has 32 bytes", e);
    }
  }

  /** Writes a text in UTF-8 and leaves room for the longest key and two line ends after it. */
  private int write(String text, int start) {
    int length = text.length();
    reserve(start + length);
    byte[] to = material;
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      if (c >= 0x80) {
        return writeEncoded(text, start);
      }
      to[start + i] = (byte) c;
    }
    return start + length;
  }

  private int writeEncoded(String text, int start) {
    byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
    reserve(start + encoded.length);
    System.arraycopy(encoded, 0, material, start, encoded.length);
    return start + encoded.length;
  }

  private void reserve(int bytes) {
    int needed = bytes + PeriodKey.LONGEST + 2;
    if (needed > material.length) {
      byte[] longer = new byte[Math.max(needed, 2 * material.length)];
      System.arraycopy(material, 0, longer, 0, material.length);
      material = longer;
    }
  }
}
