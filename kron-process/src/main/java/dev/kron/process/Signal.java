package dev.kron.process;

import java.util.Locale;
import java.util.Optional;

/** The signals that Kron sends, with Linux's numbers. */
public enum Signal {
  HUP(1),
  INT(2),
  QUIT(3),
  ABRT(6),
  KILL(9),
  USR1(10),
  USR2(12),
  ALRM(14),
  TERM(15),
  CONT(18),
  STOP(19),
  WINCH(28);

  private final int number;

  Signal(int number) {
    this.number = number;
  }

  public int number() {
    return number;
  }

  /** The signal with this number, which must be one of these. */
  public static Signal of(int number) {
    for (Signal signal : values()) {
      if (signal.number == number) {
        return signal;
      }
    }
    throw new IllegalArgumentException("no signal that Kron sends: " + number);
  }

  /** Reads {@code SIGTERM} or {@code TERM}, in either case. */
  public static Optional<Signal> of(String text) {
    String upper = text.toUpperCase(Locale.ROOT);
    String name = upper.startsWith("SIG") ? upper.substring(3) : upper;
    for (Signal signal : values()) {
      if (signal.name().equals(name)) {
        return Optional.of(signal);
      }
    }
    return Optional.empty();
  }
}
