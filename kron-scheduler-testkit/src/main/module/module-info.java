/** A scheduler, and a cluster of them, on a clock that tests move. */
module dev.kron.scheduler.testkit {
  requires static org.jspecify;
  requires dev.kron.cluster;
  requires transitive dev.kron.scheduler;

  exports dev.kron.scheduler.testkit;
}
