package dev.kron.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kron.daemon.loop.Answer;
import dev.kron.process.Launch;
import dev.kron.process.Run;
import dev.kron.process.Signal;
import dev.kron.simulation.StateView.Active;
import dev.kron.simulation.StateView.Entry;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Sees everything that really happens, and holds it against what must hold. It never asks the
 * daemon: it reads the platter, and knows what was executed.
 *
 * <p>One file, though a long one: whatever it hears of changes the same few maps; the rules that it
 * applies are elsewhere.
 */
final class Witness implements Keepers.Onlooker {
  static final String EXECUTED = "executed";

  private final Map<String, JobWitness> jobs = new TreeMap<>();
  private final Map<String, Execution> byRun = new HashMap<>();
  private final Map<String, String> names = new HashMap<>();

  /** What the daemon that is there found when it started: it has decided nothing of that. */
  private final Map<String, byte[]> inherited = new HashMap<>();

  /** Names of files that daemons have moved aside. */
  private final Set<String> aside = new HashSet<>();

  /** What was launched of jobs, by the id of the run. */
  private final Map<String, Start> launches = new HashMap<>();

  private final int historyLimit;
  private @Nullable Machine machine;
  private @Nullable Circumstances around;
  private @Nullable JobRules rules;
  private @Nullable RetryRules retries;
  private @Nullable ChainRules chains;
  private @Nullable JobLimits limits;
  private @Nullable Alarms alarms;
  private @Nullable ServiceWitness services;
  private @Nullable Violation violation;

  private long startedNanos = -1;
  private boolean starting;

  /** The daemon was told to end everything, which it does without a disk too. */
  private boolean endsAll;

  /** It was told that it does. */
  private boolean takesAll;

  /** The daemon that is there could not note, when it started, what was new to it. */
  private boolean arrivalsWait;

  /** A start before this one came to nothing. */
  private boolean interrupted;

  /** A start: when it was, and how long the run may take by the file. */
  private record Start(long atNanos, long limitNanos, long leastNanos) {}

  Witness(int historyLimit) {
    this.historyLimit = historyLimit;
  }

  void watch(Machine watched) {
    machine = watched;
    around = new Circumstances(watched);
    rules = new JobRules(watched, around, byRun, historyLimit, this::fail);
    retries = new RetryRules(watched, around, this::fail);
    chains = new ChainRules(watched, around, this::fail);
    limits = new JobLimits(watched, around, this::fail);
    alarms = new Alarms(watched, around, this::fail);
    services = new ServiceWitness(watched, around, this::fail);
    watched.disk.onDurable(this::durable);
  }

  /** Who looks after services. */
  ServiceWitness services() {
    return Objects.requireNonNull(services);
  }

  /** What the daemon that is there could know and do. */
  Circumstances around() {
    return Objects.requireNonNull(around);
  }

  private JobLimits limits() {
    return Objects.requireNonNull(limits);
  }

  /** Who looks after alerts. */
  private Alarms alarms() {
    return Objects.requireNonNull(alarms);
  }

  private ChainRules chains() {
    return Objects.requireNonNull(chains);
  }

  private RetryRules retries() {
    return Objects.requireNonNull(retries);
  }

  /** The clock was set: what waits may begin at another time. */
  void clockSet() {
    around().clockSetNanos = machine().clock.nanos();
    jobs.values().forEach(job -> job.clockSet = true);
  }

  /** An operator wants runs of this job, and what waits, to end. */
  void ending(String identity) {
    job(identity).askedNanos = machine().clock.nanos();
  }

  private JobRules rules() {
    return Objects.requireNonNull(rules);
  }

  private Machine machine() {
    return Objects.requireNonNull(machine);
  }

  JobWitness job(String identity) {
    return jobs.computeIfAbsent(identity, it -> new JobWitness());
  }

  /** A violation is not lost where somebody catches everything. */
  Violation fail(Invariant invariant, String what) {
    Violation failed = new Violation(invariant, what);
    if (violation == null) {
      violation = failed;
    }
    return failed;
  }

  void check() {
    limits().look();
    alarms().look();
    chains().look();
    services().look();
    if (violation != null) {
      throw violation;
    }
  }

  // What the world does to the daemon.

