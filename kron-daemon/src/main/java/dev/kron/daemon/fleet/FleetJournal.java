package dev.kron.daemon.fleet;

import dev.kron.daemon.fleet.FleetLines.DamagedException;
import dev.kron.daemon.fleet.FleetMemory.Given;
import dev.kron.fleet.NodeSession.Start;
import dev.kron.store.DiskException;
import dev.kron.store.LineJournal;
import java.util.List;
import java.util.UUID;

/**
 * The file {@code fleet} of a state directory. Everything is durable when a method returns, so none
 * is for the loop's thread.
 */
final class FleetJournal {
  private static final int WORTH_REWRITING = 2000;

  private final LineJournal file;
  private int appended;

  FleetJournal(LineJournal file) {
    this.file = file;
  }

  /** The memory of this node; a machine that is not a node yet becomes one. */
  synchronized FleetMemory read() throws DiskException, DamagedException {
    FleetMemory memory = FleetLines.read(file.read());
    if (memory == null) {
      return begin();
    }
    file.replace(FleetLines.of(memory));
    appended = 0;
    return memory;
  }

  /**
   * The machine becomes a node that no fleet has seen; what was remembered is kept aside for
   * people.
   */
  synchronized FleetMemory adopt() throws DiskException {
    file.keepAside();
    return begin();
  }

  private FleetMemory begin() throws DiskException {
    FleetMemory memory = FleetMemory.fresh(UUID.randomUUID());
    file.replace(FleetLines.of(memory));
    appended = 0;
    return memory;
  }

  synchronized void start(Start start) throws DiskException {
    append(List.of(FleetLines.start(start)));
  }

  synchronized void joined(Start start, long generation, long writes) throws DiskException {
    append(List.of(FleetLines.joined(start, generation, writes)));
  }

  synchronized void given(List<Given> runs, long writes) throws DiskException {
    append(runs.stream().map(run -> FleetLines.given(run, writes)).toList());
  }

  synchronized void told(List<String> runs, long writes) throws DiskException {
    append(List.of(FleetLines.told(runs, writes)));
    if (appended > WORTH_REWRITING) {
      try {
        FleetMemory memory = FleetLines.read(file.read());
        if (memory != null) {
          file.replace(FleetLines.of(memory));
        }
        appended = 0;
      } catch (DamagedException e) {
        appended = 0; // somebody has written to it; the next start says so
      }
    }
  }

  private void append(List<String> lines) throws DiskException {
    file.append(lines);
    appended += lines.size();
  }
}
