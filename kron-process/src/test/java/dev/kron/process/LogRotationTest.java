package dev.kron.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kron.process.LogRotation.Method;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A log is rotated from under its writer, who may go on at any moment, as may death. */
class LogRotationTest {
  private static final long SEED = Long.getLong("kron.seed", 20261115L);
  private static final int MOST_KEPT = 1_000;

  /** What a killed daemon does not live to see. */
  private static final class Death extends Error {
    Death() {
      super("killed", null, false, false);
    }
  }

  @TempDir Path temporary;

  private Path log() {
    return temporary.resolve("web.log");
  }

  private static void append(Path log, String text) throws IOException {
    Files.writeString(log, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private static String lines(int from, int to) {
    StringBuilder text = new StringBuilder();
    for (int i = from; i < to; i++) {
      text.append("line ").append(i).append('\n');
    }
    return text.toString();
  }

  /** The whole stream, through the reader. */
  private static String stream(Path log) throws IOException {
    LogReader reader = new LogReader(log);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    byte[] buffer = new byte[3_001];
    long at = reader.begin();
    for (int read = reader.read(at, buffer); read > 0; read = reader.read(at, buffer)) {
      out.write(buffer, 0, read);
      at += read;
    }
    assertEquals(reader.end(), at);
    return out.toString(UTF_8);
  }

  /** A process may make its log longer without writing to it, again and again. */
  @ParameterizedTest
  @EnumSource(Method.class)
  void whatNobodyWroteTakesNeitherTimeNorRoom(Method method) throws Exception {
    Path log = log();
    long hole = 1L << 40;
    long maximum = 100_000;
    int keep = 3;
    var rotation = new LogRotation(log, maximum, keep, method, true, step -> {});
    int line = 0;
    for (int round = 0; round < 4; round++) {
      append(log, lines(line, line + 10_000));
      line += 10_000;
      try (var file = new RandomAccessFile(log.toFile(), "rw")) {
        file.setLength(file.length() + hole);
      } catch (IOException e) {
        assumeTrue(false, "no files of this length here: " + e);
      }
      assertTimeoutPreemptively(Duration.ofSeconds(60), rotation::rotate);
      assertTrue(allocated(temporary) < 2L * (keep + 1) * maximum, "within its bounds");
    }
    append(log, lines(line, line + 1_000));
    LogReader reader = new LogReader(log);
    byte[] last = new byte[1 << 20];
    long at = reader.begin();
    long reads = 0;
    var text = new StringBuilder();
    for (int read = reader.read(at, last); read > 0; read = reader.read(at, last)) {
      long data = last[0] == 0 ? reader.skipHole(at) : at;
      if (data > at) {
        at = data;
      } else {
        text.append(new String(last, 0, read, UTF_8).replace("\0", ""));
        at += read;
      }
      assertTrue(++reads < 1_000, "a reader passes over it as well");
    }
    assertTrue(
        text.toString().endsWith("\n" + lines(line, line + 1_000)), "what was written is there");
  }

  private static long allocated(Path directory) throws IOException {
    long bytes = 0;
    try (var files = Files.list(directory)) {
      for (Path file : files.toList()) {
        bytes += 4096;
        try (FileSpace space = FileSpace.open(file)) {
          long size = Files.size(file);
          Long data = space.dataFrom(0);
          while (data != null && data < size) {
            Long end = space.holeFrom(data);
            long to = end == null ? size : end;
            bytes += to - data;
            data = space.dataFrom(to);
          }
        }
      }
    }
    return bytes;
  }

  @ParameterizedTest
  @EnumSource(Method.class)
  void keepsEveryByteInOrder(Method method) throws Exception {
    Path log = log();
    String all = lines(0, 8_000);
    append(log, lines(0, 4_000));
    LogRotation rotation = new LogRotation(log, 20_000, MOST_KEPT, method, true, step -> {});
    LogRotation.Outcome outcome = rotation.rotate();
    assertTrue(outcome.files() >= 1);
    assumeTrue(outcome.method() == method, "this file system cannot do better than " + outcome);
    append(log, lines(4_000, 8_000));
    assertTrue(rotation.rotate().files() >= 1);
    assertEquals(all, stream(log));
    assertEquals(new LogRotation.Outcome(0, null, 0), rotation.rotate());
  }

  @Test
  void leavesFilesThatPutTogetherAreWhatWasWritten() throws Exception {
    Path log = log();
    append(log, lines(0, 10_000));
    LogRotation.Outcome outcome = new LogRotation(log, 16_384, 100).rotate();
    assumeTrue(outcome.method() == Method.COLLAPSED);
    assertTrue(Files.size(log) <= 16_384, "the log is short again");
    StringBuilder together = new StringBuilder();
    for (int number = outcome.files(); number >= 1; number--) {
      Path rotated = temporary.resolve("web.log." + number);
      assertEquals(16_384, Files.size(rotated));
      together.append(Files.readString(rotated));
    }
    assertEquals(lines(0, 10_000), together + Files.readString(log));
  }

  @Test
  void beginsWithAWholeLineWhereTheOldestAreGone() throws Exception {
    Path log = log();
    append(log, lines(0, 3));
    LogReader reader = new LogReader(log);
    assertEquals(0, reader.lineFrom(0));
    assertEquals(7, reader.lineFrom(1));
    assertEquals(7, reader.lineFrom(7));
    append(log, lines(3, 10_000));
    new LogRotation(log, 16_384, 2).rotate();
    assertTrue(reader.begin() > 0, "the oldest are gone");
    long first = reader.lineFrom(0);
    assertTrue(first > reader.begin() && first < reader.begin() + 10, first + " of one line");
    byte[] word = new byte[5];
    assertEquals(5, reader.read(first, word));
    assertEquals("line ", new String(word, UTF_8));
    assertEquals(first, reader.lineFrom(first));
  }

  @Test
  void keepsAsManyAsItIsTold() throws Exception {
    Path log = log();
    for (int keep : new int[] {3, 1, 0, 2}) {
      append(log, lines(0, 10_000));
      new LogRotation(log, 8_192, keep).rotate();
      for (int number = 1; number < 12; number++) {
        Path rotated = temporary.resolve("web.log." + number);
        assertEquals(number <= keep, Files.exists(rotated), rotated + " of " + keep);
      }
    }
    LogReader reader = new LogReader(log);
    assertEquals(-1, reader.read(0, new byte[10]), "what is gone is said to be");
    assertTrue(reader.begin() > 0 && reader.begin() < reader.end());
  }

  /** Somebody writes a file's worth whenever one is copied: there is always more to do. */
  @ParameterizedTest
  @EnumSource(Method.class)
  void endsAlsoWhereTheLogIsWrittenAsFastAsItIsRotated(Method method) throws Exception {
    Path log = temporary.resolve("log");
    int block = 4096;
    String more = "new\n".repeat(block / 2);
    var rotation =
        new LogRotation(
            log,
            block,
            MOST_KEPT,
            method,
            false,
            step -> {
              if (step.equals("copied")) {
                try {
                  append(log, more);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              }
            });
    append(log, "old\n".repeat(5 * block / 4));
    int files = rotation.rotate().files();
    assertTrue(files >= 1 && files <= 5, files + " files");
    assertTrue(rotation.isDue() || method == Method.TRUNCATED, "what came meanwhile is left");
  }

  /** Copying it all would take as long again as writing it, and the disk would be full first. */
  @ParameterizedTest
  @EnumSource(names = {"COLLAPSED", "PUNCHED"})
  void whatCameFasterThanItCanBeCopiedIsFreedAtOnce(Method method) throws Exception {
    Path log = temporary.resolve("log");
    int block = 4096;
    var rotation = new LogRotation(log, block, 2, method, true, step -> {});
    append(log, "old\n".repeat(block));
    rotation.rotate();
    append(log, "new\n".repeat(100 * block) + "last\n");
    LogRotation.Outcome outcome = rotation.rotate();
    assertTrue(outcome.droppedBytes() > 300L * block, outcome.toString());
    assertTrue(outcome.files() <= 3, outcome.toString());
    var reader = new LogReader(log);
    byte[] buffer = new byte[100 * block];
    var left = new StringBuilder();
    for (long at = reader.begin(); at < reader.end(); ) {
      int count = reader.read(at, buffer);
      left.append(new String(buffer, 0, count, UTF_8));
      at += count;
    }
    assertTrue(left.toString().endsWith("new\nlast\n"), left.substring(left.length() - 20));
    assertFalse(left.toString().contains("old"));
    assertTrue(left.length() >= 2 * block && left.length() <= 4 * block, left.length() + " bytes");
    assertEquals(0, rotation.rotate().droppedBytes());
  }

  @Test
  void goesOnWhereSomebodyElseEmptiedOrReplacedTheLog() throws Exception {
    Path log = log();
    LogRotation rotation = new LogRotation(log, 8_192, MOST_KEPT);
    append(log, lines(0, 5_000));
    rotation.rotate();
    long end = new LogReader(log).end();
    Files.delete(log);
    append(log, lines(5_000, 10_000));
    rotation.rotate();
    assertTrue(new LogReader(log).end() > end - 8_192 + 40_000, "offsets never go back");
    assertTrue(stream(log).endsWith(lines(5_000, 10_000)));
  }

  @Test
  void saysNothingOfALogThatIsNotThere() throws Exception {
    assertNull(new LogRotation(log(), 10, 1).rotate().method());
    assertEquals(0, new LogReader(log()).end());
    assertEquals(0, new LogReader(log()).read(0, new byte[5]));
  }

  @Test
  void followsNoLink() throws Exception {
    Path victim = temporary.resolve("victim");
    Files.writeString(victim, lines(0, 5_000));
    Files.createSymbolicLink(log(), victim);
    assertEquals(0, new LogRotation(log(), 100, 3).rotate().files());
    assertEquals(lines(0, 5_000), Files.readString(victim));
  }

  /** Dies at each step in turn, and again while finishing; writes go on in between. */
  @ParameterizedTest
  @EnumSource(Method.class)
  void aDeathAtAnyStepLosesAndDoublesNothing(Method method) throws Exception {
    Set<String> diedAt = new HashSet<>();
    for (int first = 0; first < 16; first++) {
      for (int second = 0; second < 4; second += 3) {
        Path log = temporary.resolve("log-" + first + "-" + second);
        append(log, lines(0, 3_000));
        new LogRotation(log, 8_192, MOST_KEPT, method, false, step -> {}).rotate();
        append(log, lines(3_000, 4_000));
        dieAt(log, method, first, diedAt);
        append(log, lines(4_000, 4_100));
        dieAt(log, method, second, diedAt);
        append(log, lines(4_100, 6_000));
        new LogRotation(log, 8_192, MOST_KEPT, method, false, step -> {}).rotate();
        assertEquals(lines(0, 6_000), stream(log), "died at steps " + first + " and " + second);
      }
    }
    assertTrue(diedAt.size() >= 5, diedAt::toString);
  }

  private static void dieAt(Path log, Method method, int step, Set<String> diedAt)
      throws IOException {
    int[] left = {step};
    Consumer<String> deadly =
        name -> {
          if (left[0]-- == 0) {
            diedAt.add(name);
            throw new Death();
          }
        };
    try {
      new LogRotation(log, 8_192, MOST_KEPT, method, false, deadly).rotate();
    } catch (Death expected) {
      // The next one finds what is there.
    }
  }

  /**
   * A process of its own writes numbered lines as fast as it can, some hundreds each time that it
   * is told to; rotations run, die and run again; somebody follows from the first line to the last.
   */
  @Test
  void aFollowerSeesEveryLineOnceWhileAProcessWritesAndRotationsDie() throws Exception {
    Path log = log();
    int last = 15_000;
    int atOnce = 300;
    int told = 0;
    int toldLength = 0;
    Process writer =
        new ProcessBuilder(
                "/bin/sh",
                "-c",
                "i=0; while read most; do"
                    + " while [ $i -lt $most ]; do echo \"line $i\"; i=$((i+1)); done; done")
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    SplittableRandom random = new SplittableRandom(SEED);
    LogReader reader = new LogReader(log);
    StringBuilder seen = new StringBuilder();
    byte[] buffer = new byte[10_000];
    int deaths = 0;
    Writer teller = writer.outputWriter(UTF_8);
    try {
      boolean ended = false;
      while (true) {
        if (told < last && seen.length() == toldLength) {
          told += atOnce;
          toldLength = lines(0, told).length();
          teller.write(told + "\n");
          teller.flush();
        } else if (told == last) {
          teller.close();
        }
        int[] left = {random.nextInt(deaths == 0 ? 3 : 300)};
        try {
          new LogRotation(
                  log,
                  8_192,
                  MOST_KEPT,
                  Method.COLLAPSED,
                  false,
                  step -> {
                    if (left[0]-- == 0) {
                      throw new Death();
                    }
                  })
              .rotate();
        } catch (Death expected) {
          deaths++;
        }
        long at = seen.length();
        RotationRecord record = RotationRecord.read(log);
        boolean readable =
            record == null || record.phase() != RotationRecord.Phase.COPIED || at >= record.start();
        int read = readable ? reader.read(at, buffer) : 0;
        assertTrue(read >= 0);
        seen.append(new String(buffer, 0, read, UTF_8));
        if (ended && readable && read == 0) {
          break;
        }
        ended = !writer.isAlive();
      }
    } finally {
      writer.destroyForcibly();
    }
    String where = "-Dkron.seed=" + SEED + ", " + deaths + " deaths";
    assertEquals(lines(0, last), seen.toString(), where);
    assertEquals(lines(0, last), stream(log), where);
    assertTrue(deaths > 0 && Files.exists(LogRotation.rotated(log, 10)), where);
  }

  @Test
  void aFollowerInAnotherThreadHasNoGap() throws Exception {
    Path log = log();
    byte[] all = lines(0, 8_000).getBytes(UTF_8);
    AtomicBoolean enough = new AtomicBoolean();
    AtomicReference<Exception> trouble = new AtomicReference<>();
    Thread rotator =
        Thread.ofPlatform()
            .start(
                () -> {
                  LogRotation rotation =
                      new LogRotation(log, 8_192, MOST_KEPT, Method.COLLAPSED, false, step -> {});
                  try {
                    while (!enough.get()) {
                      rotation.rotate();
                    }
                  } catch (IOException e) {
                    trouble.set(e);
                  }
                });
    ByteArrayOutputStream seen = new ByteArrayOutputStream();
    byte[] buffer = new byte[5_000];
    try (FileChannel writer =
        FileChannel.open(log, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      LogReader reader = new LogReader(log);
      for (int at = 0; seen.size() < all.length; ) {
        int length = Math.min(1_500, all.length - at);
        if (length > 0) {
          writer.write(ByteBuffer.wrap(all, at, length));
          at += length;
          if (at == 15_000) {
            Path first = LogRotation.rotated(log, 1);
            Workshop.until("it is rotated", () -> Files.exists(first) || trouble.get() != null);
          }
        }
        int read = reader.read(seen.size(), buffer);
        assertFalse(read < 0);
        seen.write(buffer, 0, read);
      }
    } finally {
      enough.set(true);
      rotator.join();
    }
    assertNull(trouble.get());
    assertArrayEquals(all, seen.toByteArray());
  }
}
