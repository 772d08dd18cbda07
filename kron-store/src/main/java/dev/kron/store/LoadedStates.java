package dev.kron.store;

import dev.kron.job.JobState;
import java.util.List;
import java.util.Optional;

/** What a state directory knows of jobs, as it was read at a start. Not to be kept for long. */
public final class LoadedStates {
  private final List<JobState> states;
  private final List<Quarantined> quarantined;
  private final ArrivalTable arrivals;

  LoadedStates(List<JobState> states, List<Quarantined> quarantined, ArrivalTable arrivals) {
    this.states = List.copyOf(states);
    this.quarantined = List.copyOf(quarantined);
    this.arrivals = arrivals;
  }

  /**
   * All states on disk, those too of jobs that no krontab has any more, with the arrivals log
   * already applied to {@code since} and {@code fingerprint}.
   */
  public List<JobState> states() {
    return states;
  }

  /** State files that were moved aside just now; their {@code since} is on record as this start. */
  public List<Quarantined> quarantined() {
    return quarantined;
  }

  /**
   * Since when a job without a state file counts; empty for one that was never seen. A fingerprint
   * {@link Arrivals#QUARANTINED} means that it had a state file, which was moved aside.
   */
  public Optional<Arrival> arrival(String identity) {
    return Optional.ofNullable(arrivals.find(Hashes.hex(identity)))
        .map(line -> new Arrival(identity, line.fingerprint(), line.since(), line.pastLost()));
  }

  /** Lines of the arrivals log that could not be read and were passed over. */
  public int damagedArrivals() {
    return arrivals.damaged();
  }
}
