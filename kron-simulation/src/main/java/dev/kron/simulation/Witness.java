package dev.kron.simulation;

import dev.kron.daemon.loop.Answer;
import dev.kron.process.Launch;
import dev.kron.process.Run;
import dev.kron.process.Signal;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Sees everything that really happens, and has it held against what must hold. It never asks the
 * daemon: it reads the platter, and knows what was executed. What it sees goes to the witness of
 * krontabs, runs, state files or services.
 */
final class Witness implements Keepers.Onlooker {
  private final Machine machine;
  private final int historyLimit;
  private final Violations violations = new Violations();
  private final Circumstances around;
  private final JobWitnesses jobs;
  private final RetryRules retries;
  private final ChainRules chains;
  private final JobLimits limits;
  private final Alarms alarms;
  private final AnswerRules answers;
  private final JobLosses losses;
  private final KrontabWitness krontabs;
  private final RunWitness runs;
  private final StateWitness states;
  private final ServiceWitness services;
  private final BootRules boots;
  private final MessageRules messages;

  private boolean starting;

  /** An operator was told that everything ends with the daemon. */
  private boolean takesAll;

  /** The daemon that is there could not note, when it started, what was new to it. */
  private boolean arrivalsWait;

  /** A start before this one came to nothing. */
  private boolean interrupted;

  private Witness(Machine machine, int historyLimit) {
    this.machine = machine;
    this.historyLimit = historyLimit;
    this.around = new Circumstances(machine);
    this.jobs = new JobWitnesses(machine);
    this.retries = new RetryRules(machine, around, violations::found);
    this.chains = new ChainRules(machine, around, violations::found);
    this.limits = new JobLimits(machine, around, violations::found);
    this.alarms = new Alarms(machine, around, violations::found);
    this.answers = new AnswerRules(jobs, violations::found);
    this.boots = new BootRules(machine, around, violations::found);
    this.messages = new MessageRules(machine, around, violations::found);
    this.losses =
        new JobLosses(machine, jobs, new JobLosses.Excused(alarms, chains, boots, messages));
    this.krontabs = new KrontabWitness(machine, around, jobs, losses, boots);
    this.runs = new RunWitness(machine, around, jobs, chains, limits, violations::found);
    var rules = new JobRules(machine, around, boots, jobs.byRun, historyLimit, violations::found);
    this.states =
        new StateWitness(
            machine,
            around,
            jobs,
            losses,
            new StateWitness.Rules(rules, retries, chains, boots, alarms, messages));
    this.services = new ServiceWitness(machine, around, violations::found);
  }

  /** A witness of all that happens on a machine from now on. */
  static Witness of(Machine machine, int historyLimit) {
    var witness = new Witness(machine, historyLimit);
    machine.keepers.watchedBy(witness);
    machine.disk.onDurable(witness::durable);
    machine.receivers.watchedBy(witness.messages);
    return witness;
  }

  /** The part that looks after services. */
  ServiceWitness services() {
    return services;
  }

  /** The part that looks after what daemons read of jobs. */
  KrontabWitness krontabs() {
    return krontabs;
  }

  /** The part that looks after files of jobs that are lost. */
  JobLosses losses() {
    return losses;
  }

  /** The part that looks after runs at starts of the machine. */
  BootRules boots() {
    return boots;
  }

  /** The part that looks after messages. */
  MessageRules messages() {
    return messages;
  }

  /** The things that the present daemon could know and do. */
  Circumstances around() {
    return around;
  }

  /** A violation to be thrown. */
  Violation fail(Invariant invariant, String what) {
    return violations.found(invariant, what);
  }

  /** Throws what did not hold; time may have passed. */
  void check() {
    limits.look();
    alarms.look();
    chains.look();
    services.look();
    violations.check();
  }

  // What the world does to the daemon.

  /** A daemon is there from now on, with these jobs. */
  void started(Map<String, JobEntry> now) {
    runs.started();
    takesAll = false;
    states.started();
    interrupted |= starting;
    starting = true;
    arrivalsWait = false;
    around.undecided = false;
    absent(false);
    boots.forget(jobs.byIdentity);
    boots.started(now, jobs.byIdentity);
    krontabs.taking(now);
    alarms.limits.started();
    jobs.forEach(losses::found);
  }

  /** The daemon came up: these are its jobs, and what it could not read of them is moved aside. */
  void ready(Map<String, JobEntry> now) {
    krontabs.taken(now);
    if (interrupted && around.readErrors) {
      // Whoever was to start before, and could not read a file, may have noted that it is lost.
      jobs.all().forEach(job -> job.lostAtMillis = losses.nextSecond());
    }
    jobs.forEach((identity, job) -> losses.noticed(identity, job, interrupted));
    interrupted = false;
    starting = false;
    states.ready();
  }

  /** Jobs that are new to the daemon are noticed when they can be written. */
  void arrivalsWait() {
    arrivalsWait = true;
  }

  /** The daemon was not there until now. */
  void absent(boolean commitsUnderWay) {
    around.presentSinceMillis = machine.clock.wallMillis();
    jobs.all().forEach(job -> job.backMillis = Long.MIN_VALUE);
    around.undecided |= commitsUnderWay;
    around.disturbed();
  }

