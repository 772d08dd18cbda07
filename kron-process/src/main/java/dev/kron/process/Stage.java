package dev.kron.process;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The stage at which a start failed. */
public enum Stage {
  /** The user does not exist, or the daemon may not become that user. */
  USER,
  /** The group does not exist, or the daemon may not use it. */
  GROUP,
  /** A file with variables for the command cannot be used. */
  ENV,
  /** The working directory is not there or not open to the user. */
  CWD,
  /** The file for standard input cannot be opened. */
  STDIN,
  /** A file for output cannot be opened by the user. */
  OUTPUT,
  /** The command does not exist, or the user may not execute it. */
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
