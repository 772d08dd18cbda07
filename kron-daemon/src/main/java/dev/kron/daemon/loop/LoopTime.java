package dev.kron.daemon.loop;

/** Time as the loop knows it: the clocks, the timers that go by them, and who watched them. */
public record LoopTime(Clocks clocks, Timers timers, Presence presence) {}
