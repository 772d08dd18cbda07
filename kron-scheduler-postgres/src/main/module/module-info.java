/** The scheduler's tasks in PostgreSQL, for any number of instances. */
module dev.kron.scheduler.postgres {
  requires static org.jspecify;
  requires dev.kron.cluster;
  requires transitive dev.kron.scheduler;
  requires transitive java.sql;

  exports dev.kron.scheduler.postgres;
}
