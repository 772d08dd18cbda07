package dev.kron.cli.lint;

import dev.kron.config.ConfigFiles;
import dev.kron.config.EntryInspector;
import dev.kron.cron.CronExpression;
import dev.kron.job.JobSpec;
import dev.kron.job.JobSpec.Output;
import dev.kron.job.RetryPolicy;
import dev.kron.schedule.Policy.Concurrency;
import dev.kron.schedule.Schedule;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.OptionalLong;
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

  private static final int LONG_PAST_DAYS = 31;

  private static final String SCHEDULE = "schedule";

  private final long now;
  private final ClockChanges clockChanges;
  private final Acceptance acceptance;
  private final Paths paths;
  private final Accounts accounts;
  private final VariableFiles variables;
  private final IdentityHashMap<Schedule, Facts> bySchedule = new IdentityHashMap<>();

  /**
   * @param now the present epoch second
   * @param searchPath the variable PATH, null where it is not set
   * @param files how files are checked that an entry names
   * @param accounts of this machine
   */
  public Surprises(
      long now, @Nullable String searchPath, ConfigFiles.Settings files, Accounts accounts) {
    this.variables = new VariableFiles(files);
    this.accounts = accounts;
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
    retries(job, shape, remarks);
    paths.check(job, remarks);
    variables.check(job, remarks);
    accounts(job, remarks);
    outputNamed("stdout", job, job.stdout(), remarks);
    outputNamed("stderr", job, job.stderr(), remarks);
  }

  /** Attempts that the next period forestalls: it ends the waiting. */
  private void retries(JobSpec job, CronShape shape, Remarks remarks) {
    RetryPolicy retry = job.retry();
    long wait = retry.shortestMillis(retry.retries()) / 1000;
    if (wait <= shape.closestSeconds()) {
      return;
    }
    Spacing closest = facts(job.schedule(), shape).closerThan(wait);
    if (closest != null) {
      int fitting = retry.retries();
      while (fitting > 0 && retry.shortestMillis(fitting) / 1000 >= closest.seconds()) {
        fitting--;
      }
      remarks.warn(
          fitting == 0 ? "retrydelay" : "retries",
          about(job, closest.forestalls(fitting, retry.retries())));
    }
  }

  private void accounts(JobSpec job, Remarks remarks) {
    String user = job.user();
    String group = job.group();
    String userProblem = user == null ? "" : accounts.userProblem(user);
    String groupProblem = group == null ? "" : accounts.groupProblem(group);
    if (!userProblem.isEmpty()) {
      remarks.warn("user", about(job, userProblem));
    }
    if (!groupProblem.isEmpty()) {
      remarks.warn("group", about(job, groupProblem));
    }
  }

  private static void outputNamed(String field, JobSpec job, Output output, Remarks remarks) {
    if (output instanceof Output.File(String path)
        && path.contains("%n")
        && job.name().indexOf('/') >= 0) {
      remarks.warn(
          field,
          about(
              job,
              field
                  + "=file: the name has a slash, so %n makes "
                  + path.replace("%n", job.name())
                  + ", in a directory that must be there already"));
    }
  }

  /** A message with the job's name, which says more than a line number. */
  static String about(JobSpec job, String message) {
    return "job " + job.name() + ": " + message;
  }

  private boolean mayBeSurprising(Schedule schedule, CronShape shape) {
    return !schedule.constraints().isEmpty()
        || hasStep(schedule.cron())
        || schedule.window().seconds() > shape.closestSeconds()
        || clockChanges.mayConcern(schedule, shape);
  }

  private static boolean hasStep(@Nullable CronExpression cron) {
    return cron != null && cron.text().indexOf('/') >= 0;
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
      Steps.check(schedule.cron(), found);
      datesPast(found);
      warnings = List.copyOf(found);
    }

    private void datesPast(List<String> found) {
      OptionalLong last = schedule.constraints().lastDate();
      long today = Math.floorDiv(now, 86_400L);
      if (last.isPresent() && last.getAsLong() < today - LONG_PAST_DAYS) {
        found.add(
            "the last of its dates, "
                + LocalDate.ofEpochDay(last.getAsLong())
                + ", is long past: "
                + schedule.constraints());
      }
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
