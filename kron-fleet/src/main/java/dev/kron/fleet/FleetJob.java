package dev.kron.fleet;

import dev.kron.job.Definition;
import dev.kron.job.FleetRules;
import dev.kron.job.JobSpec;
import dev.kron.job.Placement;
import dev.kron.job.RetryPolicy;
import dev.kron.schedule.Schedule;
import java.util.UUID;

/**
 * A job of a fleet, as a node's files have it.
 *
 * @param row shared, or the node's own
 * @param seed the identity that its seconds are chosen by
 * @param definition the hash of the whole entry
 */
public record FleetJob(
    RowKey row,
    String seed,
    String definition,
    Schedule schedule,
    RetryPolicy retry,
    FleetRules rules) {

  /** The job of an entry, for one node. */
  public static FleetJob of(JobSpec spec, UUID node, String nodeName) {
    FleetRules rules = spec.fleet();
    if (rules == null) {
      throw new IllegalArgumentException(spec.identity() + " is no job of a fleet");
    }
    String identity = spec.identity();
    boolean own = rules.on().all();
    return new FleetJob(
        own ? new RowKey(identity, node) : RowKey.shared(identity),
        own ? identity + "@" + nodeName : identity,
        Definition.hash(spec),
        spec.schedule(),
        spec.retry(),
        rules);
  }

  NodeVote arrival(String nodeName) {
    return new NodeVote(
        row,
        definition,
        schedule.fingerprint(),
        rules.on().toString(),
        rules.on().all() ? nodeName : "");
  }

  Placement on() {
    return rules.on();
  }
}
