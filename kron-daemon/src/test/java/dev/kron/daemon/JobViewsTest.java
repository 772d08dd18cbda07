package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.kron.daemon.api.JobView;
import dev.kron.daemon.jobs.Job;
import dev.kron.job.JobState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A look costs what has changed, and nobody's list changes under them. */
class JobViewsTest {
  private final JobViews views = new JobViews();
  private final List<Job> jobs = new ArrayList<>();
  private final Map<String, Long> muted = new HashMap<>();

  JobViewsTest() {
    for (String name : List.of("a", "b", "c")) {
      jobs.add(new Job(null, JobState.unseen("/jobs:" + name)));
    }
  }

  private List<JobView> take() {
    List<JobView> taken = views.take(jobs, identity -> muted.getOrDefault(identity, 0L));
    List<JobView> expected = new ArrayList<>();
    for (Job job : jobs) {
      long until = muted.getOrDefault(job.identity, 0L);
      expected.add(new JobView(job.identity, job.spec, job.state, job.dueAt, until));
    }
    assertEquals(expected, taken);
    return taken;
  }

  @Test
  void nothingIsMadeWhereNothingHasChanged() {
    List<JobView> first = take();
    assertSame(first, take());
    assertThrows(UnsupportedOperationException.class, first::removeFirst);
  }

  @Test
  void whatHasChangedIsMadeAnewAndNothingElse() {
    Job job = jobs.get(1);
    List<Runnable> changes =
        List.of(
            () -> job.dueAt = 7,
            () -> job.state = job.state.withSchedule("another", 5),
            () -> muted.put(job.identity, 9L));
    for (Runnable change : changes) {
      List<JobView> before = take();
      List<JobView> copy = List.copyOf(before);
      change.run();
      List<JobView> after = take();
      assertEquals(copy, before, "who looked before still sees what was");
      assertSame(before.get(0), after.get(0));
      assertNotSame(before.get(1), after.get(1));
      assertSame(before.get(2), after.get(2));
    }
  }

  @Test
  void jobsComeAndGo() {
    take();
    jobs.removeFirst();
    take();
    jobs.add(new Job(null, JobState.unseen("/jobs:d")));
    take();
    jobs.set(0, new Job(null, JobState.unseen("/jobs:e")));
    take();
    jobs.clear();
    assertEquals(List.of(), take());
  }
}
