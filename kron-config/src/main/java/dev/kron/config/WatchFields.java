package dev.kron.config;

import dev.kron.job.JobWatch;
import dev.kron.schedule.GoDuration;
import dev.kron.text.VisibleText;

/** The fields of an entry with the time limits of notifications. */
final class WatchFields {
  private static final long LONGEST_MILLIS = 8784L * 3_600_000;

  private final Line line;
  private long late;
  private long expect;
  private long least;
  private long silent;

  WatchFields(Line line) {
    this.line = line;
  }

  void set(Key key, String value, int start) {
    switch (key) {
      case LATE -> late = millis(key, value, start);
      case EXPECT -> expect = millis(key, value, start);
      case LEAST -> least = millis(key, value, start);
      case SILENT -> silent = millis(key, value, start);
      default -> throw new IllegalArgumentException(key.text);
    }
  }

  private long millis(Key key, String value, int start) {
    try {
      long millis = GoDuration.parseNanos(value) / 1_000_000;
      if (millis >= 1000 && millis <= LONGEST_MILLIS) {
        return millis;
      }
      line.error(start, key.text + " is " + VisibleText.quote(value) + "; expected 1s to 8784h");
    } catch (IllegalArgumentException notADuration) {
      line.error(
          start, key.text + ": " + VisibleText.of(String.valueOf(notADuration.getMessage())));
    }
    return 0;
  }

  JobWatch watch() {
    return new JobWatch(late, expect, least, silent);
  }
}
