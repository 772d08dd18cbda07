package dev.kron.daemon.jobs;

import dev.kron.cron.CronCalendar;
import dev.kron.daemon.jobs.OwedAlerts.Failure;
import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.loop.Errands.Place;
import dev.kron.daemon.runs.KeptRuns;
import dev.kron.daemon.runs.Launches;
import dev.kron.daemon.runs.RunOwners;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobSpec;
import dev.kron.job.JobState;
import dev.kron.process.InputSource;
import dev.kron.process.Launch;
import dev.kron.process.LaunchResult;
import dev.kron.process.ProcessIdentity;
import dev.kron.process.Processes;
import dev.kron.process.Run;
import dev.kron.process.RunStatus;
import dev.kron.schedule.Decision;
import dev.kron.store.DiskException;
import dev.kron.store.JobStates;
import dev.kron.store.RunDirectories;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the {@code onfailure} command of a job, or the daemon's own: once for each failure, as the
 * daemon's user, with the facts in its environment and the end of the output on its stdin. The note
 * of an owed alert stays until the command has ended, so that the next daemon finds it.
 */
public final class Alerts {
  /** So much of each stream is handed to the command. */
  static final int TAIL_BYTES = 16 * 1024;

  private final Processes processes;
  private final RunDirectories directories;
  private final Errands errands;
  private final RunOwners owners;
  private final Launches launches;
  private final List<String> otherwise;
  private final AlertLimit limit;
  private final OwedAlerts owed;
  private final EventLog log;
  private final Report report;

  /** The alerts whose commands run, by the directories of their runs. */
  private final Map<Path, Raised> running;

  /** Commands that have a name in reports, in the order in which they came. */
  private final Set<List<String>> told = Collections.synchronizedSet(new LinkedHashSet<>());

  /** An alert whose command runs. */
  private record Raised(String identity, List<String> command) {}

  /** The receiver of problems with a command; null: it works. */
  public interface Report {
    void about(String command, @Nullable String problem);
  }

  /**
   * The settings for the alerts of all jobs.
   *
   * @param otherwise words of the command for jobs without their own; empty: none
   * @param limit how long a command may take
   */
  public record Terms(List<String> otherwise, Duration limit) {}

  public Alerts(
      KeptRuns.Means means,
      Launches launches,
      Terms terms,
      Supplier<String> runIds,
      EventLog log,
      Report report) {
    this.processes = means.processes();
    this.directories = means.directories();
    this.errands = means.errands();
    this.owners = means.owners();
    this.launches = launches;
    this.otherwise = List.copyOf(terms.otherwise());
    Map<Path, Raised> raised = new ConcurrentHashMap<>();
    this.running = raised;
    this.limit =
        new AlertLimit(
            processes,
            errands,
            terms.limit(),
            run -> {
              Raised present = raised.get(run.directory());
              return present == null ? null : present.identity();
            },
            log);
    this.owed = new OwedAlerts(directories, runIds, processes.bootId());
    this.log = log;
    this.report = report;
  }

  /** Notes an alert before its failure becomes durable; it is raised after that. */
  void owe(String identity, @Nullable JobSpec spec, HistoryEntry entry) {
    if (!command(spec).isEmpty()) {
      try {
        owed.note(Failure.of(identity, entry));
      } catch (DiskException e) {
        log.warn("alert", "onfailure_not_noted", "identity", identity, "reason", e.getMessage());
      }
    }
  }

  /**
   * Raises the alerts that an earlier daemon owed: one for each failure that became durable.
   * Returns false if some notes could not be read; they are found when this is tried again.
   */
  public boolean recover(Function<String, @Nullable JobSpec> specs, JobStates states) {
    boolean all = true;
    try {
      for (Map.Entry<Failure, String> found : owed.takeOver().entrySet()) {
        all &= tryToRecover(found.getKey(), found.getValue(), specs, states);
      }
    } catch (DiskException e) {
      log.warn("alert", "onfailure_not_recovered", "reason", e.getMessage());
      all = false;
    }
    if (all) {
      owed.foundAll();
    }
    return all;
  }

