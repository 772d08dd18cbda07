package dev.kron.daemon.runs;

import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.loop.Errands.Place;
import dev.kron.process.Launch;
import dev.kron.process.LaunchResult;
import dev.kron.process.ProcessIdentity;
import dev.kron.process.Processes;
import dev.kron.process.Run;
import dev.kron.process.RunStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The commands that are told of failures, of jobs and of services alike: started once, bounded in
 * time, watched until they end, also where an earlier daemon has started them. A command that does
 * not work is a fault.
 */
public final class AlertCommands {
  private final Processes processes;
  private final Errands errands;
  private final RunOwners owners;
  private final List<String> otherwise;
  private final AlertLimit limit;
  private final EventLog log;
  private final Report report;

  /** The alerts whose commands run, by the directories of their runs. */
  private final Map<Path, Alert> running = new ConcurrentHashMap<>();

  /** Commands that have a name in reports, in the order in which they came. */
  private final Set<List<String>> told = Collections.synchronizedSet(new LinkedHashSet<>());

  /**
   * An alert.
   *
   * @param kind what the log calls that which has failed: {@code identity}, {@code instance}
   * @param about its name
   * @param failed the run that failed; null: none, or it is not told
   * @param command the words that are executed; empty if they are not known any more
   * @param over called when nothing of the command is left, or it cannot be started
   */
  public record Alert(
      String kind, String about, @Nullable String failed, List<String> command, Over over) {}

  /** The end of an alert: it is not owed any more, and its directory may go. */
  public interface Over {
    /**
     * @param how in a few words, for people
     */
    void over(Run run, String how) throws IOException;
  }

  /** The receiver of problems with a command; null: it works. */
  public interface Report {
    void about(String command, @Nullable String problem);
  }

  /**
   * The settings for all alerts.
   *
   * @param otherwise words of the command for jobs and services without their own; empty: none
   * @param limit how long a command may take
   */
  public record Terms(List<String> otherwise, Duration limit) {}

  public AlertCommands(KeptRuns.Means means, Terms terms, EventLog log, Report report) {
    this.processes = means.processes();
    this.errands = means.errands();
    this.owners = means.owners();
    this.otherwise = List.copyOf(terms.otherwise());
    Map<Path, Alert> present = running;
    this.limit =
        new AlertLimit(processes, errands, terms.limit(), run -> present.get(run.directory()), log);
    this.log = log;
    this.report = report;
  }

  /** The words of the command for jobs and services without their own; empty: none. */
  public List<String> otherwise() {
    return otherwise;
  }

  /**
   * Starts the command of an alert.
   *
   * @return whether that was done, or can never be; false: it stays owed
   */
  public boolean start(Alert alert, Launch launch) {
    Run run = launch.run();
    begin(run, alert);
    try {
      switch (processes.launch(launch)) {
        case LaunchResult.Launched _ -> {
          log.info(
              "alert", "onfailure_started", alert.kind(), alert.about(), "run", alert.failed());
          limit.began(run, Duration.ZERO);
        }
        case LaunchResult.Failed failed -> {
          end(run);
          refused(alert, run, failed.stage().text(), failed.reason());
        }
        case LaunchResult.AlreadyClaimed(RunStatus.Running present) -> goesOn(run, present);
        case LaunchResult.AlreadyClaimed(RunStatus status) -> finished(run, status);
      }
      return true;
    } catch (IOException e) {
      end(run);
      notStarted(alert, String.valueOf(e.getMessage()));
      return false;
    }
  }

  /** An alert can never be started: it is over. */
  public void refused(Alert alert, Run run, String stage, @Nullable String reason) {
    log.error(
        "alert",
        "onfailure_not_started",
        alert.kind(),
        alert.about(),
        "stage",
        stage,
        "reason",
        reason);
    report(alert, reason);
    over(alert, run, "it could not be started: " + reason);
  }

  /** An alert could not be started. It stays owed, so that it is tried again. */
  public void notStarted(Alert alert, String reason) {
    log.error("alert", "onfailure_not_started", alert.kind(), alert.about(), "reason", reason);
    report(alert, reason);
  }

  /** The status of an alert's run; one without its record runs where its keeper is there. */
  public RunStatus status(Run run) throws IOException {
    RunStatus status = processes.status(run);
    if (!(status instanceof RunStatus.Unclaimed)) {
      return status;
    }
    // What the failed run has left behind carries the same id, and says nothing about the alert.
    Path directory = run.directory();
    return processes.kept(directory.resolveSibling("")).stream()
        .filter(kept -> directory.endsWith(kept.runId()))
        .<RunStatus>map(kept -> new RunStatus.Running(kept.keeper()))
        .findFirst()
        .orElse(status);
  }

  /** Takes up an alert whose command an earlier daemon has started. */
  public void adopt(Alert alert, Run run, RunStatus.Running status) {
    begin(run, alert);
    goesOn(run, status);
  }

  /** An alert whose command has ended while no daemon was there. */
  public void ended(Alert alert, Run run, RunStatus status) {
    begin(run, alert);
    finished(run, status);
  }

  private void report(Alert alert, @Nullable String problem) {
    if (!alert.command().isEmpty()) {
      report.about(name(alert.command()), problem == null ? null : alert.about() + ": " + problem);
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

  /** Registers this object for the end of the run. */
  private void begin(Run run, Alert alert) {
    running.put(run.directory(), alert);
    owners.register(
        run,
        (ended, status) ->
            errands.execute(Place.END_RUN, () -> exited(ended, status), thrown -> {}));
  }

  /** A command that an earlier daemon started still runs. */
  private void goesOn(Run run, RunStatus.Running status) {
    processes.watch(run, status.keeper());
    limit.began(run, processes.age(status.keeper()));
  }

  private @Nullable Alert end(Run run) {
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

  /** The command has ended. */
  private void finished(Run run, RunStatus status) {
    Alert alert = end(run);
    if (alert == null) {
      return;
    }
    Integer exit = status instanceof RunStatus.Ended ended ? (Integer) ended.exitCode() : null;
    if (exit == null || exit != 0) {
      // Its output is not logged: it may show secrets.
      Object code = exit == null ? "unknown" : exit;
      log.warn("alert", "onfailure_failed", alert.kind(), alert.about(), "exit", code);
      report(alert, "exit " + code);
    } else {
      report(alert, null);
    }
    over(alert, run, exit == null ? "nobody knows how" : "exit code " + exit);
  }

  private static void over(Alert alert, Run run, String how) {
    try {
      alert.over().over(run, how);
    } catch (IOException e) {
      // It stays owed and has its claim, so it is not run again; it is found by the next daemon.
    }
  }
}
