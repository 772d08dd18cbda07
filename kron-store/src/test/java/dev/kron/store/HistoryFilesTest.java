package dev.kron.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cron.CronCalendar;
import dev.kron.job.Ending;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobState;
import dev.kron.job.Outcome;
import dev.kron.job.Reason;
import dev.kron.store.FaultyDisk.Fault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is kept for pictures: compact, bounded, and no harm where it is damaged or lost. */
class HistoryFilesTest {
  private static final String JOB = "/etc/krond.d/shop:backup";
  private static final long START = Instant.parse("2026-03-01T00:00:00Z").toEpochMilli();
  private static final ZoneId UTC = ZoneOffset.UTC;

  @TempDir Path temporary;
  private final FaultyDisk disk = new FaultyDisk(new LinuxDisk());
  private StateDirectory state;

  @BeforeEach
  void open() throws Exception {
    state =
        StateDirectory.open(
            temporary.resolve("state"),
            disk,
            StateSettings.standard(100, () -> Instant.ofEpochMilli(START)),
            "the test");
  }

  @AfterEach
  void close() {
    state.close();
  }

  private HistoryFiles files(long limitBytes) {
    return new HistoryFiles(disk, state.path(), state.jobs(), limitBytes);
  }

  private HistoryFiles files() {
    return files(HistoryFiles.LIMIT_BYTES);
  }

  private Path file() {
    return state.path().resolve("history").resolve(Hashes.hex(JOB));
  }

  /** One that began so many seconds after the start, and took so many milliseconds. */
  private static HistoryEntry ran(long second, long millis, int exitCode) {
    long at = START + second * 1000;
    return HistoryEntry.builder(at / 1000, Outcome.EXECUTED)
        .chosen(at / 1000)
        .startedAt(at)
        .completedAt(at + millis)
        .exitCode(exitCode)
        .runId("01k%023d".formatted(second))
        .success(exitCode == 0)
        .build();
  }

  private static List<HistoryEntry> many(int from, int to) {
    List<HistoryEntry> entries = new ArrayList<>();
    for (int i = from; i < to; i++) {
      entries.add(ran(i * 60L, 1000 + i % 100, i % 50 == 0 ? 7 : 0));
    }
    return entries;
  }

  @Test
  void everyKindOfEntryReadsBackAsItWas() throws Exception {
    var late = new Reason(Reason.Cause.LATE, 30, 5, "30 s late \u2028 é");
    List<HistoryEntry> entries =
        List.of(
            ran(60, 5, 0),
            ran(120, 3_000_000, 143),
            HistoryEntry.builder(START / 1000 + 180, Outcome.MISSED)
                .chosen(START / 1000 + 181)
                .completedAt(START + 999_999)
                .why(late)
                .build(),
            HistoryEntry.builder(CronCalendar.NONE, Outcome.EXECUTED)
                .startedAt(START + 9)
                .completedAt(START - 5000) // the clock was set back
                .signal(9)
                .stage("exec")
                .runId("01kzzz")
                .attempt(3)
                .cause("01kyyy")
                .success(false)
                .build(),
            HistoryEntry.builder(START / 1000 - 86_400, Outcome.UNSCHEDULABLE)
                .completedAt(START + 2)
                .build());
    files().append(JOB, UTC, entries);
    assertEquals(entries, files().read(JOB).runs());
    assertTrue(Files.size(file()) < 400, Files.size(file()) + " bytes");
    List<PastEvent> events =
        List.of(
            new PastEvent(START, "web@0", "starting", null, null, "01k"),
            new PastEvent(START + 1, "web@0", "exited", 3, "because", null));
    files().appendEvents("service:web", events);
    files().appendEvents("service:web", events.subList(0, 1));
    assertEquals(
        Stream.concat(events.stream(), events.stream().limit(1)).toList(),
        files().read("service:web").events());
  }

