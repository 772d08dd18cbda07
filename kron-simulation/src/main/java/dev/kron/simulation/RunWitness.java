package dev.kron.simulation;

import dev.kron.process.Launch;
import dev.kron.process.Signal;
import dev.kron.simulation.StateView.Active;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiFunction;

/** Sees which runs of jobs are launched, begin and are signalled, and holds that against files. */
final class RunWitness {
  private final Machine machine;
  private final Circumstances around;
  private final JobWitnesses jobs;
  private final ChainRules chains;
  private final JobLimits limits;
  private final BiFunction<Invariant, String, Violation> fail;

  /** The launches, by the id of the run. */
  private final Map<String, Start> launches = new HashMap<>();

  /** The daemon was told to end everything, which it does without a disk too. */
  private boolean endsAll;

  /** A start: when it was, and how long the run may take by the file. */
  private record Start(long atNanos, long limitNanos, long leastNanos) {}

  RunWitness(
      Machine machine,
      Circumstances around,
      JobWitnesses jobs,
      ChainRules chains,
      JobLimits limits,
      BiFunction<Invariant, String, Violation> fail) {
    this.machine = machine;
    this.around = around;
    this.jobs = jobs;
    this.chains = chains;
    this.limits = limits;
    this.fail = fail;
  }

  /** A daemon is there, and was told nothing yet. */
  void started() {
    endsAll = false;
  }

  void endsAll() {
    endsAll = true;
  }

  void launching(String identity, Launch launch) {
    runsWhatItsFileSays(identity, launch);
    StateView platter = jobs.platter(identity);
    if (jobs.job(identity).damaged) {
      return;
    }
    Active run = platter == null ? null : platter.find(launch.run().id());
    if (run == null || run.phase().equals("waiting")) {
      throw fail.apply(
          Invariant.DURABLE_BEFORE_DONE,
          identity + " starts run " + launch.run().id() + ", on the platter is " + platter);
    }
  }

  /** A run is as the file in force says, or as one that was until a moment ago. */
  private void runsWhatItsFileSays(String identity, Launch launch) {
    String wrong = null;
    long limit = Execution.UNSURE;
    long least = Execution.NO_LIMIT;
    boolean right = false;
    for (JobEntry entry : around.inForce(identity)) {
      String differs = Launched.differs(launch, entry);
      if (differs == null && isDecidedBy(identity, launch)) {
        differs = Launched.differsInTimes(launch, entry);
      }
      wrong = differs == null ? wrong : differs;
      limit = right && limit != entry.limitNanos() ? Execution.UNSURE : entry.limitNanos();
      least = Math.min(least, entry.limitNanos());
      right |= differs == null;
    }
    if (wrong != null && !right) {
      throw fail.apply(
          Invariant.WHAT_RUNS_IS_WHAT_THE_FILE_SAYS,
          "run " + launch.run().id() + " of " + identity + ": " + wrong);
    }
    launches.put(launch.run().id(), new Start(machine.clock.nanos(), limit, right ? least : 0));
  }

  /** Its period was looked at since the file in force was taken over. */
  private boolean isDecidedBy(String identity, Launch launch) {
    Map<String, String> variables = Execution.variables(launch);
    String period = variables.getOrDefault("KRON_PERIOD", "");
    int attempt = Integer.parseInt(variables.getOrDefault("KRON_ATTEMPT", "1"));
    Long decided = jobs.job(identity).begun.get(Execution.key(period, attempt));
    return decided != null && around.isSettledSince(decided);
  }

  void began(Execution execution) {
    JobWitness job = jobs.job(execution.identity);
    if (jobs.byRun.put(execution.run.id(), execution) != null) {
      throw fail.apply(
          Invariant.ONE_EXECUTION_PER_RUN, "run " + execution.run.id() + " began twice");
    }
    chains.began(execution);
    chains.reads(execution, around.inForce(execution.identity));
    if (!execution.period.isEmpty()) {
      ranOnce(execution, job);
    }
    execution.forgotten = job.damaged; // its intent was lost before it began
    Start start = launches.remove(execution.run.id());
    if (start != null) {
      execution.limitNanos = start.limitNanos();
      execution.leastNanos = start.leastNanos();
      execution.launchedNanos = start.atNanos();
    }
    if (jobs.lostBeforeBegun.contains(execution.run.id())) {
      execution.isLost();
    }
    limits.began(execution);
    JobEntry spec = around.entry(execution.identity);
    boolean allowed = spec != null && spec.allowsOthers(); // by now
    if (job.alone.contains(execution.run.id()) && !allowed) {
      runsAlone(execution);
    }
  }

  private void ranOnce(Execution execution, JobWitness job) {
    Execution before = job.executed.put(execution.key(), execution);
    Execution former = job.executed.get(Execution.key(execution.period, execution.attempt - 1));
    if (execution.attempt > 1 && former != null && !former.over) {
      throw fail.apply(
          Invariant.ATTEMPTS_FOLLOW_EACH_OTHER,
          execution.run.id() + " begins while " + former.run.id() + " goes on");
    }
    if (before != null) {
      throw fail.apply(
          Invariant.AT_MOST_ONCE,
          "%s ran %s as run %s and as run %s"
              .formatted(execution.identity, execution.key(), before.run.id(), execution.run.id()));
    }
  }

  private void runsAlone(Execution execution) {
    for (Execution other : jobs.byRun.values()) {
      boolean known = !other.forgotten || !other.unheard; // by its job's file, or by its own
      if (other != execution && known && !other.over && other.identity.equals(execution.identity)) {
        throw fail.apply(
            Invariant.NO_OVERLAP,
            "%s starts run %s while run %s goes on"
                .formatted(execution.identity, execution.run.id(), other.run.id()));
      }
    }
  }

  void signalled(Execution execution, Signal signal) {
    StateView platter = jobs.platter(execution.identity);
    if (jobs.job(execution.identity).damaged) {
      return;
    }
    Active run = platter == null ? null : platter.find(execution.run.id());
    if (run == null || run.ending().isEmpty()) {
      if (endsAll) {
        return;
      }
      throw fail.apply(
          Invariant.DURABLE_BEFORE_DONE,
          signal + " to run " + execution.run.id() + ", on the platter is " + platter);
    }
    limits.signalled(execution, signal, run.ending());
  }
}
