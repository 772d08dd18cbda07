package dev.kron.service;

/** The way in which the process of a service reports that it is ready. */
public sealed interface ReadySignal {

  /** {@code READY=1} to the socket that {@code NOTIFY_SOCKET} names, as {@code sd_notify} does. */
  record Notify() implements ReadySignal {}

  /** A line on a descriptor that the process is started with. */
  record Descriptor(int number) implements ReadySignal {
    /** The lowest descriptor that is free in a new process. */
    public static final int LOWEST = 3;

    /** The highest descriptor that every shell can open. */
    public static final int HIGHEST = 9;

    public Descriptor {
      if (number < LOWEST || number > HIGHEST) {
        throw new IllegalArgumentException(
            "descriptor " + number + ", expected " + LOWEST + " to " + HIGHEST);
      }
    }
  }

  /** The word that a service file has for it. */
  default String text() {
    return switch (this) {
      case Notify() -> "notify";
      case Descriptor(int number) -> "fd:" + number;
    };
  }
}
