package dev.kron.daemon.jobs;

import dev.kron.cron.CronCalendar;
import dev.kron.daemon.runs.RunNote;
import dev.kron.job.ActiveRun;
import dev.kron.job.ActiveRun.Phase;
import dev.kron.job.JobState;
import dev.kron.process.KeptRun;
import dev.kron.process.ProcessIdentity;
import dev.kron.process.Processes;
import dev.kron.process.Run;
import dev.kron.process.RunStatus;
import dev.kron.store.BootRecord;
import dev.kron.store.DiskException;
import dev.kron.store.DiskException.Reason;
import dev.kron.store.RunDirectories;
import dev.kron.store.RunIds;
import java.io.IOException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The runs of jobs whose state files were lost, found by the notes in their directories, and where
 * those were lost before, by their keepers. So a job starts no run beside one that still goes on,
 * and the ends are recorded; periods that began under a clock that has been set back since are not
 * run again; a link that is still owed, and whose run began, is not taken twice.
 */
final class LostRuns {
  private static final String IDENTITY = "KRON_IDENTITY";
  private static final int SECOND_LENGTH = "2026-03-01T00:00:00Z".length();

  private final RunDirectories directories;
  private final Processes processes;

  LostRuns(RunDirectories directories, Processes processes) {
    this.directories = directories;
    this.processes = processes;
  }

  /**
   * @param lost the state that is left of a job, by identity; null if its file is there
   * @param owed the chained runs that jobs owe
   * @param nowMillis the wall clock
   * @return the states of those jobs that have runs, with their runs
   * @throws DiskException if a directory cannot be read: then it is not known what runs, and
   *     nothing may be started
   */
  List<JobState> find(Function<String, @Nullable JobState> lost, Set<String> owed, long nowMillis)
      throws DiskException {
    Map<String, JobState> found = new TreeMap<>();
    Set<String> noted = new HashSet<>();
    for (String runId : directories.list()) {
      RunNote note = RunNote.find(directories, runId);
      if (note.identity().isEmpty()) {
        continue; // an alert, or a run that was prepared and not begun
      }
      noted.add(runId);
      JobState state = found.get(note.identity());
      state = state == null ? lost.apply(note.identity()) : state;
      if (state == null) {
        continue;
      }
      ActiveRun run = goingOn(runId, note);
      if (owed.contains(runId) && (run != null || hasBegun(runId))) {
        found.put(state.identity(), with(state.taking(runId), run == null ? begun(note) : run));
      } else if (run != null) {
        found.put(state.identity(), with(state, run));
      } else if (note.run().nominal() >= state.since() && hasBegun(runId)) {
        found.put(state.identity(), withBegun(state, note.run().nominal()));
      }
    }
    for (KeptRun kept : processes.kept(directories.path())) {
      String identity = identity(kept);
      if (!noted.contains(kept.runId()) && !identity.isEmpty()) {
        JobState state = found.get(identity);
        state = state == null ? lost.apply(identity) : state;
        if (state != null) {
          state = owed.contains(kept.runId()) ? state.taking(kept.runId()) : state;
          found.put(identity, with(state, run(kept, nowMillis)));
        }
      }
    }
    return new ArrayList<>(found.values());
  }

  /** The job whose run a keeper keeps; empty: it keeps none, but an alert or a run to come. */
  private static String identity(KeptRun kept) {
    boolean own =
        RunIds.isRunId(kept.runId()) && kept.runId().equals(kept.variables().get(Run.ID_VARIABLE));
    return own ? kept.variables().getOrDefault(IDENTITY, "") : "";
  }

  /**
   * A run as its keeper shows it. A variable that says nothing sensible is taken as not there: a
   * process of the daemon's own user may only look like a keeper.
   */
  private ActiveRun run(KeptRun kept, long nowMillis) {
    Map<String, String> variables = kept.variables();
    String period = variables.getOrDefault("KRON_PERIOD", "");
    String cause = variables.getOrDefault("KRON_CAUSE", "");
    boolean boot = period.startsWith(BootRecord.PREFIX);
    long startedAt = nowMillis - processes.age(kept.keeper()).toMillis();
    long chosen = second(variables.getOrDefault("KRON_CHOSEN", ""));
    chosen = chosen == CronCalendar.NONE ? Math.floorDiv(startedAt, 1000L) : chosen;
    return ActiveRun.builder(kept.runId())
        .nominal(boot ? chosen : second(period))
        .chosen(chosen)
        .due(chosen)
        .phase(Phase.STARTED)
        .bootId(processes.bootId())
        .pid(kept.keeper().pid())
        .startTicks(kept.keeper().startTicks())
        .startedAt(startedAt)
        .attempt(attempt(variables.getOrDefault("KRON_ATTEMPT", "")))
        .cause(RunIds.isRunId(cause) ? cause : null)
        .bootPeriod(boot ? period : null)
        .build();
  }

  private static int attempt(String number) {
    return number.matches("[1-9][0-9]{0,5}") ? Integer.parseInt(number) : 1;
  }

  /** A time as the daemon writes it, to the second. */
  private static long second(String time) {
    try {
      return time.length() == SECOND_LENGTH
          ? Instant.parse(time).getEpochSecond()
          : CronCalendar.NONE;
    } catch (DateTimeParseException notATime) {
      return CronCalendar.NONE;
    }
  }

  private @Nullable ActiveRun goingOn(String runId, RunNote note) throws DiskException {
    Run run = new Run(runId, directories.of(runId));
    ProcessIdentity process = findOrForestall(run);
    return process == null
        ? null
        : begun(note).toBuilder().pid(process.pid()).startTicks(process.startTicks()).build();
  }

  /** A run that is over and whose end is not on record. */
  private ActiveRun begun(RunNote note) {
    return note.run().toBuilder().phase(Phase.STARTED).bootId(processes.bootId()).build();
  }

  private boolean hasBegun(String runId) throws DiskException {
    return BegunPeriods.hasBegun(processes, new Run(runId, directories.of(runId)));
  }

  /** A process of a run that goes on. A run that has not begun is kept from beginning. */
  private @Nullable ProcessIdentity findOrForestall(Run run) throws DiskException {
    try {
      RunStatus status = processes.status(run);
      if (status instanceof RunStatus.Unclaimed && !processes.forestall(run)) {
        status = processes.status(run); // its keeper has just begun it
      }
      if (status instanceof RunStatus.Running(ProcessIdentity keeper)) {
        return keeper;
      }
      // Without a claim no process of it is there, unless the claim is lost as well.
      boolean mayRun =
          !(status instanceof RunStatus.Ended) && !(status instanceof RunStatus.FailedToStart);
      List<ProcessIdentity> members = mayRun ? processes.members(run) : List.of();
      return members.isEmpty() ? null : members.getFirst();
    } catch (IOException e) {
      throw new DiskException(
          "read", run.directory(), Reason.OTHER, String.valueOf(e.getMessage()));
    }
  }

  private static JobState with(JobState state, ActiveRun run) {
    var active = new ArrayList<>(state.active());
    active.add(run);
    return state.withActive(active);
  }

  private static JobState withBegun(JobState state, long nominal) {
    var begun = new TreeSet<>(state.begunAhead());
    begun.add(nominal);
    return state.withBegunAhead(List.copyOf(begun));
  }
}
