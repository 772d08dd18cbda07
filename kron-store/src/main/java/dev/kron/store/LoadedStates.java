package dev.kron.store;

import dev.kron.job.JobState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The jobs of a state directory, as it was read at a start. Not to be kept for long. */
public final class LoadedStates {
  private final List<JobState> states;
  private final List<Quarantined> quarantined;
  private final List<String> missing;
  private final ArrivalTable arrivals;
  private final @Nullable Instant arrivalsLostAt;
  private final Map<String, String> notices;

  LoadedStates(
      List<JobState> states,
      List<Quarantined> quarantined,
      List<String> missing,
      ArrivalTable arrivals,
      @Nullable Instant arrivalsLostAt,
      Map<String, String> notices) {
    this.notices = Map.copyOf(notices);
    this.states = List.copyOf(states);
    this.quarantined = List.copyOf(quarantined);
    this.missing = List.copyOf(missing);
    this.arrivals = arrivals;
    this.arrivalsLostAt = arrivalsLostAt;
  }

  /**
   * All states on disk, those too of jobs that no krontab has any more, with the arrivals log
   * already applied to {@code since} and {@code fingerprint}.
   */
  public List<JobState> states() {
    return states;
  }

  /** What is to be told of jobs, as JSON by identity; of jobs too that no krontab has any more. */
  public Map<String, String> notices() {
    return notices;
  }

  /** State files that were moved aside just now; their {@code since} is on record as this start. */
  public List<Quarantined> quarantined() {
    return quarantined;
  }

  /** State files that were there and are not; their {@code since} is on record as this start. */
  public List<String> missing() {
    return missing;
  }

  /**
   * The log of arrivals is gone, and the directory is not new: which jobs were there before nobody
   * can tell.
   */
  public boolean arrivalsLost() {
    return arrivalsLostAt != null;
  }

  /**
   * Since when a job without a state file counts; empty for one that was never seen. A fingerprint
   * {@link Arrivals#QUARANTINED} means that it had a state file, or may have had one, which is
   * lost.
   */
  public Optional<Arrival> arrival(String identity) {
    ArrivalTable.Line line = arrivals.find(Hashes.hex(identity));
    if (line != null) {
      return Optional.of(new Arrival(identity, line.fingerprint(), line.since(), line.pastLost()));
    }
    return Optional.ofNullable(arrivalsLostAt)
        .map(at -> new Arrival(identity, Arrivals.QUARANTINED, at.getEpochSecond(), true));
  }

  /** Lines of the arrivals log that could not be read and were passed over. */
  public int damagedArrivals() {
    return arrivals.damaged();
  }
}
