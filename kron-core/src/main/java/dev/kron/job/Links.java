package dev.kron.job;

import java.util.ArrayList;
import java.util.List;

/**
 * The links of chains that are under way between jobs. The job that succeeded owes a link from the
 * same write on, until the following job has taken it. The following job remembers what it took for
 * as long as it may be told again.
 *
 * @param owed the links that this job owes, oldest first
 * @param taken ids of the runs that were started or skipped for a link, as long as the link may be
 *     told again
 */
public record Links(List<Owed> owed, List<String> taken) {
  public static final Links NONE = new Links(List.of(), List.of());

  /**
   * A run that is to follow another one.
   *
   * @param target identity of the following job
   * @param cause id of the run that succeeded
   * @param at epoch millisecond of its success
   */
  public record Owed(String target, String cause, long at) {}

  public Links {
    owed = List.copyOf(owed);
    taken = List.copyOf(taken);
  }

  public boolean isEmpty() {
    return owed.isEmpty() && taken.isEmpty();
  }

  Links owing(List<String> targets, String cause, long at) {
    var all = new ArrayList<>(owed);
    targets.forEach(target -> all.add(new Owed(target, cause, at)));
    return new Links(all, taken);
  }

  Links without(Owed paid) {
    return new Links(owed.stream().filter(it -> !it.equals(paid)).toList(), taken);
  }

  Links taking(String runId) {
    var all = new ArrayList<>(taken);
    all.add(runId);
    return new Links(owed, all);
  }

  Links forgetting(List<String> settled) {
    return new Links(owed, taken.stream().filter(id -> !settled.contains(id)).toList());
  }
}