  /** A daemon is there from now on, with these jobs. */
  void started(Map<String, JobEntry> now) {
    endsAll = false;
    takesAll = false;
    inherited.clear();
    for (String name : machine().disk.names(Machine.STATE)) {
      byte[] content = machine().disk.content(Machine.STATE.resolve(name));
      if (content != null && name.endsWith(".json")) {
        inherited.put(name, Versions.current(content));
      }
    }
    startedNanos = machine().clock.nanos();
    interrupted |= starting;
    starting = true;
    arrivalsWait = false;
    around().undecided = false;
    absent(false);
    taking(now);
    alarms().limits.started();
    jobs.forEach(
        (identity, job) -> {
          if (job.damaged) {
            job.lostAtMillis = nextSecond();
            forgetAhead(job, true);
          }
          byte[] content = job.damaged ? machine().disk.content(job.file(identity)) : null;
          job.unreadable = content != null && StateView.parse(Versions.current(content)) == null;
          job.missing = isMissing(identity);
          if (job.vanished && job.missing) {
            job.quarantinedMillis = Long.MIN_VALUE; // whoever noticed could not write it down
          }
        });
  }

  /** It came up: these are its jobs, and what it could not read of them is moved aside. */
  void ready(Map<String, JobEntry> now) {
    taken(now);
    if (interrupted && around().readErrors) {
      // Whoever was to start before, and could not read a file, may have noted that it is lost.
      jobs.values().forEach(job -> job.lostAtMillis = nextSecond());
    }
    jobs.forEach(this::noticed);
    interrupted = false;
    starting = false;
    for (String name : machine().disk.names(Machine.STATE)) {
      int corrupt = name.indexOf(".corrupt.");
      String moved = corrupt < 0 ? null : names.get(name.substring(0, corrupt));
      if (moved != null && aside.add(name)) {
        job(moved).lostAtMillis = nextSecond();
      }
    }
  }

  /** A daemon has seen that the file of a job is not there. */
  private void noticed(String identity, JobWitness job) {
    if (job.arrivalLost) {
      job.arrivalLost = false;
      job.changesLostMillis = machine().clock.wallMillis();
    }
    if (job.vanished) {
      job.vanished = isMissing(identity); // where nobody can write, the next one has to notice
      job.lostAtMillis = nextSecond();
      // One that was to start before may have noted that already.
      if (job.missing && !interrupted) {
        job.quarantinedMillis = machine().clock.wallMillis();
      }
    }
  }

  /** What is new to the daemon is noticed when it can be written. */
  void arrivalsWait() {
    arrivalsWait = true;
  }

  /** Moments are remembered to the second. */
  private long nextSecond() {
    return Math.ceilDiv(machine().clock.wallMillis(), 1000L) * 1000L;
  }

  /** The daemon was not there until now. */
  void absent(boolean commitsUnderWay) {
    around().presentSinceMillis = machine().clock.wallMillis();
    jobs.values().forEach(job -> job.backMillis = Long.MIN_VALUE);
    around().undecided |= commitsUnderWay;
    disturbed();
  }

  /** All that was decided until now is durable, or was in vain. */
  void committed() {
    around().undecided &= machine().disk.troubled();
  }

  /** Writing does not work: what was decided may become durable much later. */
  void unwritable() {
    around().unwritable();
  }

  /** Something happened that may keep the daemon from seeing or doing. */
  void disturbed() {
    around().disturbed();
  }

  /** Reading may fail from now on. */
  void readErrors() {
    around().readErrors = true;
    around().readErrorsNanos = Long.MAX_VALUE / 2;
  }

  /** Reading works again; what could not be read is written anew without it, soon. */
  void readable() {
    if (around().readErrors) {
      around().readErrorsNanos = Math.min(around().readErrorsNanos, machine().clock.nanos());
      jobs.forEach((identity, job) -> job.readable = machine().disk.content(job.file(identity)));
    }
  }

  void resuming(String identity) {
    StateView last = job(identity).last;
    if (last != null && last.suspended()) {
      job(identity).backMillis = machine().clock.wallMillis();
    }
    disturbed();
  }

  /** The operator gives up what a clock ahead has used up. */
  void releasing(String identity) {
    long now = machine().clock.wallMillis();
    JobWitness job = job(identity);
    job.noticedMillis.replaceAll((fingerprint, noticed) -> Math.min(noticed, now));
    job.quarantinedMillis = Math.min(job.quarantinedMillis, now);
    if (job.lostAtMillis != Long.MIN_VALUE) {
      job.lostAtMillis = Math.max(job.lostAtMillis, nextSecond());
    }
    // What neither its file nor the directory of a run tells any more, nobody can know.
    job.executed
        .values()
        .removeIf(
            it -> (it.forgotten || job.lostRuns.contains(it.run.id())) && !hasDirectory(it.run));
    job.outcomes
        .keySet()
        .removeIf(it -> job.lostOutcomes.containsKey(it) && !job.executed.containsKey(it));
    disturbed();
  }

