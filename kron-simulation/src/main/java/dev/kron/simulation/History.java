package dev.kron.simulation;

import dev.kron.config.ConfigFiles.Configuration;
import dev.kron.daemon.HandDrivenDaemon;
import dev.kron.daemon.HandDrivenDaemon.Answer;
import dev.kron.job.JobSpec;
import dev.kron.service.ServiceSpec;
import dev.kron.store.DiskException;
import dev.kron.store.JobStates;
import dev.kron.store.LockHeldException;
import dev.kron.store.MalformedStateException;
import dev.kron.store.StateRefusedException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One history: a scenario played on a machine, with a witness. At its end all faults stop, and
 * everything has to come right again.
 */
final class History {
  private static final long MILLI = 1_000_000L;
  private static final long SECOND = 1_000 * MILLI;
  private static final long MINUTE = 60 * SECOND;
  private static final long QUICK_COMMIT = 3 * MILLI;
  private static final long QUICK_CLAIM = 5 * MILLI;
  private static final long CALMING = 2 * MINUTE;
  private static final long CALM = 5 * MINUTE;
  private static final long LONGEST_LIFE = 5 * MINUTE;
  private static final int STARTS = 5;

  private final Scenario scenario;
  private final Trace trace;
  private final Witness witness;
  private final Machine machine;
  private final Files files = new Files();
  private final List<Asked> asked = new ArrayList<>();
  private @Nullable DaemonLife life;
  private int launchFailsOneIn;
  private long slowestCommit = QUICK_COMMIT;
  private boolean edited;
  private int reloading;

  /** State of jobs cannot be written; that of services alone keeps no job from its time. */
  private boolean nothingIsStarted;

  private Map<String, JobSpec> lastRead = Map.of();
  private Map<String, ServiceSpec> lastReadServices = Map.of();

  /** A request, and whom it was put to. */
  private record Asked(
      String what,
      @Nullable String identity,
      DaemonLife life,
      long atNanos,
      CompletableFuture<Answer> answer) {}

  /**
   * What came of a history.
   *
   * @param violation null: everything held
   */
  record Result(Scenario scenario, @Nullable Violation violation, Trace trace, int executions) {}

  private History(Scenario scenario, boolean traced) {
    this.scenario = scenario;
    this.trace = new Trace(traced);
    this.witness = new Witness(scenario.historyLimit());
    this.machine = new Machine(scenario.seed(), scenario.wallMillis(), trace, witness);
    trace.times(machine.clock);
    witness.watch(machine);
    for (int i = 0; i < scenario.entries().size(); i++) {
      files.put(Entries.name(i), scenario.entries().get(i));
    }
    for (int i = 0; i < scenario.services().size(); i++) {
      files.putService(ServiceEntries.name(i), scenario.services().get(i));
    }
  }

  /** Plays a scenario from beginning to end. */
  static Result play(Scenario scenario, boolean traced) {
    var history = new History(scenario, traced);
    Violation violation = null;
    try {
      history.play();
    } catch (Violation e) {
      violation = e;
      history.trace.say(e::getMessage);
    }
    return new Result(
        scenario, violation, history.trace, history.machine.keepers.executions().size());
  }

  private void play() {
    trace.say(() -> "krontab\n" + files.text());
    scenario.services().forEach(text -> trace.say(() -> "service\n" + text));
    for (Step step : scenario.steps()) {
      trace.say(() -> "-- " + step);
      machine.luck(step.seed());
      happen(() -> perform(step));
    }
    comeRight();
  }

  /** Lets something happen; should the daemon or the machine die of it, that has happened. */
  private void happen(Runnable event) {
    try {
      event.run();
    } catch (DaemonDied e) {
      daemonDied();
    } catch (PowerLost e) {
      powerLost();
    } catch (Violation e) {
      throw e;
    } catch (RuntimeException e) {
      if (causedBy(e, PowerLost.class)) {
        powerLost();
      } else if (causedBy(e, DaemonDied.class)) {
        daemonDied();
      } else {
        throw new Violation(Invariant.NOTHING_FALLS_OVER, e.toString(), e);
      }
    }
    witness.check();
  }

