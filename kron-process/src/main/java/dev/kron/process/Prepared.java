package dev.kron.process;

/** A run that is ready to start and has not begun. Either way out may be taken once. */
public interface Prepared {

  /** Lets the run begin. */
  LaunchResult start();

  /** Lets it go; the run never began. */
  void discard();
}
