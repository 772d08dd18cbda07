package dev.kron.process;

/** A descriptor on which the command of a run reports that it is ready. */
interface ReadySource {

  /** The result of a look at what has come. */
  enum Heard {
    /** Nothing that matters, and nothing more is there now. */
    NOTHING,
    /** There may be more to read. */
    MORE,
    READY,
    /** Nothing that comes on this descriptor will ever matter. */
    NONSENSE
  }

  int descriptor();

  /** Reads a little of what has come, without waiting. */
  Heard read(Libc libc, Readiness.Listener listener);

  /** Whether it is to be read, and what is read dropped, after the command was ready. */
  boolean staysOpen();
}
