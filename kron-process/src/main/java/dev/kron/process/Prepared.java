package dev.kron.process;

import java.io.IOException;

/** A run that is ready to start and has not begun. Either way out may be taken once. */
public interface Prepared {

  /**
   * Lets the run begin.
   *
   * @throws IOException as {@link Processes#launch}
   */
  LaunchResult start() throws IOException;

  /** Lets it go; the run never began. */
  void discard();
}
