package dev.kron.daemon.jobs;

import dev.kron.job.JobSpec;
import dev.kron.job.JobState;
import dev.kron.process.Processes;
import dev.kron.schedule.Schedule;
import dev.kron.store.Arrival;
import dev.kron.store.Arrivals;
import dev.kron.store.DiskException;
import dev.kron.store.LoadedStates;
import dev.kron.store.RunDirectories;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that a daemon begins with: those of its files, each with the state that earlier daemons
 * left, and jobs that are in no file any more but still run. There may be a hundred thousand, so
 * each is looked up once.
 *
 * @param arrivals what is new, to be made durable before anything starts
 * @param lost identities of jobs whose states were found lost just now
 */
public record StartupJobs(List<Job> jobs, List<Arrival> arrivals, Set<String> lost) {

  /**
   * The jobs to begin with if arrivals cannot be made durable: those that were seen before, and the
   * runs of those that are new or changed.
   */
  public List<Job> seenBefore() {
    Set<String> arriving = new HashSet<>();
    arrivals.forEach(arrival -> arriving.add(arrival.identity()));
    var seen = new ArrayList<Job>(jobs.size());
    for (Job job : jobs) {
      if (!arriving.contains(job.identity)) {
        seen.add(job);
      } else if (!job.state.active().isEmpty()) {
        seen.add(new Job(null, job.state));
      }
    }
    return seen;
  }

  /**
   * @param since the second from which the due times of what is new count
   */
  public static StartupJobs of(
      List<JobSpec> specs,
      LoadedStates loaded,
      RunDirectories runs,
      Processes processes,
      long since)
      throws DiskException {
    Map<String, JobState> written = HashMap.newHashMap(loaded.states().size());
    loaded.states().forEach(state -> written.put(state.identity(), state));
    List<JobState> states = new ArrayList<>(specs.size());
    boolean lost =
        !loaded.quarantined().isEmpty() || !loaded.missing().isEmpty() || loaded.arrivalsLost();
    for (JobSpec spec : specs) {
      String identity = spec.identity();
      JobState state = written.get(identity);
      if (state == null) {
        state = unwritten(identity, loaded);
        lost |= state.pastLost();
      }
      states.add(state);
    }
    Map<String, JobState> found = new HashMap<>();
    if (lost) {
      for (JobState state :
          new LostRuns(runs, processes)
              .find(
                  identity -> lost(identity, written, loaded),
                  owedRuns(loaded.states()),
                  since * 1000L)) {
        found.put(state.identity(), state);
      }
    }
    states.replaceAll(state -> found.getOrDefault(state.identity(), state));
    return of(specs, states, others(loaded, found), since);
  }

  private static StartupJobs of(
      List<JobSpec> specs, List<JobState> states, List<JobState> others, long since) {
    var jobs = new ArrayList<Job>(specs.size());
    var arrivals = new ArrayList<Arrival>();
    var lost = new HashSet<String>();
    // Entries share equal schedules, so few fingerprints are computed and kept.
    IdentityHashMap<Schedule, String> fingerprints = new IdentityHashMap<>();
    for (int i = 0; i < specs.size(); i++) {
      JobSpec spec = specs.get(i);
      JobState before = states.get(i);
      String fingerprint = fingerprints.computeIfAbsent(spec.schedule(), Schedule::fingerprint);
      JobState after = before.withSchedule(fingerprint, since);
      if (before.pastLost() && before.fingerprint().equals(Arrivals.QUARANTINED)) {
        lost.add(before.identity());
      }
      if (!after.equals(before)) {
        arrivals.add(
            new Arrival(after.identity(), after.fingerprint(), after.since(), after.pastLost()));
      }
      jobs.add(new Job(spec, after));
    }
    if (!others.isEmpty()) {
      Set<String> present = new HashSet<>();
      jobs.forEach(job -> present.add(job.identity));
      others.stream()
          .filter(state -> !present.contains(state.identity()))
          .forEach(state -> jobs.add(new Job(null, state)));
    }
    settleLinks(jobs);
    return new StartupJobs(jobs, arrivals, lost);
  }

  /** Marks links that no job owes any more, so that they can be forgotten. */
  private static void settleLinks(List<Job> jobs) {
    Set<String> owed = owedRuns(jobs.stream().map(job -> job.state).toList());
    for (Job job : jobs) {
      job.state.links().taken().stream().filter(it -> !owed.contains(it)).forEach(job::settleLink);
    }
  }

  /** The chained runs that these jobs owe to others. */
  private static Set<String> owedRuns(List<JobState> states) {
    Set<String> owed = new HashSet<>();
    for (JobState state : states) {
      state.links().owed().forEach(it -> owed.add(JobChains.runId(it)));
    }
    return owed;
  }

  /** States with runs, whether or not their jobs are in a file. */
  private static List<JobState> others(LoadedStates loaded, Map<String, JobState> found) {
    var others = new ArrayList<JobState>(found.values());
    loaded.states().stream().filter(JobState::isUnfinished).forEach(others::add);
    return others;
  }

  /** The state of a job whose file was moved aside and not written again; null for all others. */
  private static @Nullable JobState lost(
      String identity, Map<String, JobState> written, LoadedStates loaded) {
    if (written.containsKey(identity)) {
      return null;
    }
    JobState state = unwritten(identity, loaded);
    return state.pastLost() ? state : null;
  }

  /** The state of a job without a state file: seen before, quarantined, or new. */
  private static JobState unwritten(String identity, LoadedStates loaded) {
    return loaded
        .arrival(identity)
        .map(
            arrival ->
                JobState.arrived(
                    identity, arrival.fingerprint(), arrival.since(), arrival.pastLost()))
        .orElseGet(() -> JobState.unseen(identity));
  }
}
