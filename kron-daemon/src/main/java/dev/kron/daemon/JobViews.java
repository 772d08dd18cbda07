package dev.kron.daemon;

import dev.kron.daemon.api.JobView;
import dev.kron.daemon.jobs.Job;
import java.lang.ref.SoftReference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What can be seen of all jobs, taken by the loop and never changed. A job that is as it was keeps
 * its view, and where all are, so does the list: a look at ten thousand jobs is ten thousand
 * comparisons and no garbage. The last list goes when memory is short or nobody looks any more.
 */
final class JobViews {
  private SoftReference<List<JobView>> last = new SoftReference<>(null);

  /**
   * All jobs as they are; the list is the one before where nothing has changed.
   *
   * @param mutedUntil until when nobody is told of a job, by its identity; 0: it is not muted
   */
  @SuppressWarnings("ReferenceEquality") // a view is made anew exactly where something changed
  List<JobView> take(Collection<Job> known, ToLongFunction<String> mutedUntil) {
    List<JobView> before = last.get();
    if (before == null || before.size() != known.size()) {
      before = List.of();
    }
    ArrayList<JobView> changed = before.isEmpty() ? new ArrayList<>(known.size()) : null;
    int i = 0;
    for (Job job : known) {
      JobView old = i < before.size() ? before.get(i) : null;
      JobView now = view(job, mutedUntil.applyAsLong(job.identity), old);
      if (changed == null && now != old) {
        changed = new ArrayList<>(before.size());
        changed.addAll(before.subList(0, i));
      }
      if (changed != null) {
        changed.add(now);
      }
      i++;
    }
    if (changed == null) {
      return before;
    }
    List<JobView> views = Collections.unmodifiableList(changed);
    last = new SoftReference<>(views);
    return views;
  }

  @SuppressWarnings("ReferenceEquality") // states and specs are replaced, never changed
  private static JobView view(Job job, long mutedUntilMillis, @Nullable JobView old) {
    return old != null
            && old.state() == job.state
            && old.spec() == job.spec
            && old.dueAt() == job.dueAt
            && old.mutedUntilMillis() == mutedUntilMillis
            && old.identity().equals(job.identity)
        ? old
        : new JobView(job.identity, job.spec, job.state, job.dueAt, mutedUntilMillis);
  }
}
