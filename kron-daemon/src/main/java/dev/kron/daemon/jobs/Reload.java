package dev.kron.daemon.jobs;

import dev.kron.daemon.loop.Answer;
import dev.kron.job.JobSpec;
import dev.kron.job.JobState;
import dev.kron.store.Arrival;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The difference between the jobs that are known and those that the files have now.
 *
 * <p>A job that is new, or whose schedule says something else, has no past: only due times from
 * this moment on count. All these moments are made durable in one write, before the difference is
 * applied.
 *
 * @param added jobs that were not known, with the state they begin with
 * @param changed known jobs whose file says something else now
 * @param removed identities that are in no file any more
 * @param arrivals what has to be durable first
 * @param since the second from which due times of new and changed jobs count
 * @param moved jobs whose entries say the same in another place
 */
public record Reload(
    Map<JobSpec, JobState> added,
    List<JobSpec> changed,
    List<String> removed,
    List<Arrival> arrivals,
    long since,
    List<JobSpec> moved) {
  /** A reload in which no entry has only moved. */
  public Reload(
      Map<JobSpec, JobState> added,
      List<JobSpec> changed,
      List<String> removed,
      List<Arrival> arrivals,
      long since) {
    this(added, changed, removed, arrivals, since, List.of());
  }

  public static final Reload NOTHING = new Reload(Map.of(), List.of(), List.of(), List.of(), 0);

  /**
   * The changes, by identity.
   *
   * @param services the changes to services, in words
   * @param notices the changes of who is told of what, in words
   * @param fleet how this machine's place in a fleet changes, in words
   */
  public Answer.Plan plan(List<String> services, List<String> notices, List<String> fleet) {
    return new Answer.Plan(
        added.keySet().stream().map(JobSpec::identity).toList(),
        changed.stream().map(JobSpec::identity).toList(),
        removed,
        services,
        notices,
        fleet);
  }

  /**
   * @param known the jobs of the daemon, by identity
   * @param found the states on disk of jobs that are not known
   */
  public static Reload between(
      Map<String, Job> known, List<JobSpec> specs, Map<String, JobState> found, long since) {
    var added = new LinkedHashMap<JobSpec, JobState>();
    var changed = new ArrayList<JobSpec>();
    var arrivals = new ArrayList<Arrival>();
    var moved = new ArrayList<JobSpec>();
    var present = new HashSet<String>();
    for (JobSpec spec : specs) {
      String identity = spec.identity();
      present.add(identity);
      Job job = known.get(identity);
      if (job == null) {
        JobState before = found.getOrDefault(identity, JobState.unseen(identity));
        JobState after = before.withSchedule(spec.schedule().fingerprint(), since);
        if (!after.equals(before)) {
          arrivals.add(new Arrival(identity, after.fingerprint(), after.since(), after.pastLost()));
        }
        added.put(spec, after);
      } else if (job.spec != null && spec.saysTheSame(job.spec)) {
        moved.add(spec);
      } else {
        JobState after = job.state.withSchedule(spec.schedule().fingerprint(), since);
        if (!after.equals(job.state)) {
          arrivals.add(new Arrival(identity, after.fingerprint(), after.since(), after.pastLost()));
        }
        changed.add(spec);
      }
    }
    List<String> removed =
        known.values().stream()
            .filter(job -> job.spec != null && !present.contains(job.identity))
            .map(job -> job.identity)
            .toList();
    return new Reload(added, changed, removed, arrivals, since, moved);
  }

  /** Applies the difference. Nothing that runs is touched. */
  public void applyTo(Jobs jobs, long nowMillis) {
    jobs.letGoOfPrepared();
    added.forEach(
        (spec, state) -> {
          var job = new Job(spec, state);
          job.seenSinceMillis = nowMillis; // if it was here before, it counts as down meanwhile
          jobs.add(job);
          jobs.inFile(job.identity, true);
        });
    for (JobSpec spec : moved) {
      known(jobs, spec.identity()).spec = spec;
    }
    for (JobSpec spec : changed) {
      if (known(jobs, spec.identity()).spec == null) {
        jobs.inFile(spec.identity(), true);
      }
      change(known(jobs, spec.identity()), spec, nowMillis);
      jobs.evaluate(known(jobs, spec.identity()));
    }
    for (String identity : removed) {
      Job job = known(jobs, identity);
      job.spec = null;
      jobs.inFile(identity, false);
      jobs.evaluate(job);
      jobs.forgetIfDone(job);
    }
  }

  private void change(Job job, JobSpec spec, long nowMillis) {
    if (job.spec == null || (job.policy().suspend() && !spec.schedule().policy().suspend())) {
      job.seenSinceMillis = nowMillis; // back again: the rule for downtime applies
    }
    job.spec = spec;
    job.changedSince = since;
  }

  private static Job known(Jobs jobs, String identity) {
    return Objects.requireNonNull(jobs.find(identity), identity);
  }
}
