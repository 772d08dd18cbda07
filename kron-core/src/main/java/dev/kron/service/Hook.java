package dev.kron.service;

import java.util.Locale;
import java.util.Optional;

/** The commands that run beside the process of a service, as its user and bounded in time. */
public enum Hook {
  /** Before each start of the process, which is started only if this exits with 0. */
  BEFORE_START,
  /** After each end of the process, before anything else is started in its place. */
  AFTER_STOP,
  /** On request, while the process is running. */
  RELOAD;

  /** The key in a service file. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The hook with that key. */
  public static Optional<Hook> of(String text) {
    for (Hook hook : values()) {
      if (hook.text().equals(text)) {
        return Optional.of(hook);
      }
    }
    return Optional.empty();
  }
}
