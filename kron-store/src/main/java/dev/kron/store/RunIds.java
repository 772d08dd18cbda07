package dev.kron.store;

import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;

/**
 * Makes ids of runs: unique for ever, in the order in which they were made, safe as file names. Ten
 * characters tell the millisecond, sixteen are random (80 bits); within a millisecond, and where
 * the clock went back, the random part counts up instead.
 */
public final class RunIds {
  private static final char[] DIGITS = "0123456789abcdefghjkmnpqrstvwxyz".toCharArray();
  private static final int TIME_LENGTH = 10;
  private static final int HALF_LENGTH = 8;
  private static final long HALF = 1L << 40;

  private final RandomGenerator random;
  private long lastMillis = -1;
  private long high;
  private long low;

  /**
   * @param random a source that differs from one daemon to the next: {@code SecureRandom}
   */
  public RunIds(RandomGenerator random) {
    this.random = random;
  }

  public synchronized String next(long epochMillis) {
    if (epochMillis > lastMillis) {
      lastMillis = epochMillis;
      high = random.nextLong(HALF);
      low = random.nextLong(HALF);
    } else if (++low == HALF) {
      low = 0;
      if (++high == HALF) {
        high = 0;
        lastMillis++;
      }
    }
    StringBuilder id = new StringBuilder(TIME_LENGTH + 2 * HALF_LENGTH);
    digits(id, lastMillis, TIME_LENGTH);
    digits(id, high, HALF_LENGTH);
    digits(id, low, HALF_LENGTH);
    return id.toString();
  }

  /**
   * The id of a run that follows another in a chain: derived, so that it is the same however often
   * it is told. It has the time of the success, and 80 bits of SHA-256 over the other's id, the
   * identity of its own job, and the attempt, separated by newlines.
   */
  public static String following(long epochMillis, String cause, String identity, int attempt) {
    byte[] hash = Hashes.sha256(cause + "\n" + identity + "\n" + attempt);
    StringBuilder id = new StringBuilder(TIME_LENGTH + 2 * HALF_LENGTH);
    digits(id, epochMillis, TIME_LENGTH);
    digits(id, ByteBuffer.wrap(hash).getLong() >>> 24, HALF_LENGTH);
    digits(id, ByteBuffer.wrap(hash, 5, 8).getLong() >>> 24, HALF_LENGTH);
    return id.toString();
  }

  private static void digits(StringBuilder id, long value, int count) {
    for (int shift = (count - 1) * 5; shift >= 0; shift -= 5) {
      id.append(DIGITS[(int) (value >>> shift) & 31]);
    }
  }

  /** Whether it could be one: nothing else is ever taken for a run's directory. */
  public static boolean isRunId(String text) {
    if (text.length() != TIME_LENGTH + 2 * HALF_LENGTH) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean letter = c >= 'a' && c <= 'z' && c != 'i' && c != 'l' && c != 'o' && c != 'u';
      if (!letter && (c < '0' || c > '9')) {
        return false;
      }
    }
    return true;
  }

  /** The millisecond at which it was made. */
  public static long epochMillis(String runId) {
    long value = 0;
    for (int i = 0; i < TIME_LENGTH; i++) {
      int digit = new String(DIGITS).indexOf(runId.charAt(i));
      if (digit < 0) {
        throw new IllegalArgumentException("not a run id: " + runId);
      }
      value = value << 5 | digit;
    }
    return value;
  }
}