  private static boolean causedBy(Throwable thrown, Class<? extends Throwable> kind) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (kind.isInstance(cause)) {
        return true;
      }
    }
    return false;
  }

  private void daemonDied() {
    trace.say(() -> "the daemon is dead");
    witness.services().died();
    if (life != null) {
      lastWords(life);
      life.buried();
    }
    machine.disk.unlock(Machine.STATE);
    life = null;
  }

  /** What it was asked to forget may be forgotten by now, although it did not live to say so. */
  private void lastWords(DaemonLife dead) {
    asked.stream()
        .filter(it -> it.life() == dead && it.what().equals("forget") && !it.answer().isDone())
        .map(Asked::identity)
        .filter(Objects::nonNull)
        .forEach(witness::releasing);
  }

  private void powerLost() {
    trace.say(() -> "power is lost");
    if (life != null) {
      lastWords(life);
      life.lifeline.cut();
    }
    life = null;
    machine.reboot();
    witness.rebooted();
  }

  private @Nullable DaemonLife living() {
    DaemonLife present = life;
    if (present != null && !present.isAlive()) {
      if (present.exitCode() == null) {
        daemonDied(); // where somebody caught it
        return null;
      }
      trace.say(() -> "the daemon has left with " + present.exitCode());
      witness.services().gone();
      present.buried();
      life = null;
      return null;
    }
    return present;
  }

  private void perform(Step step) {
    DaemonLife daemon = living();
    switch (step.kind()) {
      case PASS -> pass(daemon == null ? step.amount() : Math.min(step.amount(), LONGEST_LIFE));
      case START -> start(daemon);
      case CRASH -> {
        if (daemon != null) {
          daemonDied();
        }
      }
      case POWER_LOSS -> powerLost();
      case POWER_LOSS_SOON -> machine.disk.losePowerAt(step.amount());
      case SECOND_DAEMON -> second(daemon);
      case CLOCK_JUMP, SLEEP, PAUSE, BUSY -> time(step, daemon);
      case DISK_FULL, DISK_ERRORS, SYNC_FAILS, DISK_HEALS, SLOW_DISK -> disk(step, daemon);
      case SLOW_CLAIMS -> machine.keepers.slowestClaim(step.amount());
      case LAUNCHES_FAIL -> {
        launchFailsOneIn = (int) step.amount();
        if (daemon != null) {
          daemon.launchFailsOneIn(launchFailsOneIn);
        }
      }
      case DAMAGE -> damage(Files.identity(Entries.name(step.which())));
      case KILL_KEEPER, KILL_COMMAND -> kill(step);
      case OLD_VERSION, NEWER_VERSION -> otherVersion(step, daemon);
      case EDIT -> {
        String name = Entries.name(step.which());
        files.put(name, Entries.draw(new SplittableRandom(step.seed()), step.which()));
        edited = true;
        trace.say(() -> "krontab\n" + files.text());
      }
      case REMOVE -> {
        files.remove(Entries.name(step.which()));
        edited = true;
      }
      case BAD_EDIT -> files.spoil();
      case SERVICE_EDIT -> {
        String text = ServiceEntries.draw(new SplittableRandom(step.seed()), step.which());
        files.putService(ServiceEntries.name(step.which()), text);
        edited = true;
        trace.say(() -> "service\n" + text);
      }
      case SERVICE_REMOVE -> {
        files.removeService(ServiceEntries.name(step.which()));
        edited = true;
      }
      case SERVICE_DAMAGE -> damageServices();
      case CRASH_SOON,
          STOP,
          STOP_AFTER_JOBS,
          STOP_WITH_JOBS,
          RELOAD,
          SUSPEND,
          RESUME,
          RUN_NOW,
          FORGET,
          KEEP_HOUSE,
          SERVICE_START,
          SERVICE_STOP,
          SERVICE_RESTART -> {
        if (daemon != null) {
          ask(step, daemon);
        }
      }
    }
  }

  private void ask(Step step, DaemonLife daemon) {
    String identity = Files.identity(Entries.name(step.which()));
    switch (step.kind()) {
      case CRASH_SOON -> daemon.lifeline.cutBefore(step.amount());
      case STOP -> ask("stop", daemon, null, HandDrivenDaemon::stop);
      case STOP_AFTER_JOBS -> ask("stop", daemon, null, HandDrivenDaemon::stopWhenJobsHaveEnded);
      case STOP_WITH_JOBS -> {
        witness.disturbed();
        ask("stop", daemon, null, HandDrivenDaemon::stopWithJobs);
      }
      case RELOAD -> reload(daemon);
      case SUSPEND -> ask("suspend", daemon, identity, it -> it.suspend(identity));
      case RESUME -> {
        witness.resuming(identity);
        ask("resume", daemon, identity, it -> it.resume(identity));
      }
      case RUN_NOW -> ask("run", daemon, identity, it -> it.runNow(identity));
      case FORGET -> {
        witness.releasing(identity);
        ask("forget", daemon, identity, it -> it.forget(identity));
      }
      case SERVICE_START -> askService("start service", daemon, step);
      case SERVICE_STOP -> askService("stop service", daemon, step);
      case SERVICE_RESTART -> askService("restart service", daemon, step);
      default -> daemon.daemon().keepHouse();
    }
  }

  /** Nothing else was asked of this daemon that could have undone what it says. */
  private boolean isAlone(DaemonLife daemon, long askedAt) {
    long since = askedAt - MINUTE;
    return asked.stream().filter(it -> it.life() == daemon && it.atNanos() >= since).count() == 1;
  }

  private void askService(String what, DaemonLife daemon, Step step) {
    askService(what, daemon, ServiceEntries.name(step.which()));
  }

  private void askService(String what, DaemonLife daemon, String name) {
    witness.services().asked(what.equals("restart service"));
    long askedAt = machine.clock.nanos();
    ask(
        what,
        daemon,
        null,
        it ->
            switch (what) {
              case "start service" -> it.startService(name);
              case "stop service" -> it.stopService(name);
              default -> it.restartService(name);
            });
    var _ =
        asked
            .getLast()
            .answer()
            .thenAccept(
                answer -> {
                  witness.services().answered(what.equals("restart service"));
                  if (answer.done() && isAlone(daemon, askedAt)) {
                    witness.services().answered(what, name);
                  }
                });
  }

  private void ask(
      String what,
      DaemonLife daemon,
      @Nullable String identity,
      Function<HandDrivenDaemon, CompletableFuture<Answer>> request) {
    CompletableFuture<Answer> answer = request.apply(daemon.daemon());
    long askedNanos = machine.clock.nanos();
    asked.add(new Asked(what, identity, daemon, askedNanos, answer));
    var _ =
        answer.thenAccept(
            it -> {
              trace.say(() -> what + " answered " + it);
              witness.disturbed();
              if (what.equals("forget") && identity != null) {
                witness.releasing(identity);
              }
              // Whatever was asked since then may have been done in the same write.
              long since = Math.min(askedNanos, machine.clock.nanos() - MINUTE);
              long requests =
                  asked.stream()
                      .filter(
                          other ->
                              other.life() == daemon
                                  && Objects.equals(identity, other.identity())
                                  && other.atNanos() >= since)
                      .count();
              if (requests == 1) {
                witness.answered(what, identity, it);
              }
            });
    daemon.asked();
  }

  private void reload(DaemonLife daemon) {
    boolean bad = files.isBad();
    edited = bad;
    reloading++;
    witness.changing();
    witness.services().changing();
    ask("reload", daemon, null, HandDrivenDaemon::reload);
    var _ =
        asked
            .getLast()
            .answer()
            .thenAccept(
                answer -> {
                  reloading--;
                  if (bad && answer.done() && files.isBad()) {
                    throw witness.fail(Invariant.BAD_FILES_CHANGE_NOTHING, answer.text());
                  }
                  if (answer.done()) {
                    witness.applied(lastRead, daemon.isDeciding());
                    witness.services().applied(lastReadServices);
                  } else {
                    witness.unchanged();
                    witness.services().unchanged();
                  }
                  if (reloading > 0) {
                    witness.changing();
                    witness.services().changing();
                  }
                });
  }

  private Configuration read() {
    Configuration configuration = files.read();
    if (configuration.isValid()) {
      lastRead = Files.specs(configuration);
      lastReadServices = Files.serviceSpecs(configuration);
      witness.reading(lastRead);
    }
    return configuration;
  }

  private void start(@Nullable DaemonLife present) {
    if (present != null) {
      return;
    }
    Configuration configuration = files.read();
    if (!configuration.isValid()) {
      return; // refused before anything was touched
    }
    reloading = 0;
    nothingIsStarted = false;
    boolean newer = isNewer();
    var starting =
        new DaemonLife(
            machine,
            scenario.historyLimit(),
            scenario.outputLimitBytes(),
            this::read,
            witness::launching,
            witness::committed,
            this::log);
    life = starting;
    witness.started(Files.specs(configuration));
    witness.services().started(Files.serviceSpecs(configuration));
    edited = false;
    try {
      starting.start(launchFailsOneIn, slowestCommit);
      witness.ready(Files.specs(configuration));
      if (newer) {
        throw witness.fail(Invariant.NEWER_STATE_IS_REFUSED, "it started");
      }
    } catch (LockHeldException e) {
      throw witness.fail(Invariant.STARTS_AGAIN, String.valueOf(e.getMessage()));
    } catch (StateRefusedException | DiskException e) {
      trace.say(() -> "refused: " + e.getMessage());
      witness.services().gone();
      starting.buried(); // what it had left for later will not happen
      life = null;
      if (!newer && !machine.disk.troubled()) {
        throw witness.fail(Invariant.STARTS_AGAIN, String.valueOf(e.getMessage()));
      }
    }
  }

  private void log(String line) {
    trace.say(() -> "log " + line.replaceAll(" pid=\\d+$", "").replaceFirst("^\\S+ ", ""));
    if (line.contains("event=persistence_")) {
      witness.services().writable(line.contains("restored"));
    }
    if (line.contains("event=arrivals_wait")) {
      witness.arrivalsWait();
    } else if (line.contains("event=persistence_restored")) {
      if (nothingIsStarted) {
        witness.absent(false);
      }
      nothingIsStarted = false;
      witness.unwritable();
    } else if (line.contains("event=persistence_failed")) {
      nothingIsStarted |= line.contains("consequence=");
      witness.unwritable();
    }
  }

  private void second(@Nullable DaemonLife first) {
    if (first == null || machine.disk.troubled()) {
      return;
    }
    var other =
        new DaemonLife(
            machine,
            scenario.historyLimit(),
            0,
            this::read,
            witness::launching,
            () -> {},
            it -> {});
    try {
      other.start(0, QUICK_COMMIT);
      throw witness.fail(Invariant.ONE_DAEMON, "a second daemon started");
    } catch (LockHeldException e) {
      trace.say(() -> "second daemon: " + e.getMessage());
    } catch (StateRefusedException | DiskException e) {
      throw witness.fail(Invariant.ONE_DAEMON, "it was refused otherwise: " + e.getMessage());
    } finally {
      other.lifeline.cut();
    }
  }

  private void time(Step step, @Nullable DaemonLife daemon) {
    if (step.kind() == Step.Kind.BUSY) {
      if (daemon != null) {
        daemon.busy(step.amount());
      }
      return;
    }
    witness.absent(daemon != null && daemon.isDeciding());
    long before = machine.clock.nanos();
    switch (step.kind()) {
      case CLOCK_JUMP -> {
        machine.clock.jump(step.amount() / MILLI);
        witness.services().clockSet();
      }
      case SLEEP -> machine.clock.advanceTo(machine.clock.nanos() + step.amount());
      default -> {
        if (daemon != null) {
          daemon.pause(step.amount());
          advance(machine.clock.nanos() + step.amount());
        }
      }
    }
    witness.absent(daemon != null && daemon.isAlive() && daemon.isDeciding());
    witness.services().absent(before);
  }

  private void disk(Step step, @Nullable DaemonLife daemon) {
    witness.disturbed();
    switch (step.kind()) {
      case DISK_FULL -> machine.disk.full(true);
      case DISK_ERRORS -> {
        machine.disk.errorOneIn((int) step.amount());
        witness.readErrors();
      }
      case SYNC_FAILS -> machine.disk.syncFails(true);
      case SLOW_DISK -> {
        slowestCommit = Math.max(step.amount(), QUICK_COMMIT);
        if (daemon != null) {
          daemon.slowestCommit(slowestCommit);
        }
      }
      default -> {
        machine.disk.heal();
        witness.readable();
      }
    }
  }

  private void damage(String identity) {
    if (damage(Machine.STATE.resolve(JobStates.fileName(identity)))) {
      witness.damaged(identity);
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

  private void kill(Step step) {
    List<SimulatedProcess> ours =
        machine.processes.living().stream()
            .filter(
                it ->
                    it.kind
                        == (step.kind() == Step.Kind.KILL_KEEPER
                            ? SimulatedProcess.Kind.KEEPER
                            : SimulatedProcess.Kind.COMMAND))
            .toList();
    if (ours.isEmpty()) {
      return;
    }
    SimulatedProcess process = ours.get(step.which() % ours.size());
    trace.say(() -> "somebody kills " + process.kind + " " + process.identity + " " + process.run);
    if (process.kind == SimulatedProcess.Kind.KEEPER) {
      machine.processes.end(process);
    } else {
      machine.keepers.end(machine.keepers.of(process), 137, 9);
    }
  }

  /** While no daemon is there: the files become those of an older, or of a newer one. */
  private void otherVersion(Step step, @Nullable DaemonLife daemon) {
    if (daemon != null) {
      return;
    }
    boolean toNewer = step.kind() == Step.Kind.NEWER_VERSION;
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

  private boolean isNewer() {
    return machine.disk.names(Machine.STATE).stream()
        .filter(name -> name.endsWith(".json"))
        .map(name -> machine.disk.content(Machine.STATE.resolve(name)))
        .anyMatch(content -> content != null && Versions.isWhole(content, "2"));
  }

  private void upgradeBack() {
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

  private void pass(long nanos) {
    advance(machine.clock.nanos() + nanos);
  }

  private void advance(long toNanos) {
    while (machine.agenda.next() <= toNanos) {
      happen(this::next);
    }
    happen(
        () -> {
          if (life != null) {
            life.lookUntil(toNanos);
          }
        });
    machine.clock.advanceTo(toNanos);
  }

  private void next() {
    long at = machine.agenda.next();
    if (life != null) {
      life.lookUntil(at);
    }
    machine.clock.advanceTo(at);
    Runnable task = machine.agenda.poll(machine.clock.nanos());
    if (task != null) {
      task.run();
    }
  }

  /** All faults stop. What hangs is ended, and a daemon is there. */
  private void comeRight() {
    trace.say(() -> "-- everything calms down");
    machine.luck(scenario.seed());
    machine.disk.heal();
    witness.readable();
    machine.keepers.slowestClaim(QUICK_CLAIM);
    machine.keepers.calm();
    launchFailsOneIn = 0;
    slowestCommit = QUICK_COMMIT;
    files.mend();
    if (isNewer()) {
      upgradeBack();
    }
    happen(this::calmDaemon);
    advance(machine.clock.nanos() + CALMING);
    for (int i = 0; i < STARTS && living() == null; i++) {
      happen(() -> start(null)); // it was about to stop, or to die
      advance(machine.clock.nanos() + CALMING);
    }
    happen(this::startWhatIsWanted);
    witness.expectEverything();
    long from = machine.clock.wallMillis();
    long settled = machine.clock.nanos();
    advance(machine.clock.nanos() + CALM);
    happen(() -> allIsWell(from, settled));
  }

  private void calmDaemon() {
    witness.disturbed();
    DaemonLife daemon = living();
    if (daemon == null) {
      start(null);
      return;
    }
    daemon.lifeline.cutBefore(Long.MAX_VALUE);
    daemon.launchFailsOneIn(0);
    daemon.slowestCommit(QUICK_COMMIT);
    daemon.busy(0);
    if (edited) {
      reload(daemon);
    }
  }

  /** What was given up while nothing worked gets another chance now that everything does. */
  private void startWhatIsWanted() {
    DaemonLife daemon = living();
    if (daemon != null) {
      witness.services().wanted().forEach(name -> askService("start service", daemon, name));
    }
  }

  private void allIsWell(long fromMillis, long settledNanos) {
    DaemonLife daemon = living();
    if (daemon == null) {
      throw witness.fail(Invariant.STARTS_AGAIN, "no daemon stays up");
    }
    for (Asked request : asked) {
      if (request.life() == daemon
          && request.atNanos() < settledNanos
          && !request.answer().isDone()) {
        throw witness.fail(Invariant.EVERY_REQUEST_IS_ANSWERED, request.what());
      }
    }
    Aftermath aftermath = witness.aftermath();
    aftermath.settled(settledNanos);
    witness.services().settled();
    aftermath.ranEverything(fromMillis, machine.clock.wallMillis() - 60_000);
  }
}
