package dev.kron.daemon.loop;

/**
 * Time as the loop sees it: the clocks, the timers that follow them, and the record of absences.
 */
public record LoopTime(Clocks clocks, Timers timers, Presence presence) {}
