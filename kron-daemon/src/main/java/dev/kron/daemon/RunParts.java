package dev.kron.daemon;

import dev.kron.daemon.jobs.Alerts;
import dev.kron.daemon.jobs.JobLaunches;
import dev.kron.daemon.runs.AlertCommands;
import dev.kron.daemon.runs.BoundedReads;
import dev.kron.daemon.runs.Executions;
import dev.kron.daemon.runs.KeptRuns;
import dev.kron.daemon.runs.Launches;
import dev.kron.daemon.runs.Outputs;
import dev.kron.daemon.runs.RunOwners;
import dev.kron.process.Processes;
import dev.kron.process.SystemLog;
import dev.kron.store.RunIds;
import java.io.PrintStream;
import java.time.ZoneId;
import java.util.function.Supplier;

/** The parts that start and keep runs, and carry what they print. */
final class RunParts {
  final Processes processes;
  final KeptRuns.Means means;
  final Supplier<String> runIds;
  final Launches launches;
  final Executions executions;
  final BoundedReads reads = new BoundedReads();
  final JobLaunches jobLaunches;
  final Outputs outputs;
  final AlertCommands alertCommands;
  final Alerts alerts;

  RunParts(Foundation base, PrintStream out) {
    var owners = new RunOwners();
    this.processes =
        base.ports.processes().apply((run, keeper, status) -> owners.exited(run, status));
    this.means = new KeptRuns.Means(processes, base.directory.runs(), base.errands, owners);
    var ids = new RunIds(base.background.random());
    this.runIds = () -> ids.next(base.clocks.wallMillis());
    this.launches = new Launches(base.ports.users(), base.ports.environment());
    this.executions = new Executions(base.ports.users());
    this.jobLaunches =
        new JobLaunches(launches, executions, new JobVariableFiles(base.files, reads));
    this.outputs =
        new Outputs(
            line -> {
              out.write(line, 0, line.length);
              out.flush();
            },
            base.log::line,
            new SystemLog(base.ports.systemLog(), ZoneId.systemDefault()),
            base.clocks,
            base.log,
            base.errands);
    this.alertCommands =
        new AlertCommands(
            means,
            new AlertCommands.Terms(base.settings.onFailure(), base.settings.onFailureLimit()),
            base.log,
            (command, problem) ->
                base.meters.faults.about(command, base.clocks.wallMillis(), problem));
    this.alerts = new Alerts(means, launches, alertCommands, runIds, base.log);
  }
}
