package dev.kron.scheduler;

/** What a task does. It runs on a virtual thread of its own; whatever it throws is a failed run. */
@FunctionalInterface
public interface Callback {
  void run() throws Exception;
}
