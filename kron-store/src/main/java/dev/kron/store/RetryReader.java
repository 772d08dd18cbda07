package dev.kron.store;

import dev.kron.job.HistoryEntry;
import dev.kron.job.Retry;

/**
 * The reader of a waiting retry. Its period, cause and number follow from the attempt before it.
 */
final class RetryReader {
  private RetryReader() {}

  static Retry read(JsonCursor cursor) throws MalformedStateException {
    HistoryEntry failed = null;
    long notBefore = Timestamps.EMPTY;
    String fingerprint = "";
    cursor.expect('{');
    if (!cursor.take('}')) {
      do {
        cursor.readKey();
        switch (cursor.key()) {
          case "NotBefore" -> notBefore = cursor.readMillis();
          case "ScheduleFingerprint" -> fingerprint = cursor.readString();
          case "Failed" -> failed = HistoryReader.read(cursor);
          default -> cursor.skipValue();
        }
      } while (cursor.take(','));
      cursor.expect('}');
    }
    if (failed == null || failed.runId() == null || notBefore == Timestamps.EMPTY) {
      throw cursor.malformed("a Retry has Failed and NotBefore");
    }
    return new Retry(failed, notBefore, fingerprint);
  }
}