  /** A run's note and its claim have survived. */
  private boolean hasDirectory(Run run) {
    byte[] note = machine().disk.content(run.directory().resolve("note"));
    byte[] claim = machine().disk.content(RunRecord.file(run));
    return claim != null && note != null && new String(note, UTF_8).contains("started_at_ms ");
  }

  /** The daemon reads its files. */
  void reading(Map<String, JobEntry> read) {
    long now = machine().clock.wallMillis();
    around().read = read;
    read.forEach(
        (identity, spec) -> {
          JobWitness job = job(identity);
          job.noticedMillis.merge(spec.schedule(), now, Math::min);
          job.readAtMillis = Math.max(job.readAtMillis, now);
        });
    disturbed();
  }

  void changing() {
    around().entries = null;
    disturbed();
  }

  /** Nothing came of the change. */
  void unchanged() {
    around().entries = around().known;
  }

  /** These are the daemon's jobs from now on. */
  void applied(Map<String, JobEntry> now, boolean commitsUnderWay) {
    around().undecided |= commitsUnderWay;
    taking(now);
    taken(now);
  }

  /** A daemon that dies or refuses meanwhile may have taken nothing over. */
  private void taking(Map<String, JobEntry> now) {
    reading(now);
    now.forEach(
        (identity, spec) -> {
          String fingerprint = spec.schedule();
          boolean changed = !fingerprint.equals(job(identity).fingerprint);
          job(identity).fingerprint = fingerprint;
          if (changed && job(identity).lostAtMillis != Long.MIN_VALUE) {
            job(identity).lostAtMillis = nextSecond(); // what was lost was of both schedules
          }
          JobEntry before = around().known.get(identity);
          if (before == null && job(identity).damaged && !isRemembered(identity)) {
            job(identity).lostAtMillis = nextSecond(); // its file was looked for, and is damaged
            forgetAhead(job(identity), false);
          }
          boolean back = before == null || (before.suspend() && !spec.suspend());
          if (back) {
            job(identity).backMillis = machine().clock.wallMillis();
          }
        });
    around().taken(now);
    disturbed();
  }

  /** A daemon forgets no job of which a run goes on, though no file has it. */
  private boolean isRemembered(String identity) {
    return byRun.values().stream().anyMatch(it -> it.forgotten && it.identity.equals(identity));
  }

  /** From now on a schedule that a job had before is a change again. */
  private void taken(Map<String, JobEntry> now) {
    now.forEach(
        (identity, spec) -> {
          String fingerprint = spec.schedule();
          job(identity).noticedMillis.keySet().removeIf(it -> !it.equals(fingerprint));
        });
  }

  /** A job's file has gone bad: nobody can know any more what it said. */
  void damaged(String identity) {
    JobWitness job = job(identity);
    alarms().excused(identity);
    chains().excused(identity);
    job.damaged = true;
    job.last = null;
    job.lastContent = null;
    long wall = machine().clock.wallMillis();
    job.noticedMillis.replaceAll((fingerprint, noticed) -> Math.min(noticed, wall));
    for (Execution execution : byRun.values()) {
      if (execution.identity.equals(identity) && !job.endedRuns.contains(execution.run.id())) {
        execution.forgotten = true;
      }
    }
    // What it said may be found out, or come back, and be recorded once more: the same.
    job.lostOutcomes.putAll(job.outcomes);
    job.lostRuns.addAll(job.endedRuns);
  }

  /**
   * A clock that was ahead, and a file that is lost: of what ran ahead only the directories of runs
   * could know.
   */
  private void forgetAhead(JobWitness job, boolean asksDirectories) {
    String now = Instant.ofEpochMilli(machine().clock.wallMillis()).toString();
    job.executed
        .entrySet()
        .removeIf(
            it ->
                it.getKey().compareTo(now) > 0
                    && !(asksDirectories && hasDirectory(it.getValue().run)));
    job.outcomes
        .keySet()
        .removeIf(period -> period.compareTo(now) > 0 && !job.executed.containsKey(period));
  }

