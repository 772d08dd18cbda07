package dev.kron.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.job.HistoryEntry;
import dev.kron.job.JobState;
import dev.kron.store.DiskException.Reason;
import dev.kron.store.FaultyDisk.Fault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class GroupCommitTest {
  @TempDir Path temporary;
  private final FaultyDisk disk = new FaultyDisk(new LinuxDisk());
  private @Nullable StateDirectory opened;

  @BeforeEach
  void open() throws Exception {
    StateSettings settings = StateSettings.standard(100, InstantSource.fixed(Samples.NOW));
    opened = StateDirectory.open(temporary.resolve("state"), disk, settings, "pid 1");
  }

  @AfterEach
  void close() {
    store().close();
  }

  private StateDirectory store() {
    StateDirectory store = opened;
    if (store == null) {
      throw new IllegalStateException("not opened");
    }
    return store;
  }

  private static StateChange change(String identity, int number) {
    return new StateChange(Samples.state(identity), List.of(Samples.ended(number)));
  }

  @Test
  void makesOneWriteOfWhatWaitsForTheSameJob() throws Exception {
    GroupCommit commit = new GroupCommit(store().jobs());
    List<String> told = new ArrayList<>();
    for (int i = 1; i <= 3; i++) {
      int number = i;
      commit.submit(change("/a:b", i), true, result -> told.add("b" + number));
    }
    commit.submit(change("/a:c", 1), true, result -> told.add("c"));
    assertEquals(2, commit.waiting());
    int before = disk.directorySyncs.get();
    assertEquals(2, commit.drain());
    assertEquals(List.of("b1", "b2", "b3", "c"), told);
    assertTrue(disk.directorySyncs.get() - before <= 2, "one for the names, one for the arrivals");
    assertEquals(
        List.of(Samples.ended(1), Samples.ended(2), Samples.ended(3)),
        store().jobs().history("/a:b"));
    assertEquals(0, commit.drain());
  }

  @Test
  void keepsTheNotificationStateOfWhatWaits() throws Exception {
    GroupCommit commit = new GroupCommit(store().jobs());
    for (String identity : List.of("/a:kept", "/a:changed", "/a:cleared")) {
      submit(commit, identity, "{\"owed\":[]}");
    }
    submit(commit, "/a:kept", null);
    submit(commit, "/a:changed", "{\"owed\":[1]}");
    submit(commit, "/a:cleared", "");
    assertEquals(3, commit.drain());
    assertEquals(
        Map.of("/a:kept", "{\"owed\":[]}", "/a:changed", "{\"owed\":[1]}"),
        store().load(identity -> identity).notices());
  }

  /** Whatever a change consists of: those that wait together must lose nothing of it. */
  @Test
  void whatWaitsTogetherIsWrittenAsIfOneCameAfterTheOther() throws Exception {
    long seed = Long.getLong("kron.seed", System.nanoTime());
    var random = new SplittableRandom(seed);
    StateSettings settings = StateSettings.standard(100, InstantSource.fixed(Samples.NOW));
    try (var other =
        StateDirectory.open(temporary.resolve("other"), new LinuxDisk(), settings, "pid 1")) {
      GroupCommit together = new GroupCommit(store().jobs());
      GroupCommit apart = new GroupCommit(other.jobs());
      for (int i = 0; i < 60; i++) {
        StateChange change = anyChange(random, i);
        boolean awaited = random.nextBoolean();
        together.submit(change, awaited, result -> {});
        apart.submit(change, awaited, result -> {});
        assertEquals(1, apart.drain());
        if (random.nextInt(6) == 0) {
          together.drain();
        }
      }
      together.drain();
      assertEquals(files("other"), files("state"), "seed " + seed);
    }
  }

  private static StateChange anyChange(SplittableRandom random, int number) {
    JobState state =
        Samples.state("/a:" + random.nextInt(3)).toBuilder()
            .suspended(random.nextBoolean())
            .active(
                random.nextBoolean()
                    ? List.of()
                    : List.of(Samples.run(Samples.runId(number), Samples.NOMINAL + number)))
            .build();
    List<HistoryEntry> entries =
        random.nextBoolean() ? List.of() : List.of(Samples.ended(number), Samples.skipped(number));
    String notices =
        switch (random.nextInt(3)) {
          case 0 -> null;
          case 1 -> "";
          default -> "{\"owed\":[" + number + "]}";
        };
    return new StateChange(state, entries, notices);
  }

  /** The files of jobs, by their names. */
  private Map<String, String> files(String directory) throws IOException {
    var files = new TreeMap<String, String>();
    try (var found = Files.list(temporary.resolve(directory))) {
      for (Path file : found.filter(it -> it.toString().endsWith(".json")).toList()) {
        files.put(String.valueOf(file.getFileName()), Files.readString(file));
      }
    }
    assertEquals(3, files.size());
    return files;
  }

  private static void submit(GroupCommit commit, String identity, @Nullable String notices) {
    commit.submit(new StateChange(Samples.state(identity), List.of(), notices), true, result -> {});
  }

  @Test
  void letsWhatSomebodyWaitsForGoFirst() throws Exception {
    GroupCommit commit = new GroupCommit(store().jobs());
    List<String> told = new ArrayList<>();
    commit.submit(change("/a:recorded", 1), false, result -> told.add("recorded"));
    commit.submit(change("/a:both", 1), false, result -> told.add("both, recorded"));
    commit.submit(change("/a:awaited", 1), true, result -> told.add("awaited"));
    commit.submit(change("/a:both", 2), true, result -> told.add("both, awaited"));
    commit.submit(change("/a:both", 3), false, result -> told.add("both, after it"));
    assertEquals(3, commit.waiting());
    assertEquals(3, commit.drain());
    assertEquals(
        List.of("awaited", "both, recorded", "both, awaited", "both, after it", "recorded"), told);
    assertEquals(
        List.of(Samples.ended(1), Samples.ended(2), Samples.ended(3)),
        store().jobs().history("/a:both"));
  }

  @Test
  void commitsAThousandWithoutBlockingWhoSubmits() throws Exception {
    ConcurrentLinkedQueue<CommitResult> results = new ConcurrentLinkedQueue<>();
    CountDownLatch release = new CountDownLatch(1);
    disk.failing(
        (operation, path) -> {
          if (operation.equals("sync")) {
            awaitQuietly(release);
          }
          return null;
        });
    try (GroupCommit commit = new GroupCommit(store().jobs())) {
      commit.start();
      for (int i = 0; i < 1000; i++) {
        commit.submit(change("/many:" + i, i), true, results::add);
      }
      assertEquals(0, results.size(), "nothing is durable, and yet all were taken");
      release.countDown();
    }
    assertEquals(1000, results.size(), "closing waits for what was submitted");
    results.forEach(result -> assertInstanceOf(CommitResult.Durable.class, result));
    assertEquals(List.of(Samples.ended(999)), store().jobs().history("/many:999"));
  }

  @Test
  void writesTogetherWhatWasGathered() throws Exception {
    int before = disk.directorySyncs.get();
    try (GroupCommit commit = new GroupCommit(store().jobs())) {
      commit.start();
      commit.gather();
      for (int i = 0; i < 8; i++) {
        commit.submit(change("/a:" + i, i), true, result -> {});
      }
      assertEquals(8, commit.waiting());
      commit.gathered();
    }
    assertTrue(disk.directorySyncs.get() - before <= 2, "one for the names, one for the arrivals");
    assertEquals(List.of(Samples.ended(7)), store().jobs().history("/a:7"));
  }

  @Test
  void doesNotWaitForTheLastOfMany() throws Exception {
    CountDownLatch durable = new CountDownLatch(32);
    try (GroupCommit commit = new GroupCommit(store().jobs())) {
      commit.start();
      commit.gather();
      for (int i = 0; i < 32; i++) {
        commit.submit(change("/a:" + i, i), true, result -> durable.countDown());
      }
      awaitQuietly(durable);
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      assertTrue(latch.await(30, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void tellsOfFailuresAndGoesOn() throws Exception {
    GroupCommit commit = new GroupCommit(store().jobs());
    List<CommitResult> results = new ArrayList<>();
    disk.failing(Fault.of("create", Reason.NO_SPACE));
    commit.submit(change("/a:b", 1), true, results::add);
    commit.drain();
    assertInstanceOf(CommitResult.Failed.class, results.getFirst());
    disk.healthy();
    commit.submit(change("/a:b", 1), true, results::add);
    commit.close();
    assertInstanceOf(CommitResult.Durable.class, results.getLast());
    assertThrows(
        IllegalStateException.class, () -> commit.submit(change("/a:b", 2), true, results::add));
  }

  @Test
  void oneListenerThatThrowsDoesNotSilenceTheOthers() {
    GroupCommit commit = new GroupCommit(store().jobs());
    List<CommitResult> results = new ArrayList<>();
    commit.submit(
        change("/a:b", 1),
        true,
        result -> {
          throw new IllegalArgumentException("mine");
        });
    commit.submit(change("/a:c", 1), true, results::add);
    assertThrows(IllegalArgumentException.class, commit::drain);
    assertEquals(1, results.size());
  }
}
