package dev.kron.daemon.jobs;

import dev.kron.job.HistoryEntry;
import dev.kron.job.Links.Owed;

/**
 * The fleet's part in the jobs of this machine: which of their runs begin here, and who is told how
 * they ended. Only the loop's thread calls it.
 */
public interface FleetRuns {
  /** This machine is in no fleet. */
  FleetRuns NONE =
      new FleetRuns() {
        @Override
        public void chain(Link link) {}

        @Override
        public void ended(String identity, HistoryEntry entry) {}

        @Override
        public boolean tooLate(String identity, String runId) {
          return false;
        }

        @Override
        public boolean isBeginning() {
          return false;
        }
      };

  /**
   * A run of a job of the fleet that follows one of this machine.
   *
   * @param owed what the job that succeeded owes
   * @param by identity of that job
   * @param runId the same however often it is told
   */
  record Link(Owed owed, String by, String runId) {}

  /**
   * A link wants to be claimed. Comes back as {@code LinkDue}, or {@code LinkPaid} where it is not
   * to run; until then it is owed, and may be told again.
   */
  void chain(Link link);

  /** The end of a run is on record. */
  void ended(String identity, HistoryEntry entry);

  /**
   * A keeper came after the latest moment of its run and left: whether the run is still this
   * machine's has to be asked.
   *
   * @return false: nobody can be asked
   */
  boolean tooLate(String identity, String runId);

  /** Whether a run is being claimed, or was and has no intent yet. */
  boolean isBeginning();
}
