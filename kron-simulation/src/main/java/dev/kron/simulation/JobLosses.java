package dev.kron.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kron.process.Run;
import dev.kron.simulation.StateView.Active;
import java.time.Instant;

/**
 * The files of jobs and runs that were lost, and what nobody can know any more because of that:
 * nothing is asked of a daemon that it could not know.
 */
final class JobLosses {
  private final Machine machine;
  private final JobWitnesses jobs;
  private final Excused excused;

  /** The parts of a witness that must not ask for what was lost. */
  record Excused(Alarms alarms, ChainRules chains, BootRules boots, MessageRules messages) {
    void excuse(String identity, JobWitness job) {
      alarms.excused(identity);
      chains.excused(identity);
      messages.excused(identity);
      boots.excused(identity, job);
    }
  }

  JobLosses(Machine machine, JobWitnesses jobs, Excused excused) {
    this.machine = machine;
    this.jobs = jobs;
    this.excused = excused;
  }

  /** A job's file has gone bad: nobody can know any more what it said. */
  void damaged(String identity) {
    JobWitness job = jobs.job(identity);
    excused.excuse(identity, job);
    job.damaged = true;
    job.beforeLoss = job.last == null ? job.beforeLoss : job.last;
    job.last = null;
    job.lastContent = null;
    long wall = machine.clock.wallMillis();
    job.noticedMillis.replaceAll((fingerprint, noticed) -> Math.min(noticed, wall));
    for (Execution execution : jobs.byRun.values()) {
      if (execution.identity.equals(identity) && !job.endedRuns.contains(execution.run.id())) {
        execution.forgotten = true;
      }
    }
    // What it said may be found out, or come back, and be recorded once more: the same.
    job.lostOutcomes.putAll(job.outcomes);
    job.lostRuns.addAll(job.endedRuns);
  }

  /** A job's file is there no more. */
  void vanished(String identity) {
    damaged(identity);
    jobs.job(identity).vanished = mayHaveHadFile(identity);
  }

  /** All jobs without a file may have had one, where none can be told from a new one. */
  void arrivalsLost() {
    jobs.forEach(
        (identity, job) -> {
          if (jobs.content(identity) == null) {
            vanished(identity);
          }
          job.arrivalLost = true;
        });
  }

  /** The directory of a run is there no more, or what tells how it ended. */
  void runLost(String runId) {
    Execution execution = jobs.byRun.get(runId);
    if (execution == null) {
      excused.alarms().lost(runId);
      jobs.lostBeforeBegun.add(runId);
      return;
    }
    execution.isLost();
    JobWitness job = jobs.job(execution.identity);
    StateView known = job.last == null ? job.beforeLoss : job.last;
    Active active = known == null ? null : known.find(runId);
    if (active != null && active.phase().equals("intended")) {
      execution.unknowable = true;
      job.executed.remove(execution.key());
    }
  }

  /** The operator gives up what a clock ahead has used up. */
  void released(String identity) {
    long now = machine.clock.wallMillis();
    JobWitness job = jobs.job(identity);
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
  }

  /** A daemon starts: this is what it finds of a job. */
  void found(String identity, JobWitness job) {
    if (job.damaged) {
      job.lostAtMillis = nextSecond();
      forgetAhead(job, true);
    }
    byte[] content = job.damaged ? jobs.content(identity) : null;
    job.unreadable = content != null && StateView.parse(Versions.current(content)) == null;
    job.missing = isMissing(identity);
    if (job.vanished && job.missing) {
      job.quarantinedMillis = Long.MIN_VALUE; // whoever noticed could not write it down
    }
  }

  /**
   * A daemon has seen that the file of a job is not there.
   *
   * @param interrupted a start before this one came to nothing
   */
  void noticed(String identity, JobWitness job, boolean interrupted) {
    if (job.arrivalLost) {
      job.arrivalLost = false;
      job.changesLostMillis = machine.clock.wallMillis();
    }
    if (job.vanished) {
      job.vanished = isMissing(identity); // where nobody can write, the next one has to notice
      job.lostAtMillis = nextSecond();
      // One that was to start before may have noted that already.
      if (job.missing && !interrupted) {
        job.quarantinedMillis = machine.clock.wallMillis();
      }
    }
  }

  /**
   * Jobs that were new to the daemon are written only now. Of windows that began before that, any
   * other daemon would say as well that they may have run, where the file of the job was missing.
   */
  void arrivalsNoted() {
    for (JobWitness job : jobs.all()) {
      // What has gone bad while its job waited for that note is read by then at the earliest.
      job.lostAtMillis = job.missing || job.damaged ? nextSecond() : job.lostAtMillis;
      job.missing = false;
    }
  }

  /** A job is in a krontab again, and the daemon looks for its file, which is damaged. */
  void lookedFor(String identity, JobWitness job) {
    if (job.damaged && !isRemembered(identity)) {
      job.lostAtMillis = nextSecond();
      forgetAhead(job, false);
    }
  }

  /** A daemon forgets no job of which a run goes on, though no file has it. */
  private boolean isRemembered(String identity) {
    return jobs.byRun.values().stream()
        .anyMatch(it -> it.forgotten && it.identity.equals(identity));
  }

  /**
   * A clock that was ahead, and a file that is lost: of what ran ahead only the directories of runs
   * could know.
   */
  private void forgetAhead(JobWitness job, boolean asksDirectories) {
    String now = Instant.ofEpochMilli(machine.clock.wallMillis()).toString();
    job.executed
        .entrySet()
        .removeIf(
            it ->
                it.getKey().compareTo(now) > 0
                    && !BootRules.isBoot(it.getKey())
                    && !(asksDirectories && hasDirectory(it.getValue().run)));
    job.outcomes
        .keySet()
        .removeIf(
            period ->
                period.compareTo(now) > 0
                    && !BootRules.isBoot(period)
                    && !job.executed.containsKey(period));
  }

  /** A run's note and its claim have survived. */
  private boolean hasDirectory(Run run) {
    byte[] note = machine.disk.content(run.directory().resolve("note"));
    byte[] claim = machine.disk.content(RunRecord.file(run));
    return claim != null && note != null && new String(note, UTF_8).contains("started_at_ms ");
  }

  /** A daemon that starts finds neither its file nor a line that it is new or was lost. */
  private boolean isMissing(String identity) {
    return jobs.content(identity) == null && mayHaveHadFile(identity);
  }

  /** Whether the arrivals log tells that a job has had a file, or has lost what it said. */
  private boolean mayHaveHadFile(String identity) {
    byte[] arrivals = machine.disk.content(Machine.STATE.resolve("arrivals"));
    String file = String.valueOf(jobs.job(identity).file(identity).getFileName());
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

  /** The end of this second: moments are remembered to the second. */
  long nextSecond() {
    return Math.ceilDiv(machine.clock.wallMillis(), 1000L) * 1000L;
  }
}
