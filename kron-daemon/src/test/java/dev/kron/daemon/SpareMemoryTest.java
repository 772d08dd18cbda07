package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kron.daemon.loop.LoopTime;
import dev.kron.daemon.loop.Presence;
import dev.kron.daemon.loop.Timers;
import dev.kron.process.NativeMemory;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SpareMemoryTest {
  private static final long MIB = 1 << 20;

  private final HandClocks clocks = new HandClocks("2026-03-01T00:00:00Z");
  private final Timers timers = new Timers();
  private long due = Long.MAX_VALUE;
  private long taken = 30 * MIB;
  private long least = 10 * MIB;
  private int given;

  @BeforeEach
  void begin() {
    var presence = new Presence(clocks.wallMillis(), clocks.bootNanos());
    new SpareMemory(
            new LoopTime(clocks, timers, presence),
            () -> due,
            () -> taken,
            () -> {
              given++;
              taken = Math.min(taken, least);
            })
        .begin();
  }

  private void pass(long nanos) {
    clocks.pass(Duration.ofNanos(nanos));
    timers.run(clocks.bootNanos());
  }

  @Test
  void whatTheStartTookIsGivenBackAfterAMoment() {
    pass(SpareMemory.FIRST_NANOS - 1);
    assertEquals(0, given);
    pass(1);
    assertEquals(1, given);
  }

  @Test
  void nothingIsDoneForLittle() {
    pass(SpareMemory.FIRST_NANOS);
    taken += SpareMemory.LEAST_BYTES - 1;
    pass(SpareMemory.EVERY_NANOS);
    assertEquals(1, given);
    taken++;
    pass(SpareMemory.EVERY_NANOS);
    assertEquals(2, given);
    pass(SpareMemory.EVERY_NANOS);
    assertEquals(2, given);
  }

  @Test
  void aJobThatIsDueSoonGoesFirst() {
    due = clocks.wallMillis() / 1000 + 6;
    pass(SpareMemory.FIRST_NANOS);
    assertEquals(0, given);
    due += 60;
    pass(SpareMemory.EVERY_NANOS);
    assertEquals(1, given);
  }

  @Test
  void whoIsNeverQuietGivesBackMuch() {
    pass(SpareMemory.FIRST_NANOS);
    due = clocks.wallMillis() / 1000;
    taken += SpareMemory.MUCH_BYTES - 1;
    pass(SpareMemory.EVERY_NANOS);
    assertEquals(1, given);
    taken++;
    pass(SpareMemory.EVERY_NANOS);
    assertEquals(2, given);
  }

  @Test
  void whoWasNeverQuietSinceTheStartGivesBackMuch() {
    due = clocks.wallMillis() / 1000;
    pass(SpareMemory.FIRST_NANOS);
    assertEquals(0, given);
    taken += SpareMemory.MUCH_BYTES;
    pass(SpareMemory.EVERY_NANOS);
    assertEquals(1, given);
  }

  @Test
  void muchIsAHalfOfALargeHeap() {
    pass(SpareMemory.FIRST_NANOS);
    due = clocks.wallMillis() / 1000;
    taken = 200 * MIB;
    least = 200 * MIB;
    pass(SpareMemory.EVERY_NANOS);
    assertEquals(2, given);
    taken = 300 * MIB - 1;
    pass(SpareMemory.EVERY_NANOS);
    assertEquals(2, given);
    taken++;
    pass(SpareMemory.EVERY_NANOS);
    assertEquals(3, given);
  }

  @Test
  void theCLibraryGivesBackToo() {
    NativeMemory.trim(); // no error: what was free depends on who came before
  }
}
