package dev.kron.notice;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The topic of a message. */
public enum Word {
  /** A run did not succeed, or its end is unknown; or a service is down for good. */
  FAILED,
  MISSED,
  UNSCHEDULABLE,
  SKIPPED,
  /** A run has not begun within the allowed time after it was due. */
  LATE,
  /** A run takes longer than expected. */
  LONG,
  /** A run ended sooner than it possibly can. */
  SHORT,
  /** A job had no success for longer than allowed. */
  SILENT,
  /** The problem is over. */
  RECOVERED,
  /** A service was restarted several times within minutes. */
  FLAPPING,
  /** The daemon cannot do something that it should do. */
  UNHEALTHY;

  /** The word as it stands in files and messages. */
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
