package dev.kron.simulation;

import dev.kron.config.ConfigFiles.Configuration;
import dev.kron.store.DiskException;
import dev.kron.store.LockHeldException;
import dev.kron.store.StateRefusedException;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One history: a scenario played on a machine, with a witness. At its end all faults stop, and
 * everything has to come right again.
 *
 * <p>One file, though a long one: each kind of step is one short method, and all of them act on the
 * same world.
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
  private final InjectedFaults faults;
  private final Operator operator;
  private @Nullable DaemonLife life;

  /** The one that left last. */
  private @Nullable DaemonLife left;

  private int launchFailsOneIn;
  private long slowestCommit = QUICK_COMMIT;
  private boolean edited;

  /** State of jobs cannot be written; that of services alone keeps no job from its time. */
  private boolean nothingIsStarted;

  /**
   * The outcome of a history.
   *
   * @param violation null: everything held
   */
  record Result(Scenario scenario, @Nullable Violation violation, Trace trace, int executions) {}

  private History(Scenario scenario, boolean traced) {
    this.scenario = scenario;
    this.trace = new Trace(traced);
    this.machine = new Machine(scenario.seed(), scenario.wallMillis(), trace);
    trace.times(machine.clock);
    this.witness = Witness.of(machine, scenario.historyLimit());
    this.faults = new InjectedFaults(machine, witness);
    this.operator = new Operator(machine, witness, files);
    files.tell(scenario.notice());
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
    tellNotice();
    scenario.services().forEach(text -> trace.say(() -> "service\n" + text));
    for (HistoryStep step : scenario.steps()) {
      trace.say(() -> "-- " + step);
      machine.luck(step.seed());
      happen(() -> perform(step));
    }
    comeRight();
  }

  private void tellNotice() {
    NotifyEntry notice = files.notice();
    if (notice != null) {
      trace.say(() -> "notify.toml\n" + notice.text());
    }
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
    if (life == null || !life.isAlive()) {
      witness.around().gone();
    }
    if (life != null && life.exitCode() != null && !life.equals(left)) {
      left = life;
      witness.left(life.exitCode());
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
    witness.around().gone();
    witness.services().died();
    witness.messages().died();
    if (life != null) {
      operator.lastWords(life);
      life.buried();
    }
    machine.disk.unlock(Machine.STATE);
    life = null;
  }

  private void powerLost() {
    trace.say(() -> "power is lost");
    witness.around().gone();
    if (life != null) {
      operator.lastWords(life);
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
      operator.lastWords(present);
      witness.around().gone();
      witness.services().gone();
      witness.messages().left();
      present.buried();
      life = null;
      return null;
    }
    return present;
  }

  private void perform(HistoryStep step) {
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
      case DAMAGE, SERVICE_DAMAGE, VANISH, KILL_KEEPER, KILL_COMMAND, OLD_VERSION, NEWER_VERSION ->
          faults.happen(step, daemon != null);
      case EDIT, POLICY_EDIT -> edit(step);
      case REMOVE -> {
        files.remove(Entries.name(step.which()));
        edited = true;
      }
      case BAD_EDIT -> files.spoil();
      case NOTIFY_EDIT -> {
        var random = new SplittableRandom(step.seed());
        files.tell(random.nextInt(5) == 0 ? null : NotifyEntry.draw(random));
        tellNotice();
        edited = true;
      }
      case RECEIVERS ->
          machine.receivers.feel(SimulatedReceivers.Mood.ALL.get((int) step.amount()));
      case SERVICE_EDIT, SERVICE_POLICY_EDIT -> editService(step);
      case SERVICE_REMOVE -> {
        files.removeService(ServiceEntries.name(step.which()));
        edited = true;
      }
      case CRASH_SOON,
          STOP,
          STOP_AFTER_JOBS,
          STOP_WITH_JOBS,
          RELOAD,
          SUSPEND,
          RESUME,
          RUN_NOW,
          END_RUNS,
          FORGET,
          KEEP_HOUSE,
          SERVICE_START,
          SERVICE_STOP,
          SERVICE_SCALE,
          SERVICE_RESTART -> {
        if (daemon != null) {
          edited &= step.kind() != HistoryStep.Kind.RELOAD || files.isBad();
          operator.ask(step, daemon);
        }
      }
    }
  }

  private void edit(HistoryStep step) {
    String name = Entries.name(step.which());
    var random = new SplittableRandom(step.seed());
    String present = files.entry(name);
    if (step.kind() == HistoryStep.Kind.EDIT) {
      String drawn = Entries.signed(Entries.draw(random, step.which()), random);
      int jobs = scenario.entries().size();
      files.put(
          name,
          scenario.hasMessages()
              ? Scenario.more(drawn, random, step.which(), jobs)
              : scenario.hasRetries()
                  ? Entries.chained(Entries.retrying(drawn, random), random, step.which(), jobs)
                  : drawn);
    } else if (present != null) {
      String other = Entries.withOtherPolicy(present, random, step.which());
      files.put(name, scenario.hasMessages() ? Entries.captured(other) : other);
    }
    edited = true;
    trace.say(() -> "krontab\n" + files.text());
  }

  private void editService(HistoryStep step) {
    String name = ServiceEntries.name(step.which());
    var random = new SplittableRandom(step.seed());
    String present = files.service(name);
    String text =
        step.kind() == HistoryStep.Kind.SERVICE_EDIT
            ? ServiceEntries.draw(random, step.which())
            : present == null ? null : ServiceEntries.withOtherPolicy(present, random);
    if (text != null) {
      files.putService(name, text);
      edited = true;
      trace.say(() -> "service\n" + text);
    }
  }

  private void start(@Nullable DaemonLife present) {
    if (present != null) {
      return;
    }
    Configuration configuration = files.read();
    if (!configuration.isValid()) {
      return; // refused before anything was touched
    }
    operator.started();
    nothingIsStarted = false;
    boolean newer = faults.isNewer();
    var starting =
        new DaemonLife(
            machine,
            scenario.historyLimit(),
            scenario.outputLimitBytes(),
            operator::read,
            witness::launching,
            witness::committed,
            this::log);
    life = starting;
    witness.started(files.entries());
    witness.messages().started(files.notice());
    witness.services().started(Files.serviceSpecs(configuration));
    edited = false;
    try {
      starting.start(launchFailsOneIn, slowestCommit);
      witness.ready(files.entries());
      witness.services().ready();
      witness.around().there();
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
    if (line.contains("event=message_given_up")) {
      witness.messages().gaveUp(line);
    }
    if (line.contains("event=persistence_")) {
      witness.services().writable(line.contains("restored"));
    }
    if (line.contains("event=rebuilt_from_runs")) {
      witness.services().rebuilt();
    }
    if (line.contains("event=arrivals_wait")) {
      witness.arrivalsWait();
    } else if (line.contains("event=persistence_restored")) {
      if (nothingIsStarted) {
        witness.absent(false);
      }
      nothingIsStarted = false;
      witness.around().unwritable();
    } else if (line.contains("event=persistence_failed")) {
      nothingIsStarted |= line.contains("consequence=");
      witness.around().unwritable();
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
            operator::read,
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

  private void time(HistoryStep step, @Nullable DaemonLife daemon) {
    if (step.kind() == HistoryStep.Kind.BUSY) {
      if (daemon != null) {
        daemon.busy(step.amount());
        witness.around().busy(step.amount());
      }
      return;
    }
    witness.absent(daemon != null && daemon.isDeciding());
    long before = machine.clock.nanos();
    switch (step.kind()) {
      case CLOCK_JUMP -> {
        machine.clock.jump(step.amount() / MILLI);
        witness.services().clockSet();
        witness.clockSet();
      }
      case SLEEP -> machine.clock.advanceTo(machine.clock.nanos() + step.amount());
      default -> {
        if (daemon != null) {
          daemon.pause(step.amount());
          witness.around().away(true);
          advance(machine.clock.nanos() + step.amount());
          witness.around().away(false);
        }
      }
    }
    witness.absent(daemon != null && daemon.isAlive() && daemon.isDeciding());
    witness.services().absent(before);
  }

  private void disk(HistoryStep step, @Nullable DaemonLife daemon) {
    witness.around().disturbed();
    witness.messages().troubled();
    switch (step.kind()) {
      case DISK_FULL -> machine.disk.full(true);
      case DISK_ERRORS -> {
        machine.disk.errorOneIn((int) step.amount());
        witness.readErrors();
      }
      case SYNC_FAILS -> machine.disk.syncFails(true);
      case SLOW_DISK -> {
        slowestCommit = Math.max(step.amount(), QUICK_COMMIT);
        witness.around().slow();
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

  /** All faults stop, and a daemon is there; what hangs goes on hanging. */
  private void comeRight() {
    trace.say(() -> "-- everything calms down");
    machine.luck(scenario.seed());
    machine.disk.heal();
    witness.readable();
    machine.keepers.slowestClaim(QUICK_CLAIM);
    machine.keepers.calm();
    launchFailsOneIn = 0;
    slowestCommit = QUICK_COMMIT;
    witness.around().quick();
    files.mend();
    machine.receivers.feel(SimulatedReceivers.Mood.THERE);
    if (scenario.hasMessages()) {
      files.tell(files.notice() == null ? scenario.notice() : files.notice());
      edited = true; // whoever is patient need not be any more
    }
    if (faults.isNewer()) {
      faults.downgrade();
    }
    happen(this::calmDaemon);
    advance(machine.clock.nanos() + CALMING);
    for (int i = 0; i < STARTS && living() == null; i++) {
      happen(() -> start(null)); // it was about to stop, or to die
      advance(machine.clock.nanos() + CALMING);
    }
    witness.expectEverything();
    long from = machine.clock.wallMillis();
    long settled = machine.clock.nanos();
    advance(machine.clock.nanos() + CALM);
    happen(() -> allIsWell(from, settled));
  }

  private void calmDaemon() {
    witness.around().disturbed();
    DaemonLife daemon = living();
    if (daemon == null) {
      start(null);
      return;
    }
    daemon.lifeline.cutBefore(Long.MAX_VALUE);
    daemon.launchFailsOneIn(0);
    daemon.slowestCommit(QUICK_COMMIT);
    daemon.busy(0);
    witness.around().busy(0);
    if (edited) {
      operator.reload(daemon);
    }
    operator.hurry(daemon);
  }

  private void allIsWell(long fromMillis, long settledNanos) {
    DaemonLife daemon = living();
    if (daemon == null) {
      throw witness.fail(Invariant.STARTS_AGAIN, "no daemon stays up");
    }
    String unanswered = operator.unanswered(daemon, settledNanos);
    if (unanswered != null) {
      throw witness.fail(Invariant.EVERY_REQUEST_IS_ANSWERED, unanswered);
    }
    Aftermath aftermath = witness.aftermath();
    aftermath.settled(settledNanos);
    witness.settled(settledNanos);
    witness.services().settled();
    aftermath.ranEverything(fromMillis, machine.clock.wallMillis() - 60_000);
  }
}
