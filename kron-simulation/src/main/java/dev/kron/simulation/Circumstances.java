package dev.kron.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The things that the present daemon could know, see and do: what must hold depends on them. */
final class Circumstances {
  private static final long SECOND = 1_000_000_000L;

  /** The time between a moment and what follows from it, where nothing stands in the way. */
  private static final long SOON_NANOS = 3 * SECOND;

  /** The same where the disk is slow. */
  private static final long SLOW_NANOS = 90 * SECOND;

  private static final long SLOWEST_WRITE_NANOS = 10 * SECOND;

  private final Machine machine;

  /** The daemon's jobs as they are now; null while that is changing. */
  @Nullable Map<String, JobEntry> entries;

  /** The jobs as they were before that. */
  Map<String, JobEntry> known = Map.of();

  /** The moment since when the daemon has certainly been there without an absence; wall clock. */
  long presentSinceMillis;

  /**
   * The moment since when nothing happened that could have kept it from seeing anything; wall
   * clock.
   */
  long undisturbedSinceMillis;

  /** The next state that becomes durable may have been decided before an absence. */
  boolean undecided;

  /** When writing last did not work. */
  long troubledNanos = Long.MIN_VALUE / 2;

  /** Reading has failed, ever. */
  boolean readErrors;

  /** The moment until when written states may lack what could not be read. */
  long readErrorsNanos = Long.MIN_VALUE / 2;

  /** When somebody last set the clock. */
  long clockSetNanos = Long.MIN_VALUE / 2;

  /** Jobs that were in force before, as long as what begins may have been decided by them. */
  private final List<Map<String, JobEntry>> former = new ArrayList<>();

  /** The jobs that were read last, which may be taken over at any moment. */
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

  /** The daemon has taken these jobs over. */
  void taken(Map<String, JobEntry> now) {
    if (isSettled()) {
      former.clear();
    }
    former.add(known);
    takenNanos = machine.clock.nanos();
    known = now;
    entries = now;
  }

  /** The entries by which a run may have been made that is launched now. */
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

  /** Whether all that begins now was decided by the files in force. */
  boolean isSettled() {
    long now = machine.clock.nanos();
    return entries != null && now - takenNanos > SLOW_NANOS && now - troubledNanos > SLOW_NANOS;
  }

  private static void add(List<JobEntry> all, @Nullable JobEntry entry) {
    if (entry != null) {
      all.add(entry);
    }
  }

  /** The entry of a job in its file; null: it is in none, or that is changing. */
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

  /** The daemon is there no more. */
  void gone() {
    there = false;
  }

  /** The daemon is stopped, or goes on. */
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

  /** The daemon is slow no more. */
  void quick() {
    slow = false;
    hindered(machine.clock.nanos() + SLOWEST_WRITE_NANOS); // one may be under way
  }

  /** An event that may keep the daemon from seeing or doing something. */
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

  /** The moment since when the daemon could do what it has to. */
  long freeSinceNanos() {
    return Math.max(hinderedNanos, busyUntilNanos);
  }
}