  /** A job's file is there no more. */
  void vanished(String identity) {
    damaged(identity);
    job(identity).vanished = mayHaveHadFile(identity);
  }

  /** A daemon that starts finds neither its file nor a line that it is new or was lost. */
  private boolean isMissing(String identity) {
    return machine().disk.content(job(identity).file(identity)) == null && mayHaveHadFile(identity);
  }

  /** Whether the arrivals log tells that a job has had a file, or has lost what it said. */
  private boolean mayHaveHadFile(String identity) {
    byte[] arrivals = machine().disk.content(Machine.STATE.resolve("arrivals"));
    String file = String.valueOf(job(identity).file(identity).getFileName());
    String name = file.substring(0, file.length() - ".json".length());
    String lines = arrivals == null ? "" : new String(arrivals, UTF_8);
    boolean had = !lines.startsWith("kron-arrivals 1\n");
    boolean told = false;
    for (String line : lines.lines().filter(it -> it.startsWith(name + " ")).toList()) {
      had = line.contains(" filed ") || (told && had && !line.contains(" quarantined "));
      told = true;
    }
    return had;
  }

  /** Where no job without a file can be told from a new one, all of them may have had one. */
  void arrivalsLost() {
    jobs.forEach(
        (identity, job) -> {
          if (machine().disk.content(job.file(identity)) == null) {
            vanished(identity);
          }
          job.arrivalLost = true;
        });
  }

  /** The directory of a run is there no more, or what tells how it ended. */
  void runLost(String runId) {
    Execution execution = byRun.get(runId);
    if (execution == null) {
      alarms().lost(runId);
    } else {
      execution.limitNanos = Execution.UNSURE;
      execution.leastNanos = 0;
      execution.unheard = true;
      JobWitness job = job(execution.identity);
      Active active = job.last == null ? null : job.last.find(runId);
      if (active != null && active.phase().equals("intended")) {
        execution.unknowable = true;
        job.executed.remove(execution.key());
      }
    }
    services().runLost(runId);
  }

  /** Power was lost: what is on the platter now is what was durable, or something newer. */
  void rebooted() {
    around().entries = null; // whoever decided that is gone
    for (String name : machine().disk.names(Machine.STATE)) {
      Path file = Machine.STATE.resolve(name);
      byte[] content = machine().disk.content(file);
      if (content != null && name.endsWith(".json")) {
        durable(file, content);
      }
    }
    alarms().excused();
    services().rebooted();
  }

  // What the daemon does to the world.

  void launching(Launch launch) {
    Map<String, String> variables = Execution.variables(launch);
    if (variables.containsKey("KRON_OUTCOME")) {
      String told = variables.getOrDefault("KRON_IDENTITY", "");
      if (!job(told).damaged) {
        retries().told(platter(told), variables.getOrDefault("KRON_RUN_ID", ""));
      }
      alarms().launching(variables);
      return;
    }
    String service = variables.get("KRON_SERVICE");
    if (service != null) {
      services().launching(launch, service);
      return;
    }
    String identity = variables.getOrDefault("KRON_IDENTITY", "");
    runsWhatItsFileSays(identity, launch);
    StateView platter = platter(identity);
    if (job(identity).damaged) {
      return;
    }
    Active run = platter == null ? null : platter.find(launch.run().id());
    if (run == null || run.phase().equals("waiting")) {
      throw fail(
          Invariant.DURABLE_BEFORE_DONE,
          identity + " starts run " + launch.run().id() + ", on the platter is " + platter);
    }
  }

  /** Of the file in force, or of one that was until a moment ago. */
  private void runsWhatItsFileSays(String identity, Launch launch) {
    String wrong = null;
    long limit = Execution.UNSURE;
    long least = Execution.NO_LIMIT;
    boolean right = false;
    for (JobEntry entry : around().inForce(identity)) {
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
      throw fail(
          Invariant.WHAT_RUNS_IS_WHAT_THE_FILE_SAYS,
          "run " + launch.run().id() + " of " + identity + ": " + wrong);
    }
    launches.put(launch.run().id(), new Start(machine().clock.nanos(), limit, right ? least : 0));
  }

  /** Its period was looked at since the file in force was taken over. */
  private boolean isDecidedBy(String identity, Launch launch) {
    Map<String, String> variables = Execution.variables(launch);
    String period = variables.getOrDefault("KRON_PERIOD", "");
    int attempt = Integer.parseInt(variables.getOrDefault("KRON_ATTEMPT", "1"));
    Long decided = job(identity).begun.get(Execution.key(period, attempt));
    return decided != null && around().isSettledSince(decided);
  }

