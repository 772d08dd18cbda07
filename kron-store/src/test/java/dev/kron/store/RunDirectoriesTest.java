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
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RunDirectoriesTest {
  private static final String RECORD = "12 34 boot\ncommand 13 35\nexit 0\n";

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
            new Run(older, room(runs.of(older)), false, false),
            new Run(
                newer,
                room(directory, directory.resolve("output"), directory.resolve("exit")),
                false,
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
    Files.writeString(directory.resolve("record.7.kron-tmp"), "of a daemon that was killed");
    for (String name : List.of("stderr", "remark")) {
      Files.createFile(directory.resolve(name));
    }
    assertTrue(runs.sizes().getFirst().hasIdleFiles());
    runs.removeIdleFiles(run);
    assertEquals(Set.of("note", "record", "stdout"), names(directory));
    assertFalse(runs.sizes().getFirst().hasIdleFiles());
    runs.join(run, 1);
    assertEquals(Set.of("note", "record", "stdout"), names(directory), "the record has no end");
  }

  /** An end, a note and a line of output take an inode and a block, beside the directory's. */
  @Test
  void smallFilesBecomePartOfTheRecord() throws Exception {
    String run = ids.next(1000);
    Path directory = runs.create(run);
    Files.writeString(directory.resolve("record"), RECORD);
    Files.writeString(directory.resolve("note"), "name a\n");
    Files.writeString(directory.resolve("stdout"), "kept 5\nno end of line");
    Files.createFile(directory.resolve("stderr"));
    long before = runs.size(run);
    runs.join(run, 1_234);
    assertEquals(Set.of("record"), names(directory));
    assertTrue(Files.readString(directory.resolve("record")).startsWith(RECORD + "kept 1234 "));
    assertFalse(runs.sizes().getFirst().hasSmallFiles());
    assertTrue(runs.size(run) < before);
    assertEquals(room(directory, directory.resolve("record")), runs.size(run));
    assertEquals("name a\n", kept(run, "note"));
    assertEquals("kept 5\nno end of line", kept(run, "stdout"));
    assertEquals("line", new String(runs.kept(run, "stdout", 4), UTF_8));
    assertEquals("", kept(run, "stderr"));
    assertEquals(1_234, runs.endedAtMillis(run));
    runs.join(run, 9_999);
    assertEquals(1_234, runs.endedAtMillis(run));
    assertEquals("name a\n", kept(run, "note"));
  }

  @Test
  void whatIsLongOrHasMarksOfItsOwnStaysAFile() throws Exception {
    String run = ids.next(1000);
    Path directory = runs.create(run);
    Files.writeString(directory.resolve("record"), RECORD);
    Files.writeString(directory.resolve("note"), "name a\n");
    Files.writeString(directory.resolve("stdout"), "x".repeat(20_000));
    Files.writeString(directory.resolve("stderr"), "slowly\n");
    Files.writeString(directory.resolve("stderr.times"), "7 1 2\n");
    runs.join(run, 1);
    assertEquals(Set.of("record", "stdout", "stderr", "stderr.times"), names(directory));
    assertEquals("x".repeat(20_000), kept(run, "stdout"));
    assertFalse(runs.sizes().getFirst().hasSmallFiles());
  }

  @Test
  void outputThatIsStillWrittenJoinsLater() throws Exception {
    String run = ids.next(1000);
    Path directory = runs.create(run);
    Files.writeString(directory.resolve("record"), RECORD);
    Files.writeString(directory.resolve("note"), "name a\n");
    Path stdout = directory.resolve("stdout");
    Files.writeString(stdout, "a line\n");
    try (var left = Files.newOutputStream(stdout, StandardOpenOption.APPEND)) {
      runs.join(run, 1);
      assertEquals(Set.of("record", "stdout"), names(directory));
      left.write("late\n".getBytes(UTF_8));
    }
    runs.join(run, 2);
    assertEquals(Set.of("record"), names(directory));
    assertEquals("a line\nlate\n", kept(run, "stdout"));
    assertEquals("name a\n", kept(run, "note"));
    assertEquals(1, runs.endedAtMillis(run));
  }

  @Test
  void aRecordThatItsKeeperStillWritesIsLeftAlone() throws Exception {
    String run = ids.next(1000);
    Path record = runs.create(run).resolve("record");
    Files.writeString(runs.of(run).resolve("note"), "name a\n");
    Files.writeString(record, RECORD);
    try (var keeper = Files.newOutputStream(record, StandardOpenOption.APPEND)) {
      runs.join(run, 1);
      keeper.write("0m0.00s 0m0.00s\n".getBytes(UTF_8));
    }
    assertEquals(RECORD + "0m0.00s 0m0.00s\n", Files.readString(record));
    assertEquals(Set.of("record", "note"), names(runs.of(run)));
  }

  /** At each operation, with whatever of the names and contents that were not synced. */
  @Test
  void joiningLosesNothingWhereverPowerIsLost() throws Exception {
    for (int seed = 0; seed < 300; seed++) {
      var disk = new PowerLossDisk(new SplittableRandom(seed), temporary);
      var there = new RunDirectories(disk, temporary);
      there.prepare();
      String run = ids.next(1000);
      Path directory = there.create(run);
      Map<String, String> files = Map.of("record", RECORD, "note", "name a\n", "stdout", "out\n");
      for (Map.Entry<String, String> file : files.entrySet()) {
        try (Disk.Output output = disk.create(directory.resolve(file.getKey()))) {
          output.write(file.getValue().getBytes(UTF_8), 0, file.getValue().length());
          output.sync();
        }
      }
      disk.syncDirectory(directory);
      disk.syncDirectory(temporary.resolve("runs"));
      disk.syncDirectory(temporary);
      disk.losePowerAt(1 + seed % 60);
      try {
        there.join(run, 77);
        there.join(run, 78);
      } catch (PowerLossDisk.PowerLost lost) {
        // At the latest it is lost now.
      }
      disk.restart();
      for (int more = 0; more < 2; more++) {
        assertEquals("name a\n", new String(there.kept(run, "note", 99), UTF_8), "seed " + seed);
        assertEquals("out\n", new String(there.kept(run, "stdout", 99), UTF_8), "seed " + seed);
        String record = new String(there.tail(run, "record", 999), UTF_8);
        assertTrue(record.startsWith(RECORD), "seed " + seed);
        there.removeIdleFiles(run);
        there.join(run, 79);
      }
      assertEquals(List.of("record"), disk.list(directory), "seed " + seed);
    }
  }

  private String kept(String run, String file) throws Exception {
    return new String(runs.kept(run, file, 1 << 20), UTF_8);
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
            new Run("a", 40, false, false),
            new Run("b", 30, false, false),
            new Run("c", 20, false, false),
            new Run("d", 10, false, false));
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