  /** Returns whether all notes could be read. */
  private boolean tryToRecover(
      Failure failure, String id, Function<String, @Nullable JobSpec> specs, JobStates states) {
    try {
      recover(failure, id, specs, states);
      return true;
    } catch (IOException e) {
      log.warn(
          "alert",
          "onfailure_not_recovered",
          "identity",
          failure.identity(),
          "reason",
          e.getMessage());
      return false;
    }
  }

  private void recover(
      Failure failure, String id, Function<String, @Nullable JobSpec> specs, JobStates states)
      throws IOException {
    Run run = new Run(failure.runId() == null ? id : failure.runId(), directories.of(id));
    HistoryEntry entry =
        states.history(failure.identity()).stream()
            .filter(each -> failure.equals(Failure.of(failure.identity(), each)))
            .findFirst()
            .orElse(null);
    boolean waits =
        states
            .find(failure.identity())
            .map(JobState::retry)
            .filter(retry -> failure.equals(Failure.of(failure.identity(), retry.failed())))
            .isPresent(); // the end of the wait, which makes it due, never became durable
    RunStatus status = processes.status(run);
    if (owed.isOwn(id)) {
      return; // this daemon ends the same wait, and raises the alert
    }
    if (status instanceof RunStatus.Running running) {
      owed.adopt(failure, id);
      begin(run, new Raised(failure.identity(), command(specs.apply(failure.identity()))));
      goesOn(run, running);
    } else if (entry != null && !waits && status instanceof RunStatus.Unclaimed) {
      raise(failure.identity(), specs.apply(failure.identity()), entry);
    } else {
      owed.forget(failure, id);
      directories.remove(id);
    }
  }

  private List<String> command(@Nullable JobSpec spec) {
    return spec == null || spec.onFailure().isEmpty() ? otherwise : spec.onFailure();
  }

  void raise(String identity, @Nullable JobSpec spec, HistoryEntry entry) {
    List<String> command = command(spec);
    if (command.isEmpty()) {
      return;
    }
    String id = owed.take(Failure.of(identity, entry));
    try {
      // The directory is the alert's own; the id is that of the failed run, if there was one.
      Run run = new Run(entry.runId() == null ? id : entry.runId(), directories.create(id));
      Path stdin = run.directory().resolve("stdin");
      directories.write(id, "stdin", tail(entry));
      Map<String, String> environment = launches.daemonEnvironment();
      environment.putAll(variables(identity, spec, entry));
      environment.put(Run.ID_VARIABLE, Objects.requireNonNullElse(entry.runId(), ""));
      environment.put(Run.ALERT_VARIABLE, id);
      begin(run, new Raised(identity, command));
      Launch launch =
          Launch.builder(run, command, Launches.words(environment))
              .stdin(new InputSource.Kept(stdin))
              .build();
      switch (processes.launch(launch)) {
        case LaunchResult.Launched _ -> {
          log.info("alert", "onfailure_started", "identity", identity, "run", entry.runId());
          limit.began(run, Duration.ZERO);
        }
        case LaunchResult.Failed failed -> {
          end(run);
          log.error(
              "alert",
              "onfailure_not_started",
              "identity",
              identity,
              "stage",
              failed.stage().text(),
              "reason",
              failed.reason());
          report(command, identity, failed.reason());
          directories.remove(id);
          owed.settle(id);
        }
        case LaunchResult.AlreadyClaimed(RunStatus.Running running) -> goesOn(run, running);
        case LaunchResult.AlreadyClaimed(RunStatus status) -> finished(run, status);
      }
    } catch (IOException e) {
      end(new Run(id, directories.of(id)));
      notRaised(identity, String.valueOf(e.getMessage()));
      report(command, identity, String.valueOf(e.getMessage()));
    }
  }

  private void report(List<String> command, String identity, @Nullable String problem) {
    if (!command.isEmpty()) {
      report.about(name(command), problem == null ? null : identity + ": " + problem);
    }
  }

  /**
   * The name of a command in reports. All words but the first may be secret, so commands of the
   * same program get a number.
   */
  private String name(List<String> command) {
    told.add(command);
    int number = 0;
    synchronized (told) {
      for (List<String> each : told) {
        number += each.getFirst().equals(command.getFirst()) ? 1 : 0;
        if (each.equals(command)) {
          break;
        }
      }
    }
    return "onfailure " + command.getFirst() + (number == 1 ? "" : " (" + number + ")");
  }