  private @Nullable StateView platter(String identity) {
    byte[] content = machine().disk.platter(job(identity).file(identity));
    if (job(identity).isLast(content)) {
      return job(identity).last;
    }
    return content == null ? null : StateView.parse(content);
  }

  @Override
  public void began(Execution execution) {
    if (execution.instance != null) {
      services().began(execution, execution.instance);
      return;
    }
    if (execution.alert) {
      alarms().began(execution);
      return;
    }
    JobWitness job = job(execution.identity);
    if (byRun.put(execution.run.id(), execution) != null) {
      throw fail(Invariant.ONE_EXECUTION_PER_RUN, "run " + execution.run.id() + " began twice");
    }
    chains().began(execution);
    if (!execution.period.isEmpty()) {
      Execution before = job.executed.put(execution.key(), execution);
      Execution former = job.executed.get(Execution.key(execution.period, execution.attempt - 1));
      if (execution.attempt > 1 && former != null && !former.over) {
        throw fail(
            Invariant.ATTEMPTS_FOLLOW_EACH_OTHER,
            execution.run.id() + " begins while " + former.run.id() + " goes on");
      }
      if (before != null) {
        throw fail(
            Invariant.AT_MOST_ONCE,
            "%s ran %s as run %s and as run %s"
                .formatted(
                    execution.identity, execution.key(), before.run.id(), execution.run.id()));
      }
    }
    execution.forgotten = job.damaged; // its intent was lost before it began
    JobEntry spec = around().entry(execution.identity);
    Start start = launches.remove(execution.run.id());
    if (start != null) {
      execution.limitNanos = start.limitNanos();
      execution.leastNanos = start.leastNanos();
      execution.launchedNanos = start.atNanos();
    }
    limits().began(execution);
    boolean allowed = spec != null && spec.allowsOthers(); // by now
    if (job.alone.contains(execution.run.id()) && !allowed) {
      for (Execution other : byRun.values()) {
        boolean known = !other.forgotten || !other.unheard; // by its job's file, or by its own
        if (other != execution
            && known
            && !other.over
            && other.identity.equals(execution.identity)) {
          throw fail(
              Invariant.NO_OVERLAP,
              "%s starts run %s while run %s goes on"
                  .formatted(execution.identity, execution.run.id(), other.run.id()));
        }
      }
    }
  }

  @Override
  public void ended(Execution execution) {
    if (execution.instance != null) {
      services().ended(execution, execution.instance);
    }
  }

  void endsAll() {
    endsAll = true;
  }

  /** An operator was told that everything ends. */
  void takesAll() {
    takesAll = true;
  }

  /** The daemon has left. */
  void left(int exitCode) {
    if (takesAll) {
      new Departure(machine(), around(), services()::isUnknowable, this::fail).check(exitCode);
    }
  }

  @Override
  public void tried(Run run, Signal signal) {
    if (signal == Signal.TERM) {
      limits().tried(run);
      services().tried(run);
    }
  }

  @Override
  public void signalled(Execution execution, Signal signal) {
    if (execution.instance != null) {
      services().signalled(execution, execution.instance, signal);
      return;
    }
    if (execution.alert) {
      alarms().limits.signalled(execution, signal);
      return;
    }
    StateView platter = platter(execution.identity);
    if (job(execution.identity).damaged) {
      return;
    }
    Active run = platter == null ? null : platter.find(execution.run.id());
    if (run == null || run.ending().isEmpty()) {
      if (endsAll) {
        return;
      }
      throw fail(
          Invariant.DURABLE_BEFORE_DONE,
          signal + " to run " + execution.run.id() + ", on the platter is " + platter);
    }
    limits().signalled(execution, signal, run.ending());
  }

