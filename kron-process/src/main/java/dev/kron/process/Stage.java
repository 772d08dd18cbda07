package dev.kron.process;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How far a start came before it failed. */
public enum Stage {
  /** The user does not exist, or we may not become it. */
  USER,
  /** The group does not exist, or we may not take it. */
  GROUP,
  /** The working directory is not there or not open to the user. */
  CWD,
  /** The file for standard input cannot be read. */
  STDIN,
  /** A file for output cannot be opened by the user. */
  OUTPUT,
  /** The command is not there, or the user may not execute it. */
  EXEC,
  /** The system refused another process. */
  SPAWN;

  /** The word that stands in records. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  static @Nullable Stage of(String text) {
    for (Stage stage : values()) {
      if (stage.text().equals(text)) {
        return stage;
      }
    }
    return null;
  }
}
