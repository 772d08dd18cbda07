package dev.kron.daemon.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.kron.job.JobState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DueQueueTest {
  private static final long SEED = Long.getLong("kron.seed", 20_260_512);

  private final DueQueue queue = new DueQueue();

  private static Job job(String identity) {
    return new Job(null, JobState.unseen(identity));
  }

  private Job due(String identity, long second) {
    Job job = job(identity);
    job.dueAt = second;
    queue.update(job);
    return job;
  }

  @Test
  void anEmptyQueueHasNoFirst() {
    assertNull(queue.peek());
    queue.remove(job("never put in"));
    assertNull(queue.peek());
  }

  @Test
  void theEarliestComesFirst() {
    due("a", 30);
    Job early = due("b", 10);
    due("c", 20);
    assertSame(early, queue.peek());
  }

  @Test
  void jobsDueInTheSameSecondComeInTheOrderOfTheirIdentities() {
    due("c", 10);
    Job first = due("a", 10);
    due("b", 10);
    assertSame(first, queue.peek());
  }

  @Test
  void aJobThatMovesTakesItsNewPlace() {
    Job a = due("a", 10);
    Job b = due("b", 20);
    a.dueAt = 30;
    queue.update(a);
    assertSame(b, queue.peek());
    a.dueAt = 5;
    queue.update(a);
    assertSame(a, queue.peek());
  }

  @Test
  void aJobThatIsNeverDueLeavesTheQueue() {
    Job job = due("a", 10);
    job.dueAt = Job.NEVER;
    queue.update(job);
    assertNull(queue.peek());
    assertEquals(-1, job.queueIndex);
    queue.update(job);
    assertNull(queue.peek());
  }

  @Test
  void aJobThatWasTakenOutCanComeBack() {
    Job job = due("a", 10);
    queue.remove(job);
    queue.remove(job);
    assertNull(queue.peek());
    queue.update(job);
    assertSame(job, queue.peek());
  }

  @Test
  void agreesWithASortedSetThroughRandomChanges() {
    RandomGenerator random = new SplittableRandom(SEED);
    List<Job> jobs = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      jobs.add(job("job-" + i));
    }
    TreeSet<Job> model =
        new TreeSet<>(Comparator.comparingLong((Job job) -> job.dueAt).thenComparing(j -> j));
    for (int i = 0; i < 50_000; i++) {
      Job job = jobs.get(random.nextInt(jobs.size()));
      model.remove(job);
      switch (random.nextInt(5)) {
        case 0 -> queue.remove(job);
        case 1 -> {
          job.dueAt = Job.NEVER;
          queue.update(job);
        }
        default -> {
          job.dueAt = random.nextLong(60);
          queue.update(job);
          model.add(job);
        }
      }
      @Nullable Job first = model.isEmpty() ? null : model.first();
      assertSame(first, queue.peek(), "step " + i + ", -Dkron.seed=" + SEED);
    }
    while (!model.isEmpty()) {
      Job first = model.removeFirst();
      assertSame(first, queue.peek(), "-Dkron.seed=" + SEED);
      queue.remove(first);
    }
    assertNull(queue.peek());
  }
}
