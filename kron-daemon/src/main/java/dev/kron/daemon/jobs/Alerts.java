package dev.kron.daemon.jobs;

import dev.kron.cron.CronCalendar;
import dev.kron.daemon.jobs.OwedAlerts.Failure;
import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.runs.AlertCommands;
import dev.kron.daemon.runs.KeptRuns;
import dev.kron.daemon.runs.Launches;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobSpec;
import dev.kron.job.JobState;
import dev.kron.process.InputSource;
import dev.kron.process.Launch;
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
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

  private final RunDirectories directories;
  private final Launches launches;
  private final AlertCommands commands;
  private final OwedAlerts owed;
  private final EventLog log;

  /** Why alerts of an earlier daemon could not be taken over yet, by their ids. */
  private final Map<String, String> notRecovered = new ConcurrentHashMap<>();

  public Alerts(
      KeptRuns.Means means,
      Launches launches,
      AlertCommands commands,
      Supplier<String> runIds,
      EventLog log) {
    this.directories = means.directories();
    this.launches = launches;
    this.commands = commands;
    this.owed = new OwedAlerts(directories, runIds, means.processes().bootId());
    this.log = log;
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
      notRecovered.remove(id);
      return true;
    } catch (IOException e) {
      String reason = String.valueOf(e.getMessage());
      if (!reason.equals(notRecovered.put(id, reason))) { // it is tried every second
        log.warn(
            "alert", "onfailure_not_recovered", "identity", failure.identity(), "reason", reason);
      }
      return false;
    }
  }

  private void recover(
      Failure failure, String id, Function<String, @Nullable JobSpec> specs, JobStates states)
      throws IOException {
    Run run = new Run(failure.runId() == null ? id : failure.runId(), directories.of(id));
    if (owed.isOwn(id)) {
      return; // this daemon raises the alert, or has adopted it
    }
    // One that goes on needs no job's file, which may have gone bad meanwhile.
    RunStatus status = commands.status(run);
    if (status instanceof RunStatus.Running running) {
      owed.adopt(failure, id);
      List<String> command = command(specs.apply(failure.identity()));
      commands.adopt(alert(failure.identity(), failure.runId(), command), run, running);
      return;
    }
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
    if (owed.isOwn(id)) {
      return; // this daemon has ended the same wait meanwhile, and raises the alert
    }
    if (entry != null && !waits && status instanceof RunStatus.Unclaimed) {
      raise(failure.identity(), specs.apply(failure.identity()), entry);
    } else {
      owed.forget(failure, id);
      directories.remove(id);
    }
  }

  private List<String> command(@Nullable JobSpec spec) {
    return spec == null || spec.onFailure().isEmpty() ? commands.otherwise() : spec.onFailure();
  }

  private AlertCommands.Alert alert(
      String identity, @Nullable String failed, List<String> command) {
    return new AlertCommands.Alert("identity", identity, failed, command, (run, how) -> over(run));
  }

  /** An alert is over: its files are removed. */
  private void over(Run run) throws DiskException {
    String id = String.valueOf(run.directory().getFileName());
    owed.settle(id); // before the claim is removed, which keeps it from being raised again
    directories.remove(id);
  }

  void raise(String identity, @Nullable JobSpec spec, HistoryEntry entry) {
    List<String> command = command(spec);
    if (command.isEmpty()) {
      return;
    }
    String id = owed.take(Failure.of(identity, entry));
    var alert = alert(identity, entry.runId(), command);
    Launch launch;
    try {
      // The directory is the alert's own; the id is that of the failed run, if there was one.
      Run run = new Run(entry.runId() == null ? id : entry.runId(), directories.create(id));
      Path stdin = run.directory().resolve("stdin");
      directories.write(id, "stdin", tail(entry));
      Map<String, String> environment = launches.daemonEnvironment();
      environment.putAll(variables(identity, spec, entry));
      environment.put(Run.ID_VARIABLE, Objects.requireNonNullElse(entry.runId(), ""));
      environment.put(Run.ALERT_VARIABLE, id);
      launch =
          Launch.builder(run, command, Launches.words(environment))
              .stdin(new InputSource.Kept(stdin))
              .build();
    } catch (IOException e) {
      commands.notStarted(alert, String.valueOf(e.getMessage()));
      return;
    }
    commands.start(alert, launch);
  }

  /** An alert could not be raised. Its note stays, so the next daemon tries it. */
  void notRaised(String identity, @Nullable JobSpec spec, String reason) {
    commands.notStarted(alert(identity, null, command(spec)), reason);
  }

  private byte[] tail(HistoryEntry entry) throws IOException {
    var tail = new ByteArrayOutputStream();
    if (entry.runId() != null) {
      for (String stream : List.of("stdout", "stderr")) {
        try {
          tail.write(directories.kept(entry.runId(), stream, TAIL_BYTES));
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
}
