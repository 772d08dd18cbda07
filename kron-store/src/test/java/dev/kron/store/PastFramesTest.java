package dev.kron.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cron.CronCalendar;
import dev.kron.job.HistoryEntry;
import dev.kron.job.Outcome;
import dev.kron.job.Reason;
import dev.kron.job.Reason.Cause;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Whatever is written of a past is read as it was, and damage costs the damaged frame alone. */
final class PastFramesTest {
  private final long seed = Long.getLong("kron.seed", System.nanoTime());
  private final SplittableRandom random = new SplittableRandom(seed);

  /** What was read of a file. */
  private static final class Found implements PastFrames.Reader {
    final List<HistoryEntry> runs = new ArrayList<>();
    final List<PastEvent> events = new ArrayList<>();
    final TreeMap<Long, PastDay> days = new TreeMap<>();
    int bytes;
    boolean damaged;

    @Override
    public void frame(byte type, ByteBuffer payload, int length) {
      switch (type) {
        case PastFrames.RUN -> runs.add(PastFrames.run(payload));
        case PastFrames.DAY -> PastFrames.day(payload, days);
        case PastFrames.EVENT -> events.add(PastFrames.event(payload));
        default -> throw new AssertionError("type " + type);
      }
      assertFalse(payload.hasRemaining());
      bytes += length;
    }

    @Override
    public void damage() {
      damaged = true;
    }
  }

  private static Found read(byte[] bytes) {
    var found = new Found();
    PastFrames.read(bytes, 0, found);
    return found;
  }

  private <T> @Nullable T maybe(Supplier<T> value) {
    return random.nextInt(3) == 0 ? null : value.get();
  }

  private String text() {
    return random
        .ints(random.nextInt(200), ' ', 0x2fff)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  private HistoryEntry entry() {
    long completed = random.nextLong(-10_000L, 4_000_000_000_000L);
    Outcome[] outcomes = Outcome.values();
    Cause[] causes = Cause.values();
    return HistoryEntry.builder(
            random.nextInt(3) == 0 ? CronCalendar.NONE : random.nextLong(4_000_000_000L),
            outcomes[random.nextInt(outcomes.length)])
        .chosen(random.nextInt(3) == 0 ? CronCalendar.NONE : random.nextLong(4_000_000_000L))
        .startedAt(random.nextInt(3) == 0 ? 0 : completed - random.nextLong(-5_000L, 1L << 40))
        .completedAt(completed)
        .exitCode(maybe(() -> random.nextInt(-1, 300)))
        .signal(maybe(() -> random.nextInt(65)))
        .why(
            maybe(
                () ->
                    new Reason(
                        causes[random.nextInt(causes.length)],
                        random.nextLong(),
                        random.nextLong(),
                        text())))
        .stage(maybe(this::text))
        .runId(maybe(this::text))
        .success(random.nextBoolean())
        .attempt(1 + random.nextInt(20))
        .cause(maybe(this::text))
        .bootPeriod(maybe(this::text))
        .cpuMillis(maybe(() -> random.nextLong(1L << 50)))
        .build();
  }

  private PastEvent event() {
    return new PastEvent(
        random.nextLong(4_000_000_000_000L),
        "web@" + random.nextInt(10),
        text(),
        maybe(() -> random.nextInt(-1, 300)),
        maybe(() -> "x" + text()),
        maybe(() -> "r" + text()));
  }

  @Test
  void runsAndEventsAreReadAsTheyWereWritten() {
    for (int i = 0; i < 300; i++) {
      HistoryEntry entry = entry();
      PastEvent event = event();
      byte[] run = PastFrames.run(entry);
      Found found = read(join(run, PastFrames.event(event)));
      assertEquals(List.of(entry), found.runs, "seed " + seed);
      assertEquals(List.of(event), found.events, "seed " + seed);
      assertFalse(found.damaged);
      assertEquals(run.length + PastFrames.event(event).length, found.bytes);
    }
  }

  @Test
  void daysThatAreReadAreAddedUp() {
    var day = new PastDay();
    for (int i = 0; i < 50; i++) {
      day.add(Samples.ended(i));
      day.add(Samples.skipped(i));
    }
    Found found = read(join(PastFrames.day(-3, day), PastFrames.day(20_000, day)));
    assertEquals(List.of(-3L, 20_000L), List.copyOf(found.days.keySet()));
    assertEquals(day.counts, found.days.firstEntry().getValue().counts);
    assertEquals(day.durations, found.days.lastEntry().getValue().durations);
    Found twice = read(join(PastFrames.day(7, day), PastFrames.day(7, day)));
    assertEquals(List.of(7L), List.copyOf(twice.days.keySet()));
    PastDay sum = twice.days.firstEntry().getValue();
    day.counts.forEach((ending, count) -> assertEquals(2 * count, sum.counts.get(ending)));
    day.durations.forEach((step, count) -> assertEquals(2 * count, sum.durations.get(step)));
  }

  @Test
  void aDamagedFrameCostsNoOther() {
    HistoryEntry first = entry();
    HistoryEntry last = entry();
    byte[] middle = PastFrames.event(event());
    byte[] before = PastFrames.run(first);
    byte[] whole = join(before, middle, PastFrames.run(last));
    for (int at = before.length; at < before.length + middle.length; at++) {
      byte[] damaged = whole.clone();
      damaged[at] = (byte) (damaged[at] ^ (1 << random.nextInt(8)));
      Found found = read(damaged);
      assertEquals(List.of(first, last), found.runs, "seed " + seed + " at " + at);
      assertEquals(List.of(), found.events, "seed " + seed + " at " + at);
      assertTrue(found.damaged, "seed " + seed + " at " + at);
    }
    for (int length = 0; length < before.length; length++) {
      Found found = read(Arrays.copyOf(before, length));
      assertEquals(List.of(), found.runs);
      assertEquals(length > 0, found.damaged);
    }
  }

  @Test
  void aTextThatIsTooLongIsCut() {
    HistoryEntry entry = HistoryEntry.builder(7, Outcome.EXECUTED).stage("s".repeat(5_000)).build();
    assertEquals("s".repeat(4_096), read(PastFrames.run(entry)).runs.getFirst().stage());
  }

  private static byte[] join(byte[]... parts) {
    var all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }
}
