package dev.kron.store;

import dev.kron.job.JobState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The jobs of a state directory as read at a start. Not to be kept for long. */
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
   * All states on disk, including those of jobs that are in no krontab any more, with the arrivals
   * log applied to {@code since} and {@code fingerprint}.
   */
  public List<JobState> states() {
    return states;
  }

  /**
   * The notification states of jobs, as JSON by identity, including jobs that are in no krontab any
   * more.
   */
  public Map<String, String> notices() {
    return notices;
  }

  /** State files that were moved aside just now; their {@code since} is set to this start. */
  public List<Quarantined> quarantined() {
    return quarantined;
  }

  /** State files that existed and are missing; their {@code since} is set to this start. */
  public List<String> missing() {
    return missing;
  }

  /**
   * Whether the arrivals log is gone although the directory is not new, so that nobody knows which
   * jobs existed before.
   */
  public boolean arrivalsLost() {
    return arrivalsLostAt != null;
  }

  /**
   * The moment from which a job without a state file counts; empty if it was never seen. A
   * fingerprint of {@link Arrivals#QUARANTINED} means that the job had, or may have had, a state
   * file that is lost.
   */
  public Optional<Arrival> arrival(String identity) {
    ArrivalTable.Line line = arrivals.find(Hashes.hex(identity));
    if (line != null) {
      return Optional.of(new Arrival(identity, line.fingerprint(), line.since(), line.pastLost()));
    }
    return Optional.ofNullable(arrivalsLostAt)
        .map(at -> new Arrival(identity, Arrivals.QUARANTINED, at.getEpochSecond(), true));
  }

  /** The number of lines of the arrivals log that could not be read and were skipped. */
  public int damagedArrivals() {
    return arrivals.damaged();
  }
}
