package dev.kron.process;

import java.io.IOException;

/** A run that is ready to start and has not begun. It is either started or discarded, once. */
public interface Prepared {

  /**
   * Lets the run begin.
   *
   * @throws IOException as {@link Processes#launch}
   */
  LaunchResult start() throws IOException;

  /** Ends the keeper; the run never began. */
  void discard();
}