  @Test
  void manyRunsAreCountedByDay() throws Exception {
    HistoryFiles files = files();
    for (int i = 0; i < 20_000; i += 100) {
      files.append(JOB, UTC, many(i, i + 100));
    }
    Past past = files.read(JOB);
    assertTrue(past.runs().size() >= Past.RUNS && past.runs().size() <= 2 * Past.RUNS);
    assertEquals(many(20_000 - past.runs().size(), 20_000), past.runs());
    List<Past.Day> days = past.days(past.runs(), UTC);
    assertEquals(14, days.size());
    assertEquals("2026-03-01", days.getFirst().date().toString());
    long all = 0;
    for (Past.Day day : days) {
      all += day.counts().values().stream().mapToLong(Long::longValue).sum();
      assertTrue(Math.abs(day.medianMillis() - 1050) <= 25, day.toString());
      assertTrue(Math.abs(day.p95Millis() - 1095) <= 25, day.toString());
    }
    assertEquals(20_000, all);
    assertEquals(29, days.getFirst().counts().get(Ending.FAILED));
    assertTrue(Files.size(file()) < 150_000, Files.size(file()) + " bytes");
    assertEquals(1049, new Past().days(many(0, 100), UTC).getFirst().medianMillis(), "exactly");
  }

  @Test
  void durationsAreKnownToWithinTwoPercent() {
    for (long millis = 0; millis < 1L << 40; millis = millis * 17 / 16 + 1) {
      long kept = PastDay.millis(PastDay.step(millis));
      assertTrue(Math.abs(kept - millis) <= millis / 50, millis + " became " + kept);
    }
  }

  @Test
  void damageAnywhereCostsNoMoreThanWhatItHits() throws Exception {
    List<HistoryEntry> entries = many(0, 60);
    files().append(JOB, UTC, entries);
    byte[] whole = Files.readAllBytes(file());
    var known = new HashSet<>(entries);
    var random = new Random(17);
    for (int i = 0; i < 2000; i++) {
      byte[] damaged = whole.clone();
      int at = random.nextInt(damaged.length);
      damaged[at] ^= (byte) (1 << random.nextInt(8));
      List<HistoryEntry> left = Past.read(damaged).runs();
      assertTrue(known.containsAll(left), "at " + at);
      assertTrue(left.size() >= entries.size() - 1, "at " + at);
      byte[] cut = java.util.Arrays.copyOf(whole, at);
      assertTrue(known.containsAll(Past.read(cut).runs()));
      random.nextBytes(damaged);
      assertEquals(List.of(), Past.read(damaged).runs());
    }
    // Whoever comes next goes on with what is left.
    for (int length : new int[] {0, 5, whole.length / 2, whole.length - 1}) {
      Files.write(file(), java.util.Arrays.copyOf(whole, length));
      int left = files().read(JOB).runs().size();
      files().append(JOB, UTC, List.of(ran(999_999, 1, 0)));
      Past past = files().read(JOB);
      assertEquals(left + 1, past.runs().size());
      assertEquals(false, past.isDamaged());
    }
  }

  @Test
  void whatWasNotWrittenIsMadeGoodFromTheState() throws Exception {
    List<HistoryEntry> entries = many(0, 50);
    HistoryFiles files = files();
    files.append(JOB, UTC, entries.subList(0, 10));
    state.jobs().commit(List.of(new StateChange(JobState.arrived(JOB, "f", 0, false), entries)));
    disk.failing(FaultyDisk.Fault.of("append", DiskException.Reason.NO_SPACE));
    assertThrows(DiskException.class, () -> files.append(JOB, UTC, entries.subList(10, 20)));
    disk.healthy();
    files.append(JOB, UTC, entries.subList(40, 50));
    assertEquals(new HashSet<>(entries), new HashSet<>(files.read(JOB).runs()));
    assertEquals(50, files.read(JOB).runs().size());
    assertEquals(entries, files.read(JOB).followedBy(entries));
    // All of it is gone, under a daemon that lives.
    delete(state.path().resolve("history"));
    assertEquals(List.of(), files.read(JOB).runs());
    assertThrows(DiskException.class, () -> files.append(JOB, UTC, List.of(ran(9999, 1, 0))));
    files.reset();
    files.append(JOB, UTC, List.of(ran(9999, 1, 0)));
    assertEquals(51, files.read(JOB).runs().size());
  }