  /** An alert could not be raised. Its note stays, so the next daemon tries it. */
  void notRaised(String identity, String reason) {
    log.error("alert", "onfailure_not_started", "identity", identity, "reason", reason);
  }

  private byte[] tail(HistoryEntry entry) throws IOException {
    var tail = new ByteArrayOutputStream();
    if (entry.runId() != null) {
      for (String stream : List.of("stdout", "stderr")) {
        try {
          tail.write(directories.tail(entry.runId(), stream, TAIL_BYTES));
        } catch (DiskException e) {
          tail.write(("(" + e.getMessage() + ")\n").getBytes(StandardCharsets.UTF_8));
        }
      }
    }
    return tail.toByteArray();
  }

  private static Map<String, String> variables(
      String identity, @Nullable JobSpec spec, HistoryEntry entry) {
    var variables = new LinkedHashMap<String, String>();
    variables.put("KRON_IDENTITY", identity);
    variables.put(Run.JOB_VARIABLE, identity.substring(identity.lastIndexOf(':') + 1));
    variables.put(
        "KRON_PERIOD", Objects.requireNonNullElse(entry.bootPeriod(), time(entry.nominal())));
    variables.put("KRON_CHOSEN", time(entry.chosen()));
    Decision decision =
        spec == null || entry.nominal() == CronCalendar.NONE || entry.bootPeriod() != null
            ? null
            : spec.schedule().decide(spec.seed(), entry.nominal());
    variables.put("KRON_WINDOW_START", decision == null ? "" : decision.windowStart().toString());
    variables.put("KRON_WINDOW_END", decision == null ? "" : decision.windowEnd().toString());
    variables.put("KRON_ATTEMPT", Integer.toString(entry.attempt()));
    variables.put("KRON_OUTCOME", entry.outcome().text());
    variables.put("KRON_EXIT", entry.exitCode() == null ? "" : entry.exitCode().toString());
    variables.put("KRON_REASON", entry.reason() == null ? "" : entry.reason());
    return variables;
  }

  private static String time(long epochSecond) {
    return epochSecond == CronCalendar.NONE ? "" : Instant.ofEpochSecond(epochSecond).toString();
  }

  /** Registers this object for the end of the run. */
  private void begin(Run run, Raised raised) {
    running.put(run.directory(), raised);
    owners.register(
        run,
        (ended, status) ->
            errands.execute(Place.END_RUN, () -> exited(ended, status), thrown -> {}));
  }

  /** A command that an earlier daemon started still runs. */
  private void goesOn(Run run, RunStatus.Running running) {
    processes.watch(run, running.keeper());
    limit.began(run, processes.age(running.keeper()));
  }

  private @Nullable Raised end(Run run) {
    owners.release(run);
    return running.remove(run.directory());
  }

  /**
   * A keeper has ended. If an earlier daemon had started one too, the one that came too late ends
   * first, and its end says nothing about the command.
   */
  private void exited(Run run, RunStatus status) {
    if (status instanceof RunStatus.Running(ProcessIdentity keeper)) {
      processes.watch(run, keeper);
    } else {
      finished(run, status);
    }
  }

  /** The command has ended; its files are removed. */
  private void finished(Run run, RunStatus status) {
    String id = String.valueOf(run.directory().getFileName());
    Raised raised = end(run);
    if (raised == null) {
      return;
    }
    String identity = raised.identity();
    Integer exit = status instanceof RunStatus.Ended ended ? (Integer) ended.exitCode() : null;
    if (exit == null || exit != 0) {
      // Its output is not logged: it may show secrets.
      log.warn(
          "alert",
          "onfailure_failed",
          "identity",
          identity,
          "exit",
          exit == null ? "unknown" : exit);
      report(raised.command(), identity, "exit " + (exit == null ? "unknown" : exit));
    } else {
      report(raised.command(), identity, null);
    }
    try {
      owed.settle(id); // before the claim is removed, which keeps it from being raised again
      directories.remove(id);
    } catch (DiskException e) {
      // The next sweep removes it.
    }
  }
}
