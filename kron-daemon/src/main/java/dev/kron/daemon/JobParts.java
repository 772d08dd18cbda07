package dev.kron.daemon;

import dev.kron.daemon.jobs.AlertingCommits;
import dev.kron.daemon.jobs.BootPeriods;
import dev.kron.daemon.jobs.Commits;
import dev.kron.daemon.jobs.JobInput;
import dev.kron.daemon.jobs.JobLog;
import dev.kron.daemon.jobs.JobNotices;
import dev.kron.daemon.jobs.JobRuns;
import dev.kron.daemon.jobs.JobStops;
import dev.kron.daemon.jobs.Jobs;
import dev.kron.daemon.jobs.NewRuns;
import dev.kron.daemon.jobs.StateCommits;
import dev.kron.daemon.notices.Notifier;
import dev.kron.store.GroupCommit;
import java.util.function.Consumer;

/** The parts that move jobs, write their states and tell people of them. */
final class JobParts {
  final GroupCommit groupCommit;
  final Recent recent = new Recent();
  final PastOfJobs past;
  final JobNotices notices;
  final Notifying notifying;
  final BootPeriods boots;
  final Jobs jobs;
  final JobRuns runs;
  final JobStops stops;

  JobParts(Foundation base, RunParts parts) {
    Consumer<JobInput> inbox = input -> base.loop.post(new Input.OfJobs(input));
    this.runs =
        new JobRuns(
            parts.means,
            parts.jobLaunches,
            parts.alerts,
            parts.outputs,
            base.clocks,
            inbox,
            parts.runIds);
    this.groupCommit = new GroupCommit(base.directory.jobs());
    Commits commits =
        new AlertingCommits(
            new StateCommits(groupCommit, inbox, base.meters), parts.alerts, base.errands);
    this.past = new PastOfJobs(recent, base.past, base.clocks).asking(base.writability);
    this.notices = new JobNotices(base.time);
    this.notifying =
        new Notifying(
            new Notifier.Means(
                base.directory,
                base.clocks,
                base.errands,
                base.reports,
                inbox,
                (key, bootNanos, task) -> base.loop.post(new Input.Later(key, bootNanos, task)),
                base.files),
            () -> base.ports.sender().apply(base.clocks),
            notices);
    this.boots = new BootPeriods(base.directory.boot(), parts.processes.boot(), base.clocks);
    this.jobs =
        new Jobs(
            base.time,
            base.writability,
            commits,
            runs,
            new JobLog(base.log, past, base.meters),
            new NewRuns(parts.runIds, parts.processes.bootId(), boots),
            notices);
    this.stops = new JobStops(jobs, runs, base.clocks, base.writability);
  }
}