  private static void delete(Path directory) throws IOException {
    try (var files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }

  @Test
  void allTogetherStayWithinTheirBoundAndTheOldestGo() throws Exception {
    long limit = 64 * 1024;
    HistoryFiles files = files(limit);
    for (int i = 0; i < 100; i++) {
      files.append("/etc/krond.d/shop:job" + i % 10, UTC, many(i * 50, i * 50 + 50));
      assertTrue(size() <= limit, size() + " bytes");
    }
    assertTrue(size() > limit / 2, size() + " bytes");
    assertEquals(List.of(), files.read("/etc/krond.d/shop:job0").missing(many(4500, 4550)));
    assertEquals(50, files.read("/etc/krond.d/shop:job0").missing(many(0, 50)).size());
  }

  @Test
  void fourHundredDaysAreKeptAndNoMore() throws Exception {
    HistoryFiles files = files();
    List<HistoryEntry> hourly = new ArrayList<>();
    for (int hour = 0; hour < 24 * 500; hour++) {
      long nominal = START / 1000 + hour * 3600L;
      hourly.add(
          HistoryEntry.builder(nominal, Outcome.EXECUTED)
              .completedAt(nominal * 1000 + 50)
              .exitCode(0)
              .build());
    }
    for (int i = 0; i < hourly.size(); i += 100) {
      files.append(JOB, UTC, hourly.subList(i, i + 100));
    }
    Past past = files.read(JOB);
    List<Past.Day> days = past.days(past.runs(), UTC);
    assertEquals(Past.DAYS, days.size());
    assertEquals(
        Instant.ofEpochMilli(START).atZone(UTC).toLocalDate().plusDays(100),
        days.getFirst().date());
    assertTrue(Files.size(file()) < 100_000, Files.size(file()) + " bytes");
  }

  @Test
  void onAFullDiskHistoryGivesWayAQuarterAtATime() throws Exception {
    HistoryFiles files = files();
    for (int job = 0; job < 8; job++) {
      files.append("/etc/krond.d/shop:job" + job, UTC, many(0, 100 + 100 * job));
    }
    long before = size();
    long freed = files.giveWay();
    assertTrue(freed >= before / 4 && freed <= before / 2, freed + " of " + before);
    assertEquals(before - freed, size());
    assertTrue(files.read("/etc/krond.d/shop:job7").runs().isEmpty(), "the largest went first");
    assertEquals(100, files.read("/etc/krond.d/shop:job0").runs().size());
    while (files.giveWay() > 0) {
      // Until nothing is left.
    }
    assertEquals(0, size());
    files.append(JOB, UTC, many(0, 10));
    assertEquals(many(0, 10), files.read(JOB).runs(), "and it begins anew");
  }

  @Test
  void aQuarterIsEnough() throws Exception {
    HistoryFiles files = files();
    for (int job = 0; job < 4; job++) {
      files.append("/etc/krond.d/shop:job" + job, UTC, many(0, 100));
    }
    long before = size();
    assertEquals(before / 4, files.giveWay());
    assertEquals(before / 4 * 3, size());
  }

  private static PastEvent event(int number) {
    return new PastEvent(START + number * 1000L, "web@0", "exited", number % 200, null, null);
  }

  private static List<PastEvent> events(int from, int to) {
    return IntStream.range(from, to).mapToObj(HistoryFilesTest::event).toList();
  }

  /** A file that is known grows at its end, and is written anew only where it is too long. */
  @Test
  void whatIsAddedIsWrittenBehindTheRestUpToTwoThousand() throws Exception {
    HistoryFiles files = files();
    files.append(JOB, UTC, many(0, 1));
    files.appendEvents("service:web", events(0, 1));
    disk.failing(
        (operation, path) ->
            List.of("read", "create", "rename").contains(operation)
                ? DiskException.Reason.INPUT_OUTPUT
                : null);
    files.append(JOB, UTC, many(1, 1000));
    files.append(JOB, UTC, many(1000, 2000));
    files.appendEvents("service:web", events(1, 1000));
    files.appendEvents("service:web", events(1000, 2000));
    disk.healthy();
    assertEquals(many(0, 2000), files.read(JOB).runs());
    assertEquals(events(0, 2000), files.read("service:web").events());
    files.append(JOB, UTC, many(2000, 2001));
    files.appendEvents("service:web", events(2000, 2001));
    assertEquals(many(1001, 2001), files.read(JOB).runs());
    assertEquals(events(1001, 2001), files.read("service:web").events());
    disk.failing(Fault.of("create", DiskException.Reason.INPUT_OUTPUT));
    files.append(JOB, UTC, many(2001, 2002));
    files.appendEvents("service:web", events(2001, 2002));
    assertEquals(1001, files.read(JOB).runs().size());
    assertEquals(1001, files.read("service:web").events().size());
  }

  @Test
  void anEventThatCouldNotBeWrittenSpoilsNothing() throws Exception {
    HistoryFiles files = files();
    files.appendEvents("service:web", events(0, 10));
    disk.failing(Fault.of("append", DiskException.Reason.NO_SPACE));
    assertThrows(DiskException.class, () -> files.appendEvents("service:web", events(10, 11)));
    disk.healthy();
    files.appendEvents("service:web", events(11, 12));
    assertEquals(
        Stream.concat(events(0, 10).stream(), events(11, 12).stream()).toList(),
        files.read("service:web").events());
  }

  @Test
  void eventsOfServicesStayWithinTheBoundToo() throws Exception {
    HistoryFiles files = files(4096);
    for (int i = 0; i < 20; i++) {
      files.appendEvents("service:web" + i % 4, events(i * 3600, i * 3600 + 20));
      assertTrue(size() <= 4096, size() + " bytes");
    }
    List<PastEvent> left = files.read("service:web3").events();
    assertTrue(left.containsAll(events(19 * 3600, 19 * 3600 + 20)), "the latest are kept");
    assertFalse(left.contains(event(3 * 3600)));
  }

  @Test
  void whatTheStateHasIsAddedOnceSomethingWasLostOnItsWay() throws Exception {
    List<HistoryEntry> entries = many(0, 5);
    HistoryFiles files = files();
    files.append(JOB, UTC, entries.subList(0, 1));
    state.jobs().commit(List.of(new StateChange(JobState.arrived(JOB, "f", 0, false), entries)));
    files.append(JOB, UTC, entries.subList(1, 2));
    assertEquals(2, files.read(JOB).runs().size());
    files.forget(JOB);
    files.append(JOB, UTC, entries.subList(4, 5));
    assertEquals(new HashSet<>(entries), new HashSet<>(files.read(JOB).runs()));
    delete(state.path().resolve("history"));
    files.reset();
    files.append(JOB, UTC, List.of(ran(9999, 1, 0)));
    assertEquals(6, files.read(JOB).runs().size());
  }

  @Test
  void whoGaveWayBeginsAnew() throws Exception {
    HistoryFiles files = files();
    files.append(JOB, UTC, many(0, 10));
    assertTrue(files.giveWay() > 0);
    files.append(JOB, UTC, many(10, 20));
    Past past = files.read(JOB);
    assertEquals(many(10, 20), past.runs());
    assertEquals(false, past.isDamaged());
    delete(state.path().resolve("history"));
    assertEquals(0, files.giveWay());
  }

  private static HistoryEntry lasted(long millis, @Nullable String stage) {
    return HistoryEntry.builder(START / 1000, Outcome.EXECUTED)
        .startedAt(START)
        .completedAt(START + millis)
        .stage(stage)
        .build();
  }

  @Test
  void onlyWhatRanHasADuration() {
    var day = new PastDay();
    day.add(lasted(7, "exec"));
    day.add(HistoryEntry.builder(1, Outcome.MISSED).startedAt(5).completedAt(9).build());
    day.add(HistoryEntry.builder(1, Outcome.EXECUTED).completedAt(START).build());
    assertEquals(-1, day.quantile(0.5));
    assertEquals(3, day.counts.values().stream().mapToLong(Long::longValue).sum());
    day.add(lasted(-5, null)); // the clock was set back
    assertEquals(0, day.quantile(0.5));
  }

  @Test
  void shortDurationsAreExact() {
    var day = new PastDay();
    for (int millis = 1; millis <= 60; millis++) {
      day.add(lasted(millis, null));
    }
    assertEquals(1, day.quantile(0));
    assertEquals(30, day.quantile(0.5));
    assertEquals(57, day.quantile(0.95));
    assertEquals(60, day.quantile(1));
  }

  private long size() throws IOException {
    long size = 0;
    try (var files = Files.list(state.path().resolve("history"))) {
      for (Path file : files.toList()) {
        size += Files.size(file);
      }
    }
    return size;
  }
}
