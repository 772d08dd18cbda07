package dev.kron.daemon.log;

/** Both ways in which the daemon tells of itself: its log, and its counters with their faults. */
public record Reports(EventLog log, Meters meters) {}
