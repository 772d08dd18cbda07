package dev.kron.daemon.api;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kron.cron.CronCalendar;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobState;
import dev.kron.job.Outcome;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which runs a list has. */
class RunFilterTest {
  private static final String JOB = "/etc/krond.d/shop:job";

  private static HistoryEntry ended(int number, int exitCode) {
    long at = number * 1000L;
    return HistoryEntry.builder(CronCalendar.NONE, Outcome.EXECUTED)
        .chosen(0)
        .startedAt(at)
        .completedAt(at + 1)
        .exitCode(exitCode)
        .runId("r" + number)
        .build();
  }

  /** A daemon that remembers only what ended last of a job with a long history. */
  private static Control control(List<HistoryEntry> history) {
    return (Control)
        Proxy.newProxyInstance(
            Control.class.getClassLoader(),
            new Class<?>[] {Control.class},
            (proxy, method, words) ->
                switch (method.getName()) {
                  case "recent" -> List.of(new Control.Ended(JOB, history.getLast()));
                  case "history" -> history;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private static List<String> found(RunFilter filter, List<HistoryEntry> history, int limit) {
    var job = new JobView(JOB, null, JobState.unseen(JOB), JobView.NEVER, 0, null);
    var snapshot = new Snapshot(0, null, false, Map.of(), List.of(job), "");
    return filter.ended(control(history), snapshot, limit).stream()
        .map(one -> String.valueOf(one.entry().runId()))
        .toList();
  }

  @Test
  void whatFailedLongAgoIsFoundToo() {
    List<HistoryEntry> history = new ArrayList<>();
    history.add(ended(1, 7));
    for (int i = 2; i < 5000; i++) {
      history.add(ended(i, 0));
    }
    var failed = new RunFilter(true, Long.MIN_VALUE, Long.MAX_VALUE);
    assertEquals(List.of("r1"), found(failed, history, 20));
    assertEquals(List.of("r2", "r1"), found(new RunFilter(false, 0, 3000), history, 20));
    var newest = new RunFilter(false, 0, Long.MAX_VALUE);
    assertEquals(List.of("r4999", "r4998"), found(newest, history, 2).subList(0, 2));
  }
}
