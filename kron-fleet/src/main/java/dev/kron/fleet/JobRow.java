package dev.kron.fleet;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A job's row, as somebody read it: with what its shared row says where it is a node's own.
 *
 * @param retryAtMillis when the last attempt is to be tried again, null: it is not
 */
public record JobRow(
    RowKey key,
    String definition,
    long generation,
    boolean suspended,
    Last last,
    From from,
    @Nullable Long retryAtMillis,
    @Nullable Active active) {

  /**
   * The last handled period.
   *
   * @param period nominal second, {@code NominalTimes.NONE}: none
   * @param attempt the last one that was made, 0: none was
   * @param run id of the run, or of the record
   * @param rerun whether one of its attempts took the place of a run that was lost
   */
  public record Last(long period, int attempt, String run, boolean rerun) {}

  /**
   * The moments from which things count.
   *
   * @param sinceMillis from which due times count
   * @param countsMillis after which a period's window has to start
   * @param claimsMillis before which nothing is claimed
   */
  public record From(long sinceMillis, long countsMillis, long claimsMillis) {}

  /**
   * The run that goes on, as far as anybody knows.
   *
   * @param node its UUID
   * @param lostSinceMillis null: its node is not lost
   * @param rerunAtMillis when others may run it again, null: they may not
   * @param nodeLives whether its node takes part: its lease is not over
   */
  public record Active(
      String run,
      UUID node,
      long period,
      int attempt,
      long sinceMillis,
      @Nullable Long lostSinceMillis,
      @Nullable Long rerunAtMillis,
      boolean nodeLives) {}

  public long lastPeriod() {
    return last.period();
  }

  int lastAttempt() {
    return last.attempt();
  }

  String lastRun() {
    return last.run();
  }

  long sinceMillis() {
    return from.sinceMillis();
  }

  long countsFromMillis() {
    return from.countsMillis();
  }

  long claimsFromMillis() {
    return from.claimsMillis();
  }
}
