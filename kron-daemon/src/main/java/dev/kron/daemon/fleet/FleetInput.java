package dev.kron.daemon.fleet;

import dev.kron.daemon.jobs.RunTraces;
import dev.kron.fleet.Answers.Joined;
import dev.kron.fleet.Claim;
import dev.kron.fleet.NodeSession.Start;
import dev.kron.fleet.Statement;
import dev.kron.job.HistoryEntry;
import java.util.List;
import java.util.Map;

/**
 * An input from outside the loop that concerns the fleet.
 *
 * @param to whom it concerns; another one may have taken its place
 */
public record FleetInput(FleetMember to, What what) {
  /** The kinds of such inputs. */
  sealed interface What {}

  /**
   * The memory that an earlier daemon left was read.
   *
   * @param past how runs of the fleet ended, as far as they are on record here
   */
  record Remembered(FleetMemory memory, Map<String, HistoryEntry> past) implements What {}

  /** The fate of a run that no job knows was found out. */
  record Found(String run, RunTraces.Fate fate) implements What {}

  /** The machine cannot be a node, as it is. */
  record Unable(String reason) implements What {}

  /** An answer to joining came. */
  record Heard(Start start, Joined joined, boolean asKnown, long sentNanos) implements What {}

  /** A generation was ended: joining may go on. */
  record Raised(Joined.WentBack back) implements What {}

  /** No answer to joining came. */
  record Unheard(String reason) implements What {}

  record Answered(Statement statement, Statement.Answer answer) implements What {}

  record Failed(Statement statement, String reason) implements What {}

  /** The claims are remembered: their runs may begin. */
  record Noted(List<Claim> claims) implements What {}

  /** The claims could not be remembered, so their runs must not begin. */
  record NotNoted(List<Claim> claims, String reason) implements What {}

  /** The jobs are suspended, in the whole fleet. */
  record Suspended(List<String> identities) implements What {}

  /** A run ended, and the last of its output was read. */
  record Ended(String run, HistoryEntry entry, String output) implements What {}
}
