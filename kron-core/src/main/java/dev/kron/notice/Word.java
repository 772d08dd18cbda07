package dev.kron.notice;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What a message is about. */
public enum Word {
  /** A run did not succeed, also where its end is unknown; a service is down for good. */
  FAILED,
  MISSED,
  UNSCHEDULABLE,
  SKIPPED,
  /** A run has not begun so long after its due time. */
  LATE,
  /** A run has not ended in the time that was expected. */
  LONG,
  /** A run was over sooner than it can be. */
  SHORT,
  /** A job had no success for so long. */
  SILENT,
  /** The problem is over. */
  RECOVERED,
  /** A service was started again several times within minutes. */
  FLAPPING,
  /** Something that the daemon is to do does not happen. */
  UNHEALTHY;

  /** As it stands in files and messages. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static @Nullable Word of(String text) {
    for (Word word : values()) {
      if (word.text().equals(text)) {
        return word;
      }
    }
    return null;
  }
}
