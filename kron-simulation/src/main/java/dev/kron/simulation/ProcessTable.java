package dev.kron.simulation;

import dev.kron.process.ProcessIdentity;
import dev.kron.process.Run;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The processes of one boot. There are few pids, so that they are given out again soon, and often
 * at once to a stranger.
 */
final class ProcessTable {
  private static final int FIRST_PID = 300;
  private static final int PIDS = 60;
  private static final long TICK_NANOS = 10_000_000L;
  private static final int STRANGERS = 20;

  private final SimulatedClock clock;
  private final TreeMap<Integer, SimulatedProcess> living = new TreeMap<>();
  private final Map<Integer, Long> lastTicks = new HashMap<>();
  private RandomGenerator random;
  private String bootId;
  private int boots;
  private int nextPid;

  ProcessTable(SimulatedClock clock, RandomGenerator random) {
    this.clock = clock;
    this.random = random;
    this.bootId = "boot-1";
    this.boots = 1;
  }

  void luck(RandomGenerator other) {
    random = other;
  }

  String bootId() {
    return bootId;
  }

  /** All processes are gone, and nothing of it was told. */
  void reboot() {
    living.values().forEach(process -> process.alive = false);
    living.clear();
    lastTicks.clear();
    boots++;
    bootId = "boot-" + boots;
  }

  SimulatedProcess start(SimulatedProcess.Kind kind, @Nullable Run run) {
    long ticks = clock.bootNanos() / TICK_NANOS;
    int pid = FIRST_PID + nextPid;
    // The kernel does not give a pid out twice within one tick.
    while (living.containsKey(pid) || lastTicks.getOrDefault(pid, -1L) == ticks) {
      nextPid++;
      pid = living.size() >= PIDS ? FIRST_PID + nextPid : FIRST_PID + nextPid % PIDS;
    }
    nextPid = random.nextInt(PIDS);
    return put(pid, ticks, kind, run);
  }

  private SimulatedProcess put(int pid, long ticks, SimulatedProcess.Kind kind, @Nullable Run run) {
    var process =
        new SimulatedProcess(new ProcessIdentity(pid, ticks, bootId), clock.bootNanos(), kind, run);
    living.put(pid, process);
    lastTicks.put(pid, ticks);
    return process;
  }

  /** A process ends; a stranger may get its pid at once. */
  void end(SimulatedProcess process) {
    if (!process.alive) {
      return;
    }
    process.alive = false;
    int pid = process.identity.pid();
    living.remove(pid);
    long ticks = clock.bootNanos() / TICK_NANOS;
    if (random.nextBoolean() && lastTicks.getOrDefault(pid, -1L) != ticks) {
      makeRoomForAStranger();
      put(pid, ticks, SimulatedProcess.Kind.STRANGER, null);
    }
    List.copyOf(process.watchers).forEach(watcher -> watcher.accept(process));
  }

  private void makeRoomForAStranger() {
    List<SimulatedProcess> strangers = new ArrayList<>();
    for (SimulatedProcess process : living.values()) {
      if (process.kind == SimulatedProcess.Kind.STRANGER) {
        strangers.add(process);
      }
    }
    if (strangers.size() >= STRANGERS) {
      SimulatedProcess leaving = strangers.get(random.nextInt(strangers.size()));
      leaving.alive = false;
      living.remove(leaving.identity.pid());
    }
  }

  /** The living process that is meant: pid, start time and boot. */
  @Nullable SimulatedProcess find(ProcessIdentity identity) {
    SimulatedProcess process = living.get(identity.pid());
    return process != null && process.identity.equals(identity) ? process : null;
  }

  /** Whether a process of the run with this directory is alive. */
  boolean isIn(@Nullable Path directory) {
    for (SimulatedProcess process : living.values()) {
      if (process.run != null && process.run.directory().equals(directory)) {
        return true;
      }
    }
    return false;
  }

  List<SimulatedProcess> living() {
    return List.copyOf(living.values());
  }
}
