/** Leases, and the clock of a database that several instances share. */
module dev.kron.cluster {
  requires static org.jspecify;
  requires transitive java.sql;

  exports dev.kron.cluster;
}
