package dev.kron.daemon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimersTest {
  private final Timers timers = new Timers();
  private final List<String> done = new ArrayList<>();

  private void set(String key, long bootNanos) {
    timers.set(key, bootNanos, () -> done.add(key + "@" + bootNanos));
  }

  @Test
  void nothingIsDueWhereNothingIsSet() {
    assertNull(timers.next());
    timers.run(Long.MAX_VALUE);
    assertEquals(List.of(), done);
  }

  @Test
  void runsWhatIsDueInTheOrderOfTime() {
    set("c", 30);
    set("a", 10);
    set("b", 20);
    assertEquals(10, timers.next());
    timers.run(9);
    assertEquals(List.of(), done);
    timers.run(20);
    assertEquals(List.of("a@10", "b@20"), done);
    assertEquals(30, timers.next());
  }

  @Test
  void runsWhatIsDueAtTheSameMomentInTheOrderItWasSet() {
    set("b", 10);
    set("a", 10);
    timers.run(10);
    assertEquals(List.of("b@10", "a@10"), done);
  }

  @Test
  void eachRunsOnce() {
    set("a", 10);
    timers.run(10);
    timers.run(20);
    assertEquals(List.of("a@10"), done);
    assertNull(timers.next());
  }

  @Test
  void settingAKeyAgainReplacesIt() {
    set("a", 10);
    set("a", 30);
    assertEquals(30, timers.next());
    set("a", 20);
    timers.run(40);
    assertEquals(List.of("a@20"), done);
  }

  @Test
  void whatIsCancelledDoesNotRun() {
    set("a", 10);
    set("b", 20);
    timers.cancel("a");
    timers.cancel("never set");
    assertEquals(20, timers.next());
    timers.run(40);
    assertEquals(List.of("b@20"), done);
  }

  @Test
  void whatIsCancelledLeavesNothingBehind() {
    for (int i = 0; i < 1000; i++) {
      set("timeout:" + i, 1_000_000 + i);
      timers.cancel("timeout:" + i);
      set("probe", 2_000_000 + i);
    }
    assertEquals(1, timers.size());
  }

  @Test
  void anActionMaySetAndCancelTimersItsOwnKeyIncluded() {
    timers.set(
        "a",
        10,
        () -> {
          done.add("a");
          timers.cancel("b");
          set("a", 15);
          set("later", 99);
        });
    set("b", 12);
    timers.run(20);
    assertEquals(List.of("a", "a@15"), done);
    assertEquals(99, timers.next());
  }

  @Test
  void theClockMayPassThroughTheLargestNumber() {
    set("after", Long.MIN_VALUE + 5);
    set("before", Long.MAX_VALUE - 5);
    assertEquals(Long.MAX_VALUE - 5, timers.next());
    timers.run(Long.MAX_VALUE);
    assertEquals(1, done.size());
    timers.run(Long.MIN_VALUE + 5);
    assertEquals(2, done.size());
  }
}
