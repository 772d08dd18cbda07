package dev.kron.simulation;

import dev.kron.store.JobStates;
import dev.kron.store.MalformedStateException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;

/** Faults that chance, bad disks and other versions do to files and processes. */
final class InjectedFaults {
  private final Machine machine;
  private final Witness witness;

  InjectedFaults(Machine machine, Witness witness) {
    this.machine = machine;
    this.witness = witness;
  }

  void happen(HistoryStep step, boolean daemonIsThere) {
    switch (step.kind()) {
      case DAMAGE -> damage(Files.identity(Entries.name(step.which())));
      case SERVICE_DAMAGE -> damageServices();
      case KILL_KEEPER, KILL_COMMAND -> kill(step);
      case OLD_VERSION, NEWER_VERSION -> otherVersion(step, daemonIsThere);
      case VANISH ->
          new Vanishing(machine, witness)
              .happen(
                  Vanishing.KINDS.get((int) step.amount()),
                  new SplittableRandom(step.seed()),
                  step.which());
      default -> throw new IllegalArgumentException(step.toString());
    }
  }

  private void damage(String identity) {
    if (damage(Machine.STATE.resolve(JobStates.fileName(identity)))) {
      witness.losses().damaged(identity);
    }
  }

  private void damageServices() {
    if (damage(ServiceWitness.FILE)) {
      witness.services().damaged();
    }
  }

  private boolean damage(Path file) {
    byte[] content = machine.disk.content(file);
    if (content == null || content.length == 0) {
      return false;
    }
    byte[] damaged = content.clone();
    if (machine.random().nextBoolean()) {
      damaged = new byte[machine.random().nextInt(content.length / 2 + 1)];
      System.arraycopy(content, 0, damaged, 0, damaged.length);
    } else {
      damaged[0] = 'X';
    }
    machine.disk.replace(file, damaged);
    return true;
  }

  private void kill(HistoryStep step) {
    List<SimulatedProcess> ours =
        machine.processes.living().stream()
            .filter(
                it ->
                    it.kind
                        == (step.kind() == HistoryStep.Kind.KILL_KEEPER
                            ? SimulatedProcess.Kind.KEEPER
                            : SimulatedProcess.Kind.COMMAND))
            .toList();
    if (ours.isEmpty()) {
      return;
    }
    SimulatedProcess process = ours.get(step.which() % ours.size());
    machine.trace.say(
        () -> "somebody kills " + process.kind + " " + process.identity + " " + process.run);
    if (process.kind == SimulatedProcess.Kind.KEEPER) {
      machine.processes.end(process);
    } else {
      machine.keepers.end(machine.keepers.of(process), 137, 9);
    }
  }

  /** The files become those of an older daemon, or of a newer one, while no daemon is there. */
  private void otherVersion(HistoryStep step, boolean daemonIsThere) {
    if (daemonIsThere) {
      return;
    }
    boolean toNewer = step.kind() == HistoryStep.Kind.NEWER_VERSION;
    for (String name : machine.disk.names(Machine.STATE)) {
      Path file = Machine.STATE.resolve(name);
      byte[] content = machine.disk.content(file);
      if (content != null && name.endsWith(".json")) {
        try {
          machine.disk.replace(file, Versions.write(content, "1", toNewer ? "2" : "0"));
        } catch (MalformedStateException e) {
          // Damaged, or of that version already.
        }
      }
    }
  }

  /** Whether a newer version has written to the state. */
  boolean isNewer() {
    return machine.disk.names(Machine.STATE).stream()
        .filter(name -> name.endsWith(".json"))
        .map(name -> machine.disk.content(Machine.STATE.resolve(name)))
        .anyMatch(content -> content != null && Versions.isWhole(content, "2"));
  }

  /** Goes back from the newer version to this one. */
  void downgrade() {
    for (String name : machine.disk.names(Machine.STATE)) {
      Path file = Machine.STATE.resolve(name);
      byte[] content = machine.disk.content(file);
      if (content != null && name.endsWith(".json")) {
        try {
          machine.disk.replace(file, Versions.write(content, "2", "1"));
        } catch (MalformedStateException e) {
          // It was never written by the newer one.
        }
      }
    }
  }
}
