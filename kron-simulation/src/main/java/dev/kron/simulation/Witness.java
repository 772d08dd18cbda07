package dev.kron.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kron.daemon.HandDrivenDaemon.Answer;
import dev.kron.job.JobSpec;
import dev.kron.process.Launch;
import dev.kron.process.Run;
import dev.kron.process.RunStatus;
import dev.kron.process.Signal;
import dev.kron.schedule.DueTimes;
import dev.kron.schedule.DueTimes.Due;
import dev.kron.schedule.Policy.Concurrency;
import dev.kron.simulation.StateView.Active;
import dev.kron.simulation.StateView.Entry;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Sees everything that really happens, and holds it against what must hold. It never asks the
 * daemon: it reads the platter, and knows what was executed.
 */
final class Witness implements Keepers.Onlooker {
  private static final Pattern LATENESS =
      Pattern.compile("(\\d+) s late when the daemon was there again, the deadline is (\\d+) s");
  private static final long MARGIN_MILLIS = 6_000;
  private static final long PATIENCE_NANOS = 60_000_000_000L;
  static final String EXECUTED = "executed";

  private final Map<String, JobWitness> jobs = new TreeMap<>();
  private final Map<String, Execution> byRun = new HashMap<>();
  private final Map<String, String> names = new HashMap<>();

  /** What the daemon that is there found when it started: it has decided nothing of that. */
  private final Map<String, byte[]> inherited = new HashMap<>();

  /** Names of files that daemons have moved aside. */
  private final Set<String> aside = new HashSet<>();

  private final Set<String> alerted = new HashSet<>();
  private final int historyLimit;
  private @Nullable Machine machine;
  private @Nullable ServiceWitness services;
  private @Nullable Violation violation;

  /** What the daemon's jobs are now; null while that is changing. */
  private @Nullable Map<String, JobSpec> specs;

  /** What they were before that. */
  private Map<String, JobSpec> known = Map.of();

  /** Since when the daemon has certainly been there without an absence; wall clock. */
  private long presentSinceMillis;

  /** Since when nothing happened that could have kept it from seeing anything; wall clock. */
  private long undisturbedSinceMillis;

  /** What is made durable next may have been decided before an absence. */
  private boolean undecided;

  private long startedNanos = -1;
  private boolean starting;

  /** The daemon that is there could not note, when it started, what was new to it. */
  private boolean arrivalsWait;

  /** A start before this one came to nothing. */
  private boolean interrupted;

  private long troubledNanos = Long.MIN_VALUE / 2;
  private boolean readErrors;
  private long readErrorsNanos = Long.MIN_VALUE / 2;

  Witness(int historyLimit) {
    this.historyLimit = historyLimit;
  }

  void watch(Machine watched) {
    machine = watched;
    services = new ServiceWitness(watched, this::fail);
    watched.disk.onDurable(this::durable);
  }

  /** Who looks after services. */
  ServiceWitness services() {
    return Objects.requireNonNull(services);
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
    if (violation != null) {
      throw violation;
    }
  }

  // What the world does to the daemon.

  /** A daemon is there from now on, with these jobs. */
  void started(Map<String, JobSpec> now) {
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
    undecided = false;
    absent(false);
    taking(now);
    jobs.forEach(
        (identity, job) -> {
          if (job.damaged) {
            job.lostAtMillis = nextSecond();
          }
          byte[] content = job.damaged ? machine().disk.content(job.file(identity)) : null;
          job.unreadable = content != null && StateView.parse(Versions.current(content)) == null;
        });
  }

  /** It came up: these are its jobs, and what it could not read of them is moved aside. */
  void ready(Map<String, JobSpec> now) {
    taken(now);
    if (interrupted && readErrors) {
      // Whoever was to start before, and could not read a file, may have noted that it is lost.
      jobs.values().forEach(job -> job.lostAtMillis = nextSecond());
    }
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
    presentSinceMillis = machine().clock.wallMillis();
    jobs.values().forEach(job -> job.backMillis = Long.MIN_VALUE);
    undecided |= commitsUnderWay;
    disturbed();
  }

  /** All that was decided until now is durable, or was in vain. */
  void committed() {
    undecided &= machine().disk.troubled();
  }