  /** The clock was set: what waits may begin at another time. */
  void clockSet() {
    around.clockSetNanos = machine.clock.nanos();
    jobs.all().forEach(job -> job.clockSet = true);
  }

  /** All that was decided until now is durable, or was in vain. */
  void committed() {
    around.undecided &= machine.disk.troubled();
  }

  /** Reading may fail from now on. */
  void readErrors() {
    around.readErrors = true;
    around.readErrorsNanos = Long.MAX_VALUE / 2;
  }

  /** Reading works again; what could not be read is written anew without it, soon. */
  void readable() {
    if (around.readErrors) {
      around.readErrorsNanos = Math.min(around.readErrorsNanos, machine.clock.nanos());
      jobs.forEach((identity, job) -> job.readable = jobs.content(identity));
    }
  }

  /** The directory of a run is there no more, or what tells how it ended. */
  void runLost(String runId) {
    losses.runLost(runId);
    services.runLost(runId);
  }

  /** Power was lost: what is on the platter now is what was durable, or something newer. */
  void rebooted() {
    around.entries = null; // whoever decided that is gone
    states.rebooted();
    alarms.excused();
    messages.died();
    services.rebooted();
  }

  // What operators want, and are told.

  /** An operator wants runs of this job, and what waits, to end. */
  void ending(String identity) {
    jobs.job(identity).askedNanos = machine.clock.nanos();
  }

  void resuming(String identity) {
    JobWitness job = jobs.job(identity);
    if (job.last != null && job.last.suspended()) {
      job.backMillis = machine.clock.wallMillis();
    }
    around.disturbed();
  }

  /** The operator gives up what a clock ahead has used up. */
  void releasing(String identity) {
    losses.released(identity);
    boots.released(identity);
    around.disturbed();
  }

  /** The daemon is to end everything. */
  void endsAll() {
    runs.endsAll();
  }

  /** An operator was told that everything ends. */
  void takesAll() {
    takesAll = true;
  }

  /** An answer to an operator is checked. */
  void answered(String what, @Nullable String identity, Answer answer) {
    answers.answered(what, identity, answer);
  }

  // What the daemon does to the world.

  void launching(Launch launch) {
    Map<String, String> variables = Execution.variables(launch);
    String identity = variables.getOrDefault("KRON_IDENTITY", "");
    String service = variables.get("KRON_SERVICE");
    if (variables.containsKey("KRON_OUTCOME")) {
      if (!jobs.job(identity).damaged) {
        retries.told(jobs.platter(identity), variables.getOrDefault("KRON_RUN_ID", ""));
      }
      alarms.launching(variables);
    } else if (service != null) {
      services.launching(launch, service);
    } else {
      runs.launching(identity, launch);
    }
  }

  @Override
  public void began(Execution execution) {
    if (execution.instance != null) {
      services.began(execution, execution.instance);
    } else if (execution.alert) {
      alarms.began(execution);
    } else {
      runs.began(execution);
    }
  }

  @Override
  public void ended(Execution execution) {
    if (execution.instance != null) {
      services.ended(execution, execution.instance);
    }
  }

  @Override
  public void tried(Run run, Signal signal) {
    if (signal == Signal.TERM) {
      limits.tried(run);
      services.tried(run);
    }
  }

  @Override
  public void signalled(Execution execution, Signal signal) {
    if (execution.instance != null) {
      services.signalled(execution, execution.instance, signal);
    } else if (execution.alert) {
      alarms.limits.signalled(execution, signal);
    } else {
      runs.signalled(execution, signal);
    }
  }

  /** The daemon has left. */
  void left(int exitCode) {
    if (takesAll) {
      new Departure(machine, around, services::isUnknowable, violations::found).check(exitCode);
    }
  }

  /** A file is durable with that content. */
  private void durable(Path file, byte[] content) {
    String name = String.valueOf(file.getFileName());
    boots.durable(file, content);
    messages.durable(file);
    if (file.equals(ServiceWitness.FILE)) {
      services.durable(content);
      return;
    }
    if (arrivalsWait && name.equals("arrivals")) {
      krontabs.reading(around.known); // it may be now that it notes what it was started with
      losses.arrivalsNoted();
    }
    states.durable(name, content);
  }

  // When faults have stopped.

  /** Every period that is due has to run from now on, but those that are handled already. */
  void expectEverything() {
    jobs.all().forEach(job -> job.handledBefore = job.last == null ? "" : job.last.handled());
  }

  /** Judges what has become of boots and messages. */
  void settled(long bySimulatedNanos) {
    boots.settled(Objects.requireNonNull(around.entries), jobs.byIdentity);
    messages.settled(bySimulatedNanos);
  }

  /** The judge of what has become of everything when faults have stopped. */
  Aftermath aftermath() {
    return new Aftermath(
        machine,
        jobs.byIdentity,
        jobs.byRun,
        Objects.requireNonNull(around.entries),
        retries,
        historyLimit,
        violations::found);
  }
}
