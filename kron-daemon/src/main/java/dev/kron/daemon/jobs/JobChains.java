package dev.kron.daemon.jobs;

import dev.kron.job.JobEvent;
import dev.kron.job.JobEvent.LinkDue;
import dev.kron.job.JobEvent.LinkPaid;
import dev.kron.job.Links.Owed;
import dev.kron.store.RunIds;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The links between chained jobs. A job that owes a link announces it to the follower until that
 * has taken it; the id of the follower's run is the same each time, so announcing it twice changes
 * nothing. The debt is dropped once it is durable that the link was taken, and the follower forgets
 * the link once that is durable too.
 */
final class JobChains {
  private final JobTable table;
  private final NewRuns newRuns;
  private final JobLog log;
  private final Set<Job> owing = new LinkedHashSet<>();

  JobChains(JobTable table, NewRuns newRuns, JobLog log) {
    this.table = table;
    this.newRuns = newRuns;
    this.log = log;
  }

  /** An event for a job. */
  record Told(Job job, JobEvent event) {}

  /** The job rests, and may owe a link. */
  void look(Job job) {
    if (!job.state.links().owed().isEmpty()) {
      owing.add(job);
    }
  }

  boolean hasWork() {
    return !owing.isEmpty();
  }

  /**
   * The links that have to be announced now. There are none until all jobs are known, since a
   * follower may come last.
   */
  List<Told> take(long nowMillis, FleetRuns fleet) {
    List<Told> told = new ArrayList<>();
    for (Job job : List.copyOf(owing)) {
      for (Owed owed : job.state.links().owed()) {
        Job target = table.find(owed.target());
        if (target == null || target.spec == null) {
          log.linkDropped(job, owed);
          told.add(new Told(job, new LinkPaid(owed)));
        } else if (target.spec.isClaimed()) {
          fleet.chain(new FleetRuns.Link(owed, job.identity, runId(owed)));
        } else {
          told.add(
              new Told(
                  target,
                  new LinkDue(owed, job.identity, runId(owed), newRuns.bootId(), nowMillis)));
        }
      }
    }
    owing.clear();
    return told;
  }

  static String runId(Owed owed) {
    return RunIds.following(owed.at(), owed.cause(), owed.target(), 1);
  }

  /** The events that a durable step has for other jobs. */
  List<Told> durable(Write write) {
    return write.events().stream()
        .map(event -> durable(event.event()))
        .filter(Objects::nonNull)
        .toList();
  }

  private @Nullable Told durable(JobEvent event) {
    if (event instanceof LinkDue due) {
      Job by = table.find(due.by());
      return by == null ? null : new Told(by, new LinkPaid(due.owed()));
    }
    if (event instanceof LinkPaid paid) {
      Job target = table.find(paid.owed().target());
      if (target != null) {
        target.settleLink(runId(paid.owed()));
      }
    }
    return null;
  }
}
