package dev.kron.daemon.services;

import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.loop.Errands.Place;
import dev.kron.daemon.runs.AlertCommands;
import dev.kron.daemon.runs.AlertCommands.Alert;
import dev.kron.daemon.runs.KeptRuns;
import dev.kron.daemon.runs.Launches;
import dev.kron.process.InputSource;
import dev.kron.process.Launch;
import dev.kron.process.Run;
import dev.kron.process.RunStatus;
import dev.kron.service.Failure;
import dev.kron.service.Hooks;
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceSpec;
import dev.kron.store.OwedAlert;
import dev.kron.store.RunDirectories;
import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Runs the {@code onfailure} command of a service, or the daemon's own: once for each failure for
 * good. What is owed is in the supervisor's file, in the same write as the failure, until the
 * command has ended; the claim of its run keeps it from being run twice.
 */
final class ServiceAlerts {
  /** So much of the instance's log is handed to the command. */
  private static final int TAIL_BYTES = 16 * 1024;

  private static final long AGAIN_MILLIS = 30_000;

  private final RunDirectories directories;
  private final Errands errands;
  private final AlertCommands commands;
  private final ServiceLaunches launches;
  private final HookOutput output;
  private final Consumer<ServiceInput> inbox;

  /** The alerts that this daemon has taken up, and how far they are. */
  private final Map<String, Progress> taken = new ConcurrentHashMap<>();

  private enum Progress {
    UNDER_WAY,
    /** Nothing of the command is left, or it cannot be started; that may not be written yet. */
    OVER
  }

  ServiceAlerts(
      KeptRuns.Means means,
      AlertCommands commands,
      ServiceLaunches launches,
      HookOutput output,
      Consumer<ServiceInput> inbox) {
    this.directories = means.directories();
    this.errands = means.errands();
    this.commands = commands;
    this.launches = launches;
    this.output = output;
    this.inbox = inbox;
  }

  /** Whether somebody is told when the service has failed. */
  boolean isWanted(ServiceSpec spec) {
    return !command(spec).isEmpty();
  }

  private List<String> command(ServiceSpec spec) {
    List<String> own = spec.hooks().onFailure();
    return own.isEmpty() ? commands.otherwise() : own;
  }

  /**
   * Takes up what is owed for an instance, once: finds out what became of a command that may have
   * been started, and starts one that was not.
   */
  void take(ServiceSpec spec, InstanceId id, List<OwedAlert> owed) {
    for (OwedAlert each : owed) {
      Progress before = taken.putIfAbsent(each.runId(), Progress.UNDER_WAY);
      if (before == null) {
        attempt(spec, id, each);
      } else if (before == Progress.OVER) {
        inbox.accept(new ServiceInput.AlertOver(id, each.runId())); // that was not written
      }
    }
  }

  /** That an alert is over is durable. */
  void forget(String runId) {
    taken.remove(runId);
  }

  private void attempt(ServiceSpec spec, InstanceId id, OwedAlert owed) {
    errands.execute(
        Place.RAISE_ALERT, () -> raise(spec, id, owed), thrown -> again(spec, id, owed));
  }

  private void again(ServiceSpec spec, InstanceId id, OwedAlert owed) {
    errands.after(
        AGAIN_MILLIS,
        Place.RAISE_ALERT,
        () -> raise(spec, id, owed),
        thrown -> again(spec, id, owed));
  }

  private void raise(ServiceSpec spec, InstanceId id, OwedAlert owed) {
    Run run = new Run(owed.runId(), directories.of(owed.runId()));
    var alert =
        new Alert(
            "instance",
            id.toString(),
            owed.runId(),
            command(spec),
            (ended, how) -> {
              output.ended(id, Hooks.ON_FAILURE, how);
              isOver(id, ended);
            });
    try {
      switch (commands.status(run)) {
        case RunStatus.Unclaimed _ -> start(spec, id, owed, run, alert);
        case RunStatus.Running present -> commands.adopt(alert, run, present);
        case RunStatus status -> commands.ended(alert, run, status);
      }
    } catch (IOException e) {
      commands.notStarted(alert, String.valueOf(e.getMessage()));
      again(spec, id, owed);
    }
  }

  private void start(ServiceSpec spec, InstanceId id, OwedAlert owed, Run run, Alert alert)
      throws IOException {
    if (alert.command().isEmpty()) {
      isOver(id, run); // it is in no file any more
      return;
    }
    directories.create(run.id());
    directories.write(run.id(), "stdin", HookOutput.end(launches.log(id), TAIL_BYTES));
    Launch launch;
    try {
      var stdin = new InputSource.Kept(run.directory().resolve("stdin"));
      launch = launches.alert(spec, id, run, alert.command(), stdin, told(id, owed.failure()));
    } catch (Launches.Refused refused) {
      commands.refused(alert, run, refused.stage().text(), refused.getMessage());
      return;
    }
    output.begins(id, Hooks.ON_FAILURE);
    if (!commands.start(alert, launch)) {
      again(spec, id, owed);
    }
  }

  private void isOver(InstanceId id, Run run) {
    taken.put(run.id(), Progress.OVER);
    inbox.accept(new ServiceInput.AlertOver(id, run.id()));
  }

  private static Map<String, String> told(InstanceId id, Failure failure) {
    Map<String, String> told = new LinkedHashMap<>();
    told.put("KRON_IDENTITY", id.toString());
    told.put("KRON_OUTCOME", failure.gaveUp() ? "gave_up" : "failed");
    told.put("KRON_EXIT", failure.exitCode() == null ? "" : failure.exitCode().toString());
    told.put("KRON_REASON", failure.reason());
    told.put("KRON_RESTARTS", Integer.toString(failure.restarts()));
    told.put("KRON_FAILED_AT", Instant.ofEpochMilli(failure.at()).toString());
    return told;
  }
}
