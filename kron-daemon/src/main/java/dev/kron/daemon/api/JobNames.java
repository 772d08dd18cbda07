package dev.kron.daemon.api;

import java.util.List;

/** The finder of the job that a path names. */
final class JobNames {
  private JobNames() {}

  /** The one job that a name or identity means. */
  static JobView named(Snapshot snapshot, String word) {
    List<JobView> found = snapshot.named(word);
    if (found.isEmpty()) {
      throw new ApiProblem(404, "there is no job " + word);
    }
    if (found.size() > 1) {
      throw new ApiProblem(
          409,
          "%s jobs are called %s: name one by its identity".formatted(found.size(), word),
          found.stream().map(JobView::identity).sorted().toList());
    }
    return found.getFirst();
  }
}
