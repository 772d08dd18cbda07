package dev.kron.cli.lint;

import dev.kron.config.EntryInspector;
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
 * <p>A million jobs have a few seconds together. Nearly all of them are so plain that a look at the
 * fields tells that there is nothing to compute. Of the others, those that are written alike share
 * one schedule object, so what follows from the schedule alone is looked at once for it; likewise
 * each path is looked at once, and each zone's clock changes are computed once.
 */
public final class Surprises implements EntryInspector {
  /** Equal schedules are one object only if they stand near each other; older ones are let go. */
  private static final int REMEMBERED = 8_192;

  private static final String SCHEDULE = "schedule";

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

  @Override
  public void inspect(JobSpec job, Remarks remarks) {
    Schedule schedule = job.schedule();
    CronShape shape = CronShape.of(schedule.cron());
    long timeout = skippingTimeout(job);
    if (timeout > shape.closestSeconds() || mayBeSurprising(schedule, shape)) {
      Facts facts = facts(schedule, shape);
      for (String warning : facts.warnings) {
        remarks.warn(SCHEDULE, about(job, warning));
      }
      Spacing closest = facts.closerThan(timeout);
      if (closest != null) {
        remarks.warn("timeout", about(job, closest.outlastedBy(timeout)));
      }
    }
    paths.check(job, remarks);
  }

  /** The name tells more than the line's number, where only one line of a report is seen. */
  static String about(JobSpec job, String message) {
    return "job " + job.name() + ": " + message;
  }

  private boolean mayBeSurprising(Schedule schedule, CronShape shape) {
    return !schedule.constraints().isEmpty()
        || schedule.window().seconds() > shape.closestSeconds()
        || clockChanges.mayConcern(schedule, shape);
  }

  /** How long a run may keep the next period from running. */
  private static long skippingTimeout(JobSpec job) {
    Duration timeout = job.timeout();
    boolean skips = job.schedule().policy().concurrency() == Concurrency.FORBID;
    return timeout != null && skips ? timeout.toSeconds() : 0;
  }

  private Facts facts(Schedule schedule, CronShape shape) {
    Facts known = bySchedule.get(schedule);
    if (known != null) {
      return known;
    }
    Facts facts = new Facts(schedule, shape);
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

    Facts(Schedule schedule, CronShape shape) {
      this.schedule = schedule;
      this.shape = shape;
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
