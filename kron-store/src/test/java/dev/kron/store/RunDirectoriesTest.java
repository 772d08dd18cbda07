package dev.kron.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.store.RunDirectories.Run;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RunDirectoriesTest {
  @TempDir Path temporary;
  private RunDirectories runs = new RunDirectories(new LinuxDisk(), Path.of("/"));
  private final RunIds ids = new RunIds(new SplittableRandom(1));

  @BeforeEach
  void prepare() throws Exception {
    runs = new RunDirectories(new LinuxDisk(), temporary);
    runs.prepare();
    runs.prepare();
  }

  @Test
  void keepsWhatBelongsToARunInADirectoryOfItsOwn() throws Exception {
    String older = ids.next(1000);
    String newer = ids.next(2000);
    Path directory = runs.create(newer);
    assertEquals(directory, runs.create(newer), "a start may be repeated");
    runs.create(older);
    Files.createDirectory(temporary.resolve("runs/not-a-run"));
    assertEquals(List.of(older, newer), runs.list());
    Files.writeString(directory.resolve("output"), "x".repeat(1000));
    Files.writeString(directory.resolve("exit"), "0\n");
    assertEquals(
        List.of(
            new Run(older, room(runs.of(older)), false),
            new Run(
                newer,
                room(directory, directory.resolve("output"), directory.resolve("exit")),
                false)),
        runs.sizes());
    runs.remove(newer);
    runs.remove(newer);
    assertFalse(Files.exists(directory));
    assertEquals(0, runs.size(newer));
    assertTrue(Files.exists(temporary.resolve("runs/not-a-run")));
  }

  /** As the file system counts: small files take a block each. */
  private static long room(Path... paths) throws Exception {
    long sum = 0;
    for (Path path : paths) {
      sum += Objects.requireNonNull(new LinuxDisk().status(path)).room();
    }
    return sum;
  }

  @Test
  void whatSaysNothingAfterTheEndOfARunGoes() throws Exception {
    String run = ids.next(1000);
    Path directory = runs.create(run);
    for (String name : List.of("note", "record", "stdout", "stdout.forwarded")) {
      Files.writeString(directory.resolve(name), "1");
    }
    for (String name : List.of("stderr", "remark")) {
      Files.createFile(directory.resolve(name));
    }
    assertTrue(runs.sizes().getFirst().hasIdleFiles());
    runs.removeIdleFiles(run);
    assertEquals(Set.of("note", "record", "stdout"), names(directory));
    assertFalse(runs.sizes().getFirst().hasIdleFiles());
  }

  @Test
  void whatHasContentOrIsStillWrittenToStays() throws Exception {
    String run = ids.next(1000);
    Path directory = runs.create(run);
    Path stderr = Files.createFile(directory.resolve("stderr"));
    Files.createFile(directory.resolve("stdout"));
    Files.writeString(directory.resolve("remark"), "Terminated\n");
    try (var left = Files.newOutputStream(stderr, StandardOpenOption.APPEND)) {
      runs.removeIdleFiles(run);
      assertEquals(Set.of("stderr", "stdout", "remark"), names(directory));
      left.write("late\n".getBytes(UTF_8));
    }
    runs.removeIdleFiles(run);
    assertEquals("late\n", Files.readString(stderr));
    assertEquals(Set.of("stderr", "stdout", "remark"), names(directory));
  }

  private static Set<String> names(Path directory) throws Exception {
    return Set.copyOf(new LinuxDisk().list(directory));
  }

  @Test
  void whatIsOwedIsNotedAlsoWhereAllDirectoriesAreGone() throws Exception {
    String run = ids.next(1000);
    Files.delete(temporary.resolve("runs"));
    assertEquals(List.of(), runs.owed("alert"));
    runs.owe("alert", run, "for what".getBytes(UTF_8));
    assertEquals(List.of(run), runs.owed("alert"));
  }

  /** Or one command that makes its output longer would have the output of all others dropped. */
  @Test
  void whatNobodyWroteTakesNoRoom() throws Exception {
    String run = ids.next(1000);
    Path output = runs.create(run).resolve("stdout");
    try (var file = new RandomAccessFile(output.toFile(), "rw")) {
      file.setLength(1L << 40);
    }
    assertTrue(runs.size(run) < 1 << 20, runs.size(run) + " bytes");
    Files.writeString(output, "x".repeat(1000), StandardOpenOption.APPEND);
    assertTrue(runs.size(run) >= 1000, runs.size(run) + " bytes");
  }

  @Test
  void takesTheNameAwayBeforeTheClaim() throws Exception {
    String run = ids.next(1000);
    Path directory = runs.create(run);
    Files.writeString(directory.resolve("record"), "daemon\n");
    Path stuck = temporary.resolve("runs").resolve(run + ".leaving");
    Files.createDirectories(stuck.resolve("left/by/somebody"));
    assertThrows(DiskException.class, () -> runs.remove(run));
    assertTrue(Files.exists(directory.resolve("record")), "still claimed");
    Files.delete(stuck.resolve("left/by/somebody"));
    Files.delete(stuck.resolve("left/by"));
    runs.remove(run);
    assertFalse(Files.exists(directory));
    assertFalse(Files.exists(stuck));
    Files.createDirectory(stuck);
    runs.prepare();
    assertFalse(Files.exists(stuck), "what a daemon that died left is cleared away");
  }

  @Test
  void showsTheEndOfLongOutput() throws Exception {
    String run = ids.next(1000);
    Path output = runs.create(run).resolve("output");
    assertEquals("", new String(runs.tail(run, "output", 10), UTF_8));
    Files.writeString(output, "0123456789abc");
    assertEquals("3456789abc", new String(runs.tail(run, "output", 10), UTF_8));
    assertEquals("0123456789abc", new String(runs.tail(run, "output", 100), UTF_8));
    Files.delete(output);
    Files.createSymbolicLink(output, temporary.resolve("elsewhere"));
    assertThrows(DiskException.class, () -> runs.tail(run, "output", 10));
  }

  @Test
  void dropsTheOldestEndedRunsFirst() {
    List<Run> all =
        List.of(
            new Run("a", 40, false),
            new Run("b", 30, false),
            new Run("c", 20, false),
            new Run("d", 10, false));
    assertEquals(List.of(), RunDirectories.surplus(all, 100, run -> true));
    assertEquals(List.of("a"), RunDirectories.surplus(all, 99, run -> true));
    assertEquals(List.of("b"), RunDirectories.surplus(all, 70, run -> !run.equals("a")));
    assertEquals(List.of("b", "c"), RunDirectories.surplus(all, 50, run -> !run.equals("a")));
    assertEquals(List.of(), RunDirectories.surplus(all, 0, run -> false));
  }

  @Test
  void takesNothingForARunThatCouldLeadElsewhere() {
    for (String bad : List.of("", "..", "../../etc", "a/b", "01HZZZZZZZ0000000000000001")) {
      assertThrows(IllegalArgumentException.class, () -> runs.of(bad), bad);
    }
  }

  @Test
  void makesIdsThatAreUniqueAndInOrder() {
    Set<String> seen = new HashSet<>();
    String last = "";
    long[] clock = {1_772_323_200_000L, 1_772_323_200_000L, 1_772_323_199_000L, 1_772_323_200_001L};
    for (int i = 0; i < 100_000; i++) {
      String id = ids.next(clock[i * clock.length / 100_000]);
      assertTrue(RunIds.isRunId(id), id);
      assertTrue(id.compareTo(last) > 0, id);
      assertTrue(seen.add(id), id);
      last = id;
    }
    assertEquals(1_772_323_200_001L, RunIds.epochMillis(last));
    assertFalse(
        new RunIds(new SplittableRandom(2))
            .next(5)
            .equals(new RunIds(new SplittableRandom(3)).next(5)));
  }
}
