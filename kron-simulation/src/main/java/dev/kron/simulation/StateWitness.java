package dev.kron.simulation;

import dev.kron.simulation.StateView.Active;
import dev.kron.simulation.StateView.Entry;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Sees what becomes durable in the files of jobs, and has the rules judge each change. */
final class StateWitness {
  private final Machine machine;
  private final Circumstances around;
  private final JobWitnesses jobs;
  private final JobLosses losses;
  private final Rules rules;

  /** The identities of jobs, by the names of their files. */
  private final Map<String, String> names = new HashMap<>();

  /** The files that the present daemon found when it started: it has decided nothing of them. */
  private final Map<String, byte[]> inherited = new HashMap<>();

  /** Names of files that daemons have moved aside. */
  private final Set<String> aside = new HashSet<>();

  private long startedNanos = -1;

  /** The judges of what becomes durable. */
  record Rules(
      JobRules jobs,
      RetryRules retries,
      ChainRules chains,
      BootRules boots,
      Alarms alarms,
      MessageRules messages) {}

  StateWitness(
      Machine machine, Circumstances around, JobWitnesses jobs, JobLosses losses, Rules rules) {
    this.machine = machine;
    this.around = around;
    this.jobs = jobs;
    this.losses = losses;
    this.rules = rules;
  }

  /** A daemon is there from now on, and finds these files. */
  void started() {
    inherited.clear();
    for (String name : machine.disk.names(Machine.STATE)) {
      byte[] content = machine.disk.content(Machine.STATE.resolve(name));
      if (content != null && name.endsWith(".json")) {
        inherited.put(name, Versions.current(content));
      }
    }
    startedNanos = machine.clock.nanos();
  }

  /** The daemon came up, and files that it could not read are moved aside. */
  void ready() {
    for (String name : machine.disk.names(Machine.STATE)) {
      String moved = movedAside(name);
      if (moved != null && aside.add(name)) {
        jobs.job(moved).lostAtMillis = losses.nextSecond();
      }
    }
  }

  /** The job whose file a daemon has moved aside under that name; null: none. */
  private @Nullable String movedAside(String name) {
    int corrupt = name.indexOf(".corrupt.");
    return corrupt < 0 ? null : names.get(name.substring(0, corrupt));
  }

  /** Power was lost: what is on the platter now is what was durable, or something newer. */
  void rebooted() {
    for (String name : machine.disk.names(Machine.STATE)) {
      byte[] content = machine.disk.content(Machine.STATE.resolve(name));
      if (content != null && name.endsWith(".json")) {
        durable(name, content);
      }
    }
  }

  /** A file of this name is durable with that content. */
  void durable(String name, byte[] content) {
    String moved = movedAside(name);
    if (moved != null) {
      losses.damaged(moved);
      // A daemon that is there knows what it said.
      if (machine.clock.nanos() == startedNanos && jobs.job(moved).unreadable) {
        jobs.job(moved).quarantinedMillis = machine.clock.wallMillis();
      }
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
    JobWitness job = jobs.job(now.identity());
    StateView before = job.last;
    if (now.equals(before)) {
      return;
    }
    machine.trace.say(() -> "durable " + now);
    if (before != null) {
      follows(job, before, now, content);
    }
    job.damaged = false;
    job.vanished = false;
    job.last = now;
    job.lastContent = content;
    Map<String, JobEntry> present = around.entries;
    if (Arrays.equals(current, inherited.get(name))) {
      around.entries = null;
    }
    rules.messages().durable(before, now);
    rules.boots().told(now);
    ended(job, before, now);
    dropped(before, now);
    decided(job, before, now);
    around.entries = present;
  }

  private void follows(JobWitness job, StateView before, StateView now, byte[] content) {
    rules.jobs().handledStays(before, now);
    rules.retries().durable(job, before, now);
    job.clockSet &= now.retry() != null;
    boolean soon = machine.clock.nanos() - around.readErrorsNanos <= JobRules.PATIENCE_NANOS;
    if (!soon && !Arrays.equals(content, job.readable)) {
      rules.jobs().historyStays(before, now);
    }
  }

  /** The runs and periods that have an end on record from now on. */
  private void ended(JobWitness job, @Nullable StateView before, StateView now) {
    List<Entry> known = before == null ? List.of() : before.history();
    List<Entry> history = now.history();
    int kept = kept(known, history);
    if (kept == 0 && !known.isEmpty()) {
      rules.chains().unseen(now.identity()); // a full history may have dropped some of this write
    }
    for (Entry entry : history.subList(kept, history.size())) {
      if (!known.contains(entry)) {
        rules.jobs().ended(now.identity(), job, before, entry, job.runs.contains(entry.runId()));
        rules.chains().recorded(now.identity(), entry);
        boolean waits = now.retry() != null && now.retry().failedRun().equals(entry.runId());
        if ((before != null || now.history().size() == 1) && !waits) {
          rules.alarms().recorded(now.identity(), entry);
        }
      }
    }
  }

  /**
   * The number of entries at the beginning of a history that were the last of the one before it.
   */
  private static int kept(List<Entry> before, List<Entry> now) {
    int from = now.isEmpty() ? -1 : before.indexOf(now.getFirst());
    int same = from < 0 ? 0 : Math.min(before.size() - from, now.size());
    return same > 0 && before.subList(from, from + same).equals(now.subList(0, same)) ? same : 0;
  }

  /** A retry that waited was given up: the failure before it is told now. */
  private void dropped(@Nullable StateView before, StateView now) {
    StateView.Waiting waited = before == null ? null : before.retry();
    if (waited == null
        || waited.equals(now.retry())
        || now.active().stream().anyMatch(waited::isAttempt)) {
      return;
    }
    now.history().stream()
        .filter(it -> it.runId().equals(waited.failedRun()))
        .forEach(it -> rules.alarms().recorded(now.identity(), it));
  }

  /** The runs that are on record from now on. */
  private void decided(JobWitness job, @Nullable StateView before, StateView now) {
    for (Active run : now.active()) {
      if (job.runs.add(run.runId())) {
        rules.jobs().decided(now.identity(), job, before, run);
        rules.chains().decided(now.identity(), run);
      }
    }
  }
}
