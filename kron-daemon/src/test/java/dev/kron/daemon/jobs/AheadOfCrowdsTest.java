package dev.kron.daemon.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.job.ActiveRun;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobSpec;
import dev.kron.job.JobState;
import dev.kron.schedule.Schedule;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is made ready before its second, and when. */
class AheadOfCrowdsTest {
  private static final long NOON = Instant.parse("2026-05-10T12:00:00Z").getEpochSecond();

  private final DueQueue queue = new DueQueue();
  private final List<Job> jobs = new ArrayList<>();
  private final Waiting waiting = new Waiting();
  private int runIds;
  private final RunPreparer ahead =
      new RunPreparer(waiting, new NewRuns(() -> "run-" + ++runIds, "boot-1"));

  private static final class Waiting implements Runs {
    final Set<String> runs = new HashSet<>();
    int room = Integer.MAX_VALUE;

    @Override
    public int room(int waiting) {
      return room - waiting;
    }

    @Override
    public void prepare(JobSpec spec, ActiveRun run) {
      runs.add(run.runId());
    }

    @Override
    public void discard(String runId) {
      runs.remove(runId);
    }

    @Override
    public void launch(JobSpec spec, ActiveRun run) {}

    @Override
    public void recover(String identity, @Nullable JobSpec spec, ActiveRun run, long lateSeconds) {}

    @Override
    public void signal(String identity, String runId, int signal) {}

    @Override
    public void drop(String runId) {}

    @Override
    public void alert(String identity, @Nullable JobSpec spec, HistoryEntry entry) {}
  }

  private void addAtNoon(int count) {
    for (int i = 0; i < count; i++) {
      JobSpec spec =
          JobSpec.builder(
                  "/etc/krond.d/a",
                  "job" + jobs.size(),
                  Schedule.parse("0 12 * * *"),
                  List.of("/bin/true"))
              .build();
      JobState state =
          JobState.unseen(spec.identity())
              .withSchedule(spec.schedule().fingerprint(), NOON - 3_600);
      Job job = new Job(spec, state);
      job.dueAt = NOON;
      queue.update(job);
      jobs.add(job);
    }
  }

  private int readyBefore(long seconds) {
    ahead.look((NOON - seconds) * 1000, (NOON - 3_600) * 1000, queue);
    return waiting.runs.size();
  }

  @Test
  void aBusySecondIsMadeReadyTenSecondsBefore() {
    addAtNoon(4);
    assertEquals(0, readyBefore(50));
    assertEquals(0, readyBefore(11));
    assertEquals(4, readyBefore(10));
    assertEquals(4, readyBefore(9));
  }

  @Test
  void aSecondWithFewRunsIsNot() {
    addAtNoon(3);
    assertEquals(0, readyBefore(10));
  }

  @Test
  void aCrowdIsMadeReadyFiftySecondsBefore() {
    addAtNoon(2_000);
    assertEquals(0, readyBefore(51));
    assertEquals(2_000, readyBefore(50));
    assertEquals(2_000, readyBefore(10), "and not once more");
  }

  @Test
  void noMoreAreMadeReadyThanThereIsRoomFor() {
    waiting.room = 600;
    addAtNoon(2_000);
    assertEquals(600, readyBefore(50));
    waiting.room = 800;
    assertEquals(800, readyBefore(10), "there is more room by now");
  }

  @Test
  void tenThousandAreTheMost() {
    addAtNoon(10_100);
    assertEquals(10_000, readyBefore(50));
  }

  @Test
  void whatIsReadyIsTakenByItsPeriodAloneAndTheRestIsLetGo() {
    addAtNoon(5);
    assertEquals(5, readyBefore(10));
    assertTrue(waiting.runs.contains(ahead.runId(jobs.get(0), NOON)));
    String other = ahead.runId(jobs.get(1), NOON + 86_400);
    assertEquals("run-6", other, "of another period nothing is ready");
    assertEquals(4, waiting.runs.size());
    assertNotEquals(other, ahead.runId(jobs.get(1), NOON + 86_400));
    assertEquals(4, readyBefore(-30));
    assertEquals(1, readyBefore(-31), "three never began");
  }

  @Test
  void looksOftenEnoughForACrowdToBeSeen() {
    addAtNoon(1);
    assertEquals(NOON - 50, ahead.nextLook(NOON, (NOON - 3_600) * 1000));
    readyBefore(50);
    assertEquals(NOON - 45, ahead.nextLook(NOON, (NOON - 50) * 1000));
    readyBefore(12);
    assertEquals(NOON - 10, ahead.nextLook(NOON, (NOON - 12) * 1000));
  }
}
