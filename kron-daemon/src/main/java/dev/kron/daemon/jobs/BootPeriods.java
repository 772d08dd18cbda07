package dev.kron.daemon.jobs;

import dev.kron.cron.Boot;
import dev.kron.daemon.loop.Clocks;
import dev.kron.job.JobSpec;
import dev.kron.schedule.Decision;
import dev.kron.store.BootFile;
import dev.kron.store.BootRecord;
import dev.kron.store.BootRecord.Presence;
import dev.kron.store.DiskException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The current boot, and the {@code @boot} jobs that existed when a daemon was first ready in it.
 * Only those run in this boot. Their list is durable before the first of them begins.
 */
public final class BootPeriods {
  private final BootFile file;
  private final String boot;
  private final Clocks clocks;

  /**
   * The record of this boot; null until it is durable, and until then no {@code @boot} job begins.
   */
  private volatile @Nullable BootRecord record;

  /** Identities of the {@code @boot} jobs that were in the files at the start. */
  private Set<String> atStart = Set.of();

  /**
   * Whether jobs of the start are not known yet. From when they count belongs into the record, so
   * until then there is none.
   */
  private boolean awaitsJobs;

  /**
   * @param boot the name of this boot, which no other boot has
   */
  public BootPeriods(BootFile file, String boot, Clocks clocks) {
    this.file = file;
    this.boot = boot;
    this.clocks = clocks;
  }

  /** The time at which a {@code @boot} job is due in this boot. */
  record Due(Decision decision, long second) {}

  /**
   * Finds out whether a daemon was ready in this boot before, and notes the boot if none was.
   *
   * @param jobs as they are at the start
   * @param lost identities of those whose states were found lost just now
   * @param durable whether the moments from which new jobs count are on record
   * @throws DiskException if the boot could not be noted; {@link #note} does it later
   */
  public void begin(Collection<Job> jobs, Set<String> lost, boolean durable) throws DiskException {
    atStart = new HashSet<>();
    for (Job job : jobs) {
      if (isOfBoots(job.spec) && !lost.contains(job.identity)) {
        atStart.add(job.identity);
      }
    }
    awaitsJobs = !durable;
    if (!findNote() && durable) {
      write(presences(jobs));
    }
  }

  /** Takes over the file's note of this boot; whether there is one. */
  private boolean findNote() throws DiskException {
    BootRecord before = file.read();
    if (before == null || !before.boot().equals(boot)) {
      return false;
    }
    record = before;
    return true;
  }

  /** Records that the jobs of the start, as far as they are still in the files, are known. */
  public void jobsAreKnown() {
    awaitsJobs = false;
  }

  /** Whether this boot is still to be noted, and can be. */
  public boolean isToBeNoted() {
    return record == null && !awaitsJobs;
  }

  /** The part of the record about the jobs. */
  public Map<String, Presence> presences(Collection<Job> known) {
    Map<String, Presence> presences = new HashMap<>();
    for (Job job : known) {
      if (atStart.contains(job.identity) && isOfBoots(job.spec)) {
        presences.put(
            BootRecord.name(job.identity), new Presence(job.state.since(), job.state.pastLost()));
      }
    }
    return presences;
  }

  /**
   * Notes that the daemon is ready in this boot, unless an earlier one has, which could perhaps not
   * be read at the start. It blocks, so it must not be called on the loop's thread.
   */
  public void note(Map<String, Presence> jobs) throws DiskException {
    if (!findNote()) {
      write(jobs);
    }
  }

  private void write(Map<String, Presence> jobs) throws DiskException {
    var noted = new BootRecord(boot, clocks.wallMillis(), clocks.bootNanos(), jobs);
    file.write(noted);
    record = noted;
  }

  private static boolean isOfBoots(@Nullable JobSpec spec) {
    return spec != null && spec.schedule().times() == Boot.INSTANCE;
  }

  /** When a job is due in this boot, by the wall clock as it is now; null: it is not. */
  @Nullable Due due(Job job, JobSpec spec, long nowMillis) {
    BootRecord present = record;
    if (present == null
        || !isOfBoots(spec)
        || job.state.handled(present.periodId())
        || !present.has(job.identity, job.state.since(), job.state.pastLost())) {
      return null;
    }
    long nominal = Math.floorDiv(present.readyMillis(), 1000L);
    Decision decision = spec.schedule().decideBoot(job.identity, present.periodId(), nominal);
    // By the boot clock: the wall clock may have been set since.
    long afterMillis = (decision.chosenEpochSecond() - nominal) * 1000L;
    long passedMillis = (clocks.bootNanos() - present.readyNanos()) / 1_000_000L;
    return new Due(decision, Math.floorDiv(nowMillis + afterMillis - passedMillis + 999, 1000L));
  }
}
