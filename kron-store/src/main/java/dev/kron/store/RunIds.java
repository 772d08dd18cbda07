package dev.kron.store;

import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;

/**
 * The source of run ids: never used twice, sorted by time, safe as file names. Ten characters
 * encode the millisecond, sixteen are random (80 bits). Within a millisecond, and when the clock
 * goes back, the random part counts up instead.
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
   * A source of ids.
   *
   * @param random differs from one daemon to the next: {@code SecureRandom}
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
   * The id of a run that follows another in a chain. It is derived, so that it is the same however
   * often the link is told: the time of the success, and 80 bits of SHA-256 over the other run's
   * id, the identity of the following job, and the attempt, separated by newlines.
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

  /** Whether a text has the form of a run id; no other name is taken for a run's directory. */
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

  /** The millisecond in which an id was made. */
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
