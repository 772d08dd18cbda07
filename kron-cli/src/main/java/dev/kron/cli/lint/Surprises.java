package dev.kron.cli.lint;

import dev.kron.job.JobSpec;
import dev.kron.schedule.Policy.Concurrency;
import dev.kron.schedule.Schedule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds what will surprise about a job.
 *
 * <p>A million jobs have a few seconds together. Jobs that are written alike share one schedule
 * object, so what follows from the schedule alone is looked at once for it; likewise each path is
 * looked at once, and each zone's clock changes are computed once.
 */
public final class Surprises {
  /** Equal schedules are one object only if they stand near each other; older ones are let go. */
  private static final int REMEMBERED = 8_192;

  private final long now;
  private final ClockChanges clockChanges;
  private final Acceptance acceptance;
  private final Paths paths;
  private final IdentityHashMap<Schedule, Facts> bySchedule = new IdentityHashMap<>();

  /**
   * @param now the present epoch second
   * @param searchPath the variable PATH, null where it is not set
   */
  public Surprises(long now, @Nullable String searchPath) {
    this.now = now;
    this.clockChanges = new ClockChanges(now);
    this.acceptance = new Acceptance(now);
    this.paths = new Paths(searchPath, new HashMap<>());
  }

  /** What to warn of, most important first; nearly always nothing. */
  public List<String> of(JobSpec job) {
    Facts facts = facts(job.schedule());
    List<String> found = new ArrayList<>(facts.warnings);
    timeout(job, facts, found);
    paths.check(job, found);
    return found;
  }

  private void timeout(JobSpec job, Facts facts, List<String> found) {
    Duration timeout = job.timeout();
    if (timeout == null || job.schedule().policy().concurrency() != Concurrency.FORBID) {
      return;
    }
    Spacing closest = facts.closerThan(timeout.toSeconds());
    if (closest != null) {
      found.add(closest.outlastedBy(timeout.toSeconds()));
    }
  }

  private Facts facts(Schedule schedule) {
    Facts known = bySchedule.get(schedule);
    if (known != null) {
      return known;
    }
    Facts facts = new Facts(schedule);
    if (bySchedule.size() == REMEMBERED) {
      bySchedule.clear();
    }
    bySchedule.put(schedule, facts);
    return facts;
  }

  /** What follows from a schedule alone. */
  private final class Facts {
    private final Schedule schedule;
    private final CronShape shape;
    private final List<String> warnings;
    private boolean spacingKnown;
    private @Nullable Spacing spacing;

    Facts(Schedule schedule) {
      this.schedule = schedule;
      this.shape = CronShape.of(schedule.cron());
      List<String> found = new ArrayList<>(0);
      acceptance.check(schedule, found);
      long window = schedule.window().seconds();
      Spacing overlapping = closerThan(window);
      if (overlapping != null) {
        found.add(overlapping.overlapOf(window));
      }
      clockChanges.check(schedule, shape, found);
      warnings = List.copyOf(found);
    }

    /** Two coming periods that are less than this apart, or null. */
    private @Nullable Spacing closerThan(long seconds) {
      if (seconds <= shape.closestSeconds()) {
        return null;
      }
      if (!spacingKnown) {
        spacing = Spacing.after(now, schedule);
        spacingKnown = true;
      }
      return spacing != null && spacing.seconds() < seconds ? spacing : null;
    }
  }
}
