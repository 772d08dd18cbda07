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
 * The boot that the daemon is in, and which jobs were there when a daemon was first ready in it.
 * Only those run in it; which they are is durable before the first of them begins.
 */
public final class BootPeriods {
  private final BootFile file;
  private final String boot;
  private final Clocks clocks;

  /** Null: not durable yet, and no job of a boot begins. */
  private volatile @Nullable BootRecord record;

  /** Identities of the jobs of boots that were in the files at the start. */
  private Set<String> atStart = Set.of();

  /**
   * @param boot names this boot, and no other
   */
  public BootPeriods(BootFile file, String boot, Clocks clocks) {
    this.file = file;
    this.boot = boot;
    this.clocks = clocks;
  }

  /** When a job of a boot is due in this one. */
  record Due(Decision decision, long second) {}

  /**
   * Finds out whether a daemon was ready in this boot before, and notes it where none was.
   *
   * @param jobs as they are at the start
   * @param lost identities of those whose states were found lost just now
   * @param durable whether it is on record since when each of them counts
   * @throws DiskException where that could not be noted: {@link #note} does it later
   */
  public void begin(Collection<Job> jobs, Set<String> lost, boolean durable) throws DiskException {
    atStart = new HashSet<>();
    for (Job job : jobs) {
      if (isOfBoots(job.spec) && !lost.contains(job.identity)) {
        atStart.add(job.identity);
      }
    }
    BootRecord before = file.read();
    if (before != null && before.boot().equals(boot)) {
      record = before;
    } else if (durable) {
      note(presences(jobs));
    }
  }

  /** Whether this boot is noted. */
  public boolean isNoted() {
    return record != null;
  }

  /** What is to be noted of the jobs: those that are not known yet count as they come. */
  public Map<String, Presence> presences(Collection<Job> known) {
    Map<String, Presence> presences = new HashMap<>();
    atStart.forEach(
        identity -> presences.put(BootRecord.name(identity), new Presence(Presence.ANY, false)));
    for (Job job : known) {
      if (atStart.contains(job.identity) && isOfBoots(job.spec)) {
        presences.put(
            BootRecord.name(job.identity), new Presence(job.state.since(), job.state.pastLost()));
      }
    }
    return presences;
  }

  /** Notes that the daemon is ready in this boot. Blocks: not for the loop. */
  public void note(Map<String, Presence> jobs) throws DiskException {
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
    // By the clock that nobody sets: the other one may have been set since.
    long afterMillis = (decision.chosenEpochSecond() - nominal) * 1000L;
    long passedMillis = (clocks.bootNanos() - present.readyNanos()) / 1_000_000L;
    return new Due(decision, Math.floorDiv(nowMillis + afterMillis - passedMillis + 999, 1000L));
  }
}
