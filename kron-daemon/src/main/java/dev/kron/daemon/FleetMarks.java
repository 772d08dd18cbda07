package dev.kron.daemon;

import dev.kron.daemon.api.JobView;
import dev.kron.fleet.FleetStanding;
import dev.kron.fleet.JobRow;
import dev.kron.job.JobSpec;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How single jobs stand in a fleet, out of how this machine stands in it. */
final class FleetMarks {
  private final Set<String> suspended = new HashSet<>();
  private final Set<String> differing = new HashSet<>();
  private final Map<String, String> lost = new HashMap<>();

  /**
   * @param standing null: this machine is in no fleet
   */
  static FleetMarks of(@Nullable FleetStanding standing) {
    var marks = new FleetMarks();
    if (standing != null) {
      marks.suspended.addAll(standing.suspended());
      marks.differing.addAll(standing.differing());
      for (JobRow row : standing.held()) {
        JobRow.Active active = row.active();
        if (active != null) {
          marks.lost.put(row.key().identity(), active.run());
        }
      }
    }
    return marks;
  }

  /** Null: it is a job of this machine alone. */
  JobView.@Nullable InFleet of(@Nullable JobSpec spec) {
    if (spec == null || spec.fleet() == null || !spec.isClaimed()) {
      return null;
    }
    String identity = spec.identity();
    return new JobView.InFleet(
        spec.fleet().on().toString(),
        suspended.contains(identity),
        lost.get(identity),
        differing.contains(identity));
  }
}
