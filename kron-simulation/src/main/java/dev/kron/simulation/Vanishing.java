package dev.kron.simulation;

import dev.kron.store.JobStates;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** Files that a daemon needs are taken away, by somebody or by a bad disk. */
final class Vanishing {
  /** What is taken. */
  enum What {
    RUN,
    RECORD,
    ALL_RUNS,
    JOB,
    ARRIVALS,
    LEDGER,
    SUPERVISOR,
    WISHES,
    SERVICE_RUN,
    SERVICE_RECORD,
    BOOT,
    OUTBOX,
    ALL_OF_SERVICES
  }

  static final List<What> KINDS = List.of(What.values());

  /** The number of kinds, the first ones, that concern jobs. */
  static final int OF_JOBS = KINDS.indexOf(What.SUPERVISOR);

  /** The number of kinds, the first ones, that are there without boots and messages. */
  static final int PLAIN = KINDS.indexOf(What.BOOT);

  /** All that is known of services. */
  static final int ALL_OF_SERVICES = KINDS.indexOf(What.ALL_OF_SERVICES);

  /** The number of kinds that are there only with boots and messages. */
  static final int OF_MESSAGES = ALL_OF_SERVICES - PLAIN;

  private static final Path RUNS = Machine.STATE.resolve("runs");
  private static final Path SERVICE_RUNS = Machine.STATE.resolve("supervisor").resolve("runs");

  private final Machine machine;
  private final Witness witness;

  Vanishing(Machine machine, Witness witness) {
    this.machine = machine;
    this.witness = witness;
  }

  void happen(What what, RandomGenerator random, int job) {
    switch (what) {
      case RUN -> run(RUNS, random, false);
      case RECORD -> run(RUNS, random, true);
      case ALL_RUNS -> {
        List<String> all = machine.disk.names(RUNS);
        if (!all.isEmpty()) {
          gone(RUNS);
          all.forEach(witness::runLost);
        }
      }
      case JOB -> {
        String identity = Files.identity(Entries.name(job));
        if (gone(Machine.STATE.resolve(JobStates.fileName(identity)))) {
          witness.losses().vanished(identity);
        }
      }
      case ARRIVALS -> {
        if (gone(Machine.STATE.resolve("arrivals"))) {
          witness.losses().arrivalsLost();
        }
      }
      case LEDGER -> gone(Machine.STATE.resolve("ledger"));
      case SUPERVISOR -> {
        if (gone(ServiceWitness.FILE)) {
          witness.services().damaged();
        }
      }
      case WISHES -> gone(ServiceWitness.FILE.resolveSibling("wishes"));
      case SERVICE_RUN -> run(SERVICE_RUNS, random, false);
      case SERVICE_RECORD -> run(SERVICE_RUNS, random, true);
      case ALL_OF_SERVICES -> {
        List<String> all = machine.disk.names(SERVICE_RUNS);
        if (gone(Machine.STATE.resolve("supervisor"))) {
          witness.services().damaged();
          all.forEach(witness::runLost);
        }
      }
      case BOOT -> {
        if (gone(BootRules.FILE)) {
          witness.boots().lost();
        }
      }
      case OUTBOX -> {
        if (gone(MessageRules.OUTBOX)) {
          witness.messages().outboxLost();
        }
      }
    }
  }

  private void run(Path directories, RandomGenerator random, boolean recordOnly) {
    List<String> all = new ArrayList<>(machine.disk.names(directories));
    all.removeIf(name -> machine.disk.names(directories.resolve(name)).isEmpty());
    if (all.isEmpty()) {
      return;
    }
    String run = all.get(all.size() - 1 - random.nextInt(Math.min(3, all.size())));
    Path directory = directories.resolve(run);
    if (gone(recordOnly ? directory.resolve("record") : directory)) {
      witness.runLost(run);
    }
  }

  private boolean gone(Path path) {
    boolean was = machine.disk.vanish(path);
    if (was) {
      machine.trace.say(() -> "gone is " + path);
    }
    return was;
  }
}
