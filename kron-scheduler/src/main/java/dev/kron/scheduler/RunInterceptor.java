package dev.kron.scheduler;

/**
 * Stands around every callback, on its thread: for tracing, for a transaction, for a security
 * context. What it throws is a failed run.
 */
@FunctionalInterface
public interface RunInterceptor {
  /** Runs the callback, once, in whatever surroundings it needs. */
  void around(RunContext run, Callback callback) throws Exception;
}