  /** What an operator was told. */
  void answered(String what, @Nullable String identity, Answer answer) {
    if (identity == null || !answer.isDone() || job(identity).damaged) {
      return;
    }
    StateView platter = platter(identity);
    String runId = answer.runId();
    boolean kept =
        switch (what) {
          case "suspend" -> platter != null && platter.suspended();
          case "resume" -> platter == null || !platter.suspended();
          case "run" ->
              platter != null
                  && runId != null
                  && (platter.find(runId) != null
                      || platter.history().stream().anyMatch(it -> it.runId().equals(runId)));
          // Those that began later are not meant; they are younger than the answer's write.
          case "end runs" ->
              platter == null
                  || platter.active().isEmpty()
                  || platter.active().stream().anyMatch(it -> !it.ending().isEmpty())
                  || platter.history().stream()
                      .anyMatch(it -> it.why().cause().equals("stopped-by-operator"));
          default -> true;
        };
    if (!kept) {
      throw fail(
          Invariant.ANSWERS_ARE_DURABLE,
          what + " " + identity + ": " + answer + ", on the platter is " + platter);
    }
  }

  // What becomes durable.

  private void durable(Path file, byte[] content) {
    String name = String.valueOf(file.getFileName());
    int corrupt = name.indexOf(".corrupt.");
    String moved = corrupt < 0 ? null : names.get(name.substring(0, corrupt));
    if (moved != null) {
      damaged(moved);
      // A daemon that is there knows what it said.
      if (machine().clock.nanos() == startedNanos && job(moved).unreadable) {
        job(moved).quarantinedMillis = machine().clock.wallMillis();
      }
    }
    if (arrivalsWait && name.equals("arrivals")) {
      reading(around().known); // it may be now that it notes what it was started with
      // Nor was a job there before that whose file it had found missing: of windows that began
      // before the note, any other daemon would say as well that they may have run.
      for (JobWitness job : jobs.values()) {
        job.lostAtMillis = job.missing ? nextSecond() : job.lostAtMillis;
        job.missing = false;
      }
    }
    if (file.equals(ServiceWitness.FILE)) {
      services().durable(content);
      return;
    }
    if (!name.endsWith(".json")) {
      return;
    }
    byte[] current = Versions.current(content);
    StateView now = StateView.parse(current);
    if (now == null) {
      return;
    }
    names.put(name, now.identity());
    JobWitness job = job(now.identity());
    StateView before = job.last;
    if (now.equals(before)) {
      return;
    }
    machine().trace.say(() -> "durable " + now);
    if (before != null) {
      rules().handledStays(before, now);
      retries().durable(job, before, now);
      job.clockSet &= now.retry() != null;
      boolean soon = machine().clock.nanos() - around().readErrorsNanos <= JobRules.PATIENCE_NANOS;
      if (!soon && !Arrays.equals(content, job.readable)) {
        rules().historyStays(before, now);
      }
    }
    job.damaged = false;
    job.vanished = false;
    job.last = now;
    job.lastContent = content;
    Map<String, JobEntry> present = around().entries;
    if (Arrays.equals(current, inherited.get(name))) {
      around().entries = null;
    }
    Set<Entry> knownEntries = before == null ? Set.of() : new HashSet<>(before.history());
    for (Entry entry : now.history()) {
      if (!knownEntries.contains(entry)) {
        rules().ended(now.identity(), job, before, entry, job.runs.contains(entry.runId()));
        chains().recorded(now.identity(), entry);
        boolean waits = now.retry() != null && now.retry().failedRun().equals(entry.runId());
        if ((before != null || now.history().size() == 1) && !waits) {
          alarms().recorded(now.identity(), entry);
        }
      }
    }
    dropped(before, now);
    for (Active run : now.active()) {
      if (job.runs.add(run.runId())) {
        rules().decided(now.identity(), job, before, run);
        chains().decided(now.identity(), run);
      }
    }
    around().entries = present;
  }

  /** What waited was given up: the failure before it is told now. */
  private void dropped(@Nullable StateView before, StateView now) {
    StateView.Waiting waited = before == null ? null : before.retry();
    if (waited == null
        || waited.equals(now.retry())
        || now.active().stream().anyMatch(waited::isAttempt)) {
      return;
    }
    now.history().stream()
        .filter(it -> it.runId().equals(waited.failedRun()))
        .forEach(it -> alarms().recorded(now.identity(), it));
  }

  /** From now on every period that is due has to run, but those that are handled already. */
  void expectEverything() {
    jobs.values().forEach(job -> job.handledBefore = job.last == null ? "" : job.last.handled());
  }

  /** Who judges what has become of everything when faults have stopped. */
  Aftermath aftermath() {
    return new Aftermath(
        machine(),
        jobs,
        byRun,
        Objects.requireNonNull(around().entries),
        retries(),
        historyLimit,
        this::fail);
  }
}
