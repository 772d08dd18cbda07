package dev.kron.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the daemon that is there could know, see and do: what must hold depends on that. */
final class Circumstances {
  private static final long SECOND = 1_000_000_000L;

  /** What may pass between a moment and what follows from it, where nothing stands in the way. */
  private static final long SOON_NANOS = 3 * SECOND;

  /** The same where the disk is slow. */
  private static final long SLOW_NANOS = 90 * SECOND;

  private static final long SLOWEST_WRITE_NANOS = 10 * SECOND;

  private final Machine machine;

  /** What the daemon's jobs are now; null while that is changing. */
  @Nullable Map<String, JobEntry> entries;

  /** What they were before that. */
  Map<String, JobEntry> known = Map.of();

  /** Since when the daemon has certainly been there without an absence; wall clock. */
  long presentSinceMillis;

  /** Since when nothing happened that could have kept it from seeing anything; wall clock. */
  long undisturbedSinceMillis;

  /** What is made durable next may have been decided before an absence. */
  boolean undecided;

  /** When writing last did not work. */
  long troubledNanos = Long.MIN_VALUE / 2;

  /** Reading has failed, ever. */
  boolean readErrors;

  /** Until when what is written may lack what could not be read. */
  long readErrorsNanos = Long.MIN_VALUE / 2;

  /** When somebody last set the clock. */
  long clockSetNanos = Long.MIN_VALUE / 2;

  /** What was in force before, as long as what is begun may have been decided by it. */
  private final List<Map<String, JobEntry>> former = new ArrayList<>();

  /** What was read last, which may be taken over at any moment. */
  Map<String, JobEntry> read = Map.of();

  /** The daemon was told to leave: it starts nothing any more. */
  boolean leaving;

  private long takenNanos = Long.MIN_VALUE / 2;
  private boolean there;
  private boolean away;
  private boolean slow;
  private long busyUntilNanos;
  private long hinderedNanos;

  Circumstances(Machine machine) {
    this.machine = machine;
  }

  /** These are the daemon's jobs from now on. */
  void taken(Map<String, JobEntry> now) {
    if (isSettled()) {
      former.clear();
    }
    former.add(known);
    takenNanos = machine.clock.nanos();
    known = now;
    entries = now;
  }

  /** What a run that is launched now may have been made of. */
  List<JobEntry> inForce(String identity) {
    List<JobEntry> all = new ArrayList<>();
    add(all, known.get(identity));
    add(all, entries == null ? read.get(identity) : null);
    if (!isSettled()) {
      former.forEach(entries -> add(all, entries.get(identity)));
    }
    return all;
  }

  /** The same, of what was decided at that moment. */
  boolean isSettledSince(long decidedNanos) {
    return isSettled() && decidedNanos > takenNanos;
  }

  /** Nothing that is begun now was decided by other files than those in force. */
  boolean isSettled() {
    long now = machine.clock.nanos();
    return entries != null && now - takenNanos > SLOW_NANOS && now - troubledNanos > SLOW_NANOS;
  }

  private static void add(List<JobEntry> all, @Nullable JobEntry entry) {
    if (entry != null) {
      all.add(entry);
    }
  }

  /** What the file says of a job; null: it is in none, or that is changing. */
  @Nullable JobEntry entry(String identity) {
    Map<String, JobEntry> present = entries;
    return present == null ? null : present.get(identity);
  }

  /** A daemon came up. */
  void there() {
    there = true;
    leaving = false;
    hindered(machine.clock.nanos());
  }

  /** It is there no more. */
  void gone() {
    there = false;
  }

  /** It is stopped, or goes on. */
  void away(boolean now) {
    away = now;
    hindered(machine.clock.nanos());
  }

  void busy(long nanos) {
    busyUntilNanos = machine.clock.nanos() + nanos;
  }

  /** The disk takes its time from now on. */
  void slow() {
    slow = true;
    hindered(machine.clock.nanos());
  }

  /** It does no more. */
  void quick() {
    slow = false;
    hindered(machine.clock.nanos() + SLOWEST_WRITE_NANOS); // one may be under way
  }

  /** Something happened that may keep the daemon from seeing or doing. */
  void disturbed() {
    undisturbedSinceMillis = machine.clock.wallMillis();
    hindered(machine.clock.nanos());
  }

  /** Writing does not work: what was decided may become durable much later. */
  void unwritable() {
    undecided = true;
    troubledNanos = machine.clock.nanos();
    disturbed();
  }

  /** Whether the daemon has had the time to do what was to be done at that moment. */
  boolean hadTime(long dueNanos) {
    if (!there || away || machine.disk.troubled()) {
      return false;
    }
    long free = Math.max(hinderedNanos, busyUntilNanos);
    return machine.clock.nanos() > Math.max(dueNanos, free) + (slow ? SLOW_NANOS : SOON_NANOS);
  }

  private void hindered(long untilNanos) {
    hinderedNanos = Math.max(hinderedNanos, untilNanos);
  }

  /** Since when it could do what it has to. */
  long freeSinceNanos() {
    return Math.max(hinderedNanos, busyUntilNanos);
  }
}