  /** Writing does not work: what was decided may become durable much later. */
  void unwritable() {
    undecided = true;
    troubledNanos = machine().clock.nanos();
    disturbed();
  }

  /** Something happened that may keep the daemon from seeing or doing. */
  void disturbed() {
    undisturbedSinceMillis = machine().clock.wallMillis();
  }

  /** Reading may fail from now on. */
  void readErrors() {
    readErrors = true;
    readErrorsNanos = Long.MAX_VALUE / 2;
  }

  /** Reading works again; what could not be read is written anew without it, soon. */
  void readable() {
    if (readErrors) {
      readErrorsNanos = Math.min(readErrorsNanos, machine().clock.nanos());
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
  void reading(Map<String, JobSpec> read) {
    long now = machine().clock.wallMillis();
    read.forEach(
        (identity, spec) -> {
          JobWitness job = job(identity);
          job.noticedMillis.merge(spec.schedule().fingerprint(), now, Math::min);
          job.readAtMillis = Math.max(job.readAtMillis, now);
        });
    disturbed();
  }

  void changing() {
    specs = null;
    disturbed();
  }

  /** Nothing came of the change. */
  void unchanged() {
    specs = known;
  }

  /** These are the daemon's jobs from now on. */
  void applied(Map<String, JobSpec> now, boolean commitsUnderWay) {
    undecided |= commitsUnderWay;
    taking(now);
    taken(now);
  }

  /** A daemon that dies or refuses meanwhile may have taken nothing over. */
  private void taking(Map<String, JobSpec> now) {
    reading(now);
    now.forEach(
        (identity, spec) -> {
          String fingerprint = spec.schedule().fingerprint();
          boolean changed = !fingerprint.equals(job(identity).fingerprint);
          job(identity).fingerprint = fingerprint;
          if (changed && job(identity).lostAtMillis != Long.MIN_VALUE) {
            job(identity).lostAtMillis = nextSecond(); // what was lost was of both schedules
          }
          JobSpec before = known.get(identity);
          if (before == null && job(identity).damaged && !isRemembered(identity)) {
            job(identity).lostAtMillis = nextSecond(); // its file was looked for, and is damaged
          }
          boolean back =
              before == null
                  || (before.schedule().policy().suspend() && !spec.schedule().policy().suspend());
          if (back) {
            job(identity).backMillis = machine().clock.wallMillis();
          }
        });
    known = now;
    specs = now;
    disturbed();
  }

  /** A daemon forgets no job of which a run goes on, though no file has it. */
  private boolean isRemembered(String identity) {
    return byRun.values().stream().anyMatch(it -> it.forgotten && it.identity.equals(identity));
  }

  /** From now on a schedule that a job had before is a change again. */
  private void taken(Map<String, JobSpec> now) {
    now.forEach(
        (identity, spec) -> {
          String fingerprint = spec.schedule().fingerprint();
          job(identity).noticedMillis.keySet().removeIf(it -> !it.equals(fingerprint));
        });
  }

  /** A job's file has gone bad: nobody can know any more what it said. */
  void damaged(String identity) {
    JobWitness job = job(identity);
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
    // A clock that was ahead, and then a file that is lost: nothing is left that could know.
    String now = Instant.ofEpochMilli(machine().clock.wallMillis()).toString();
    job.executed.keySet().removeIf(period -> period.compareTo(now) > 0);
    job.outcomes.keySet().removeIf(period -> period.compareTo(now) > 0);
  }

  /** Power was lost: what is on the platter now is what was durable, or something newer. */
  void rebooted() {
    specs = null; // whoever decided that is gone
    for (String name : machine().disk.names(Machine.STATE)) {
      Path file = Machine.STATE.resolve(name);
      byte[] content = machine().disk.content(file);
      if (content != null && name.endsWith(".json")) {
        durable(file, content);
      }
    }
    services().rebooted();
  }

  // What the daemon does to the world.

  void launching(Launch launch) {
    Map<String, String> variables = Execution.variables(launch);
    if (variables.containsKey("KRON_OUTCOME")) {
      return;
    }
    String service = variables.get("KRON_SERVICE");
    if (service != null) {
      services().launching(launch, service);
      return;
    }
    String identity = variables.getOrDefault("KRON_IDENTITY", "");
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
      String failure = execution.identity + " " + execution.period + " " + execution.run.id();
      if (!alerted.add(failure)) {
        throw fail(Invariant.ALERTED_AT_MOST_ONCE, "twice for " + failure);
      }
      return;
    }
    JobWitness job = job(execution.identity);
    if (byRun.put(execution.run.id(), execution) != null) {
      throw fail(Invariant.ONE_EXECUTION_PER_RUN, "run " + execution.run.id() + " began twice");
    }
    if (!execution.period.isEmpty()) {
      Execution before = job.executed.put(execution.period, execution);
      if (before != null) {
        throw fail(
            Invariant.AT_MOST_ONCE,
            "%s ran %s as run %s and as run %s"
                .formatted(
                    execution.identity, execution.period, before.run.id(), execution.run.id()));
      }
    }
    JobSpec spec = spec(execution.identity);
    boolean allowed =
        spec != null && spec.schedule().policy().concurrency() == Concurrency.ALLOW; // by now
    if (job.alone.contains(execution.run.id()) && !allowed) {
      for (Execution other : byRun.values()) {
        if (other != execution && !other.over && other.identity.equals(execution.identity)) {
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

  @Override
  public void signalled(Execution execution, Signal signal) {
    if (execution.instance != null) {
      services().signalled(execution, execution.instance, signal);
      return;
    }
    if (execution.alert) {
      throw fail(Invariant.ONLY_OURS_IS_SIGNALLED, signal + " to an alert " + execution.run.id());
    }
    StateView platter = platter(execution.identity);
    if (job(execution.identity).damaged) {
      return;
    }
    Active run = platter == null ? null : platter.find(execution.run.id());
    if (run == null || run.ending().isEmpty()) {
      throw fail(
          Invariant.DURABLE_BEFORE_DONE,
          signal + " to run " + execution.run.id() + ", on the platter is " + platter);
    }
  }

  /** What an operator was told. */
  void answered(String what, @Nullable String identity, Answer answer) {
    if (identity == null || !answer.done() || job(identity).damaged) {
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
      reading(known); // it may be now that it notes what it was started with
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
      handledStays(before, now);
      boolean soon = machine().clock.nanos() - readErrorsNanos <= PATIENCE_NANOS;
      if (!soon && !Arrays.equals(content, job.readable)) {
        historyStays(before, now);
      }
    }
    job.damaged = false;
    job.last = now;
    job.lastContent = content;
    Map<String, JobSpec> present = specs;
    if (Arrays.equals(current, inherited.get(name))) {
      specs = null;
    }
    Set<Entry> knownEntries = before == null ? Set.of() : new HashSet<>(before.history());
    for (Entry entry : now.history()) {
      if (!knownEntries.contains(entry)) {
        ended(now.identity(), job, before, entry, job.runs.contains(entry.runId()));
      }
    }
    for (Active run : now.active()) {
      if (job.runs.add(run.runId())) {
        decided(now.identity(), job, before, run);
      }
    }
    specs = present;
  }

  private void handledStays(StateView before, StateView now) {
    boolean released = now.history().stream().anyMatch(Entry::released);
    if (!released && now.handled().compareTo(before.handled()) < 0) {
      throw fail(
          Invariant.HANDLED_NEVER_GOES_BACK,
          now.identity() + " from " + before.handled() + " to " + now.handled());
    }
  }

  private void historyStays(StateView before, StateView now) {
    List<Entry> old = before.history();
    int dropped = 0;
    while (dropped < old.size() && !startsWith(now.history(), old.subList(dropped, old.size()))) {
      dropped++;
    }
    if (dropped > 0 && now.history().size() < historyLimit) {
      throw fail(
          Invariant.OUTCOMES_ARE_PERMANENT,
          now.identity() + " had " + before.history() + " and has " + now.history());
    }
  }

  private static boolean startsWith(List<Entry> list, List<Entry> beginning) {
    return list.size() >= beginning.size() && list.subList(0, beginning.size()).equals(beginning);
  }

  /** A run that is on record from now on: somebody decided to start it. */
  private void decided(String identity, JobWitness job, @Nullable StateView before, Active run) {
    JobSpec spec = spec(identity);
    if (spec != null && !undecided && spec.schedule().policy().concurrency() != Concurrency.ALLOW) {
      job.alone.add(run.runId());
    }
    if (run.period().isEmpty()) {
      return;
    }
    if (job.executed.containsKey(run.period())) {
      throw fail(
          Invariant.AT_MOST_ONCE, identity + " decides again to run " + run.period() + ", " + run);
    }
    boolean again = !job.begun.add(run.period());
    if (!again && !byRun.containsKey(run.runId())) {
      handled(identity, job, before, run.period());
    }
    // What could not be begun for the disk's sake, though decided in time, begins when it can.
    boolean delayed = again && machine().clock.nanos() - troubledNanos < PATIENCE_NANOS;
    if (spec != null && !undecided && !delayed) {
      long due = Instant.parse(run.due()).toEpochMilli();
      long back = back(job);
      long late = Math.floorDiv(back - due, 1000L);
      long deadline = spec.schedule().policy().deadlineSeconds();
      if (due < back && late > deadline) {
        throw fail(
            Invariant.DEADLINE,
            "%s starts %s, due %s, %s s late, its deadline is %s s"
                .formatted(identity, run.period(), Instant.ofEpochMilli(due), late, deadline));
      }
    }
  }

  /** A period was looked at for the first time. */
  private void handled(String identity, JobWitness job, @Nullable StateView before, String period) {
    JobSpec spec = spec(identity);
    if (spec == null || undecided) {
      return;
    }
    if ((before != null && before.suspended()) || spec.schedule().policy().suspend()) {
      throw fail(Invariant.SUSPENDED_STARTS_NOTHING, identity + " handles " + period);
    }
    Due due = due(spec, period);
    if (due.decision().windowStart().getEpochSecond()
        <= Math.floorDiv(job.quarantinedMillis, 1000L)) {
      throw fail(
          Invariant.LOST_MAY_HAVE_RUN,
          "%s handles %s, its window was open since %s when its file was quarantined at %s"
              .formatted(
                  identity,
                  period,
                  due.decision().windowStart(),
                  Instant.ofEpochMilli(job.quarantinedMillis)));
    }
    Long noticed = job.noticedMillis.get(spec.schedule().fingerprint());
    if (noticed != null && due.dueEpochSecond() < Math.floorDiv(noticed, 1000L)) {
      throw fail(
          Invariant.CHANGES_HAVE_NO_PAST,
          "%s handles %s, due %s, with a schedule that was noticed %s"
              .formatted(
                  identity,
                  period,
                  Instant.ofEpochSecond(due.dueEpochSecond()),
                  Instant.ofEpochMilli(noticed)));
    }
    long back = back(job);
    if (due.dueEpochSecond() * 1000L < back) {
      Due latest =
          DueTimes.of(spec.schedule(), identity).latestAtOrBefore(Math.ceilDiv(back, 1000L) - 1);
      if (latest != null
          && latest.decision().nominalEpochSecond() > due.decision().nominalEpochSecond()) {
        throw fail(
            Invariant.NO_BURST,
            "%s handles %s although %s was due as well when the daemon was back at %s"
                .formatted(
                    identity, period, latest.decision().periodId(), Instant.ofEpochMilli(back)));
      }
    }
  }

  private static Due due(JobSpec spec, String period) {
    return DueTimes.of(spec.schedule(), spec.identity()).of(Instant.parse(period).getEpochSecond());
  }

  private @Nullable JobSpec spec(String identity) {
    return specs == null ? null : specs.get(identity);
  }

  private long back(JobWitness job) {
    return Math.max(presentSinceMillis, job.backMillis);
  }

  private void ended(
      String identity, JobWitness job, @Nullable StateView before, Entry entry, boolean known) {
    if (entry.released()) {
      job.outcomes.values().removeIf(outcome -> !outcome.equals(EXECUTED));
      return;
    }
    once(identity, job, entry);
    if (!entry.period().isEmpty() && !known && entry.runId().isEmpty()) {
      handled(identity, job, before, entry.period());
    }
    Execution execution = byRun.get(entry.runId());
    if (entry.outcome().equals(EXECUTED)) {
      executed(identity, entry, execution);
    } else if (execution != null && execution.identity.equals(identity)) {
      throw fail(Invariant.BEGUN_IS_NEVER_MISSED, identity + " " + entry);
    }
    if (entry.outcome().equals("missed")) {
      missed(identity, before, entry);
    }
  }

  private void once(String identity, JobWitness job, Entry entry) {
    boolean isNew = entry.runId().isEmpty() || job.endedRuns.add(entry.runId());
    if (!isNew && !job.lostRuns.remove(entry.runId())) {
      throw fail(Invariant.OUTCOMES_ARE_PERMANENT, identity + " ends a run twice: " + entry);
    }
    if (!entry.period().isEmpty()) {
      String outcome = job.outcomes.put(entry.period(), entry.outcome());
      boolean again = entry.outcome().equals(job.lostOutcomes.remove(entry.period()));
      if (outcome != null && !again) {
        throw fail(
            Invariant.OUTCOMES_ARE_PERMANENT,
            identity + " was " + outcome + " and becomes " + entry);
      }
    }
  }

  private void executed(String identity, Entry entry, @Nullable Execution execution) {
    if (!entry.stage().isEmpty() && execution != null) {
      throw fail(Invariant.EXIT_CODES_ARE_TRUE, identity + " began, and has " + entry);
    }
    if (execution != null && !execution.over) {
      throw fail(Invariant.NOT_OVER_WHILE_IT_RUNS, identity + " goes on, and has " + entry);
    }
    if (entry.exitCode() == null) {
      if (execution != null && !readErrors) {
        RunRecord record = RunRecord.parse(machine().disk.content(RunRecord.file(execution.run)));
        if (record instanceof RunRecord.Kept(_, _, RunStatus.Ended end) && end != null) {
          throw fail(
              Invariant.UNKNOWN_ONLY_WHEN_UNKNOWABLE,
              identity + " has " + entry + " and its record " + end);
        }
      }
    } else if (execution == null
        || !entry.exitCode().equals(execution.status)
        || (entry.signal() != null && !entry.signal().equals(execution.signal))) {
      throw fail(
          Invariant.EXIT_CODES_ARE_TRUE,
          "%s has %s, and really %s"
              .formatted(
                  identity,
                  entry,
                  execution == null ? "never began" : "ended with " + execution.status));
    }
  }

  private void missed(String identity, @Nullable StateView before, Entry entry) {
    Matcher lateness = LATENESS.matcher(entry.reason());
    JobSpec spec = spec(identity);
    boolean delayed =
        entry.reason().startsWith("never began")
            && machine().clock.nanos() - troubledNanos < PATIENCE_NANOS;
    if (!lateness.find() || entry.period().isEmpty() || spec == null || undecided || delayed) {
      return;
    }
    Active run = before == null ? null : before.find(entry.runId());
    if (run == null && !entry.runId().isEmpty()) {
      return; // of a file that was lost: it was due by a schedule that may be another one now
    }
    long due =
        run == null
            ? due(spec, entry.period()).dueEpochSecond() * 1000L
            : Instant.parse(run.due()).toEpochMilli();
    boolean seen = due >= undisturbedSinceMillis + MARGIN_MILLIS;
    if (seen || Long.parseLong(lateness.group(1)) <= Long.parseLong(lateness.group(2))) {
      throw fail(
          Invariant.MISSED_ONLY_WHEN_LATE,
          "%s was due %s, undisturbed since %s: %s"
              .formatted(
                  identity,
                  Instant.ofEpochMilli(due),
                  Instant.ofEpochMilli(undisturbedSinceMillis),
                  entry));
    }
  }

  /** From now on every period that is due has to run, but those that are handled already. */
  void expectEverything() {
    jobs.values().forEach(job -> job.handledBefore = job.last == null ? "" : job.last.handled());
  }

  /** Who judges what has become of everything when faults have stopped. */
  Aftermath aftermath() {
    return new Aftermath(
        machine(), jobs, byRun, Objects.requireNonNull(specs), historyLimit, this::fail);
  }
}
