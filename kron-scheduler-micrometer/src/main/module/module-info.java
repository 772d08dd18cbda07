/** Metrics and tracing of the scheduler. */
module dev.kron.scheduler.micrometer {
  requires static org.jspecify;
  requires transitive dev.kron.scheduler;
  requires transitive micrometer.core;
  requires transitive micrometer.observation;
  requires micrometer.commons;

  exports dev.kron.scheduler.micrometer;
}
