package dev.kron.simulation;

import java.util.Map;

/** Sees which krontabs daemons read, and which of them they take over. */
final class KrontabWitness {
  private final Machine machine;
  private final Circumstances around;
  private final JobWitnesses jobs;
  private final JobLosses losses;
  private final BootRules boots;

  KrontabWitness(
      Machine machine, Circumstances around, JobWitnesses jobs, JobLosses losses, BootRules boots) {
    this.boots = boots;
    this.machine = machine;
    this.around = around;
    this.jobs = jobs;
    this.losses = losses;
  }

  /** The daemon reads its files. */
  void reading(Map<String, JobEntry> read) {
    long now = machine.clock.wallMillis();
    around.read = read;
    boots.read(read);
    read.forEach(
        (identity, spec) -> {
          JobWitness job = jobs.job(identity);
          job.noticedMillis.merge(spec.schedule(), now, Math::min);
          job.readAtMillis = Math.max(job.readAtMillis, now);
        });
    around.disturbed();
  }

  /** A reload is under way. */
  void changing() {
    around.entries = null;
    around.disturbed();
  }

  /** The change of the files came to nothing. */
  void unchanged() {
    around.entries = around.known;
  }

  /** The daemon's jobs are these from now on. */
  void applied(Map<String, JobEntry> now, boolean commitsUnderWay) {
    around.undecided |= commitsUnderWay;
    taking(now);
    taken(now);
  }

  /** A daemon that dies or refuses meanwhile may have taken nothing over. */
  void taking(Map<String, JobEntry> now) {
    reading(now);
    now.forEach(
        (identity, spec) -> {
          JobWitness job = jobs.job(identity);
          String fingerprint = spec.schedule();
          boolean changed = !fingerprint.equals(job.fingerprint);
          job.fingerprint = fingerprint;
          if (changed && job.lostAtMillis != Long.MIN_VALUE) {
            job.lostAtMillis = losses.nextSecond(); // what was lost was of both schedules
          }
          JobEntry before = around.known.get(identity);
          if (before == null) {
            losses.lookedFor(identity, job);
          }
          boolean back = before == null || (before.suspend() && !spec.suspend());
          if (back) {
            job.backMillis = machine.clock.wallMillis();
          }
        });
    around.taken(now);
    around.disturbed();
  }

  /** A schedule that a job had before is a change again from now on. */
  void taken(Map<String, JobEntry> now) {
    now.forEach(
        (identity, spec) -> {
          String fingerprint = spec.schedule();
          jobs.job(identity).noticedMillis.keySet().removeIf(it -> !it.equals(fingerprint));
        });
  }
}
