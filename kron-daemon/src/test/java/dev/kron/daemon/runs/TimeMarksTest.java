package dev.kron.daemon.runs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.runs.TimeMarks.Mark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TimeMarksTest {
  @TempDir Path directory;
  private Path log;
  private Path file;

  @BeforeEach
  void name() {
    log = directory.resolve("web@0.log");
    file = directory.resolve("web@0.log.times");
  }

  @Test
  void sayBetweenWhichLooksALogBecameLonger() throws IOException {
    var marks = new TimeMarks(log);
    marks.look(0, 1_000);
    marks.look(10, 2_000);
    marks.look(10, 9_000);
    marks.look(25, 10_000);
    assertEquals(
        List.of(new Mark(10, 1_000, 2_000), new Mark(25, 9_000, 10_000)), TimeMarks.read(log));
    assertEquals("rw-------", permissions());
  }

  private String permissions() throws IOException {
    return java.nio.file.attribute.PosixFilePermissions.toString(
        Files.getPosixFilePermissions(file));
  }

  @Test
  void aLogThatNobodyWritesToHasNone() {
    var marks = new TimeMarks(log);
    marks.look(0, 1_000);
    marks.look(0, 2_000);
    assertFalse(Files.exists(file));
  }

  @Test
  void whatWasWrittenWhileNobodyLookedIsKnownToThat() {
    new TimeMarks(log).look(10, 2_000);
    var later = new TimeMarks(log);
    later.look(30, 60_000);
    assertEquals(List.of(new Mark(10, 0, 2_000), new Mark(30, 2_000, 60_000)), TimeMarks.read(log));
  }

  @Test
  void aLineThatADyingDaemonDidNotFinishSaysNothing() throws IOException {
    new TimeMarks(log).look(10, 2_000);
    Files.writeString(file, Files.readString(file) + "20 2000 30");
    assertEquals(List.of(new Mark(10, 0, 2_000)), TimeMarks.read(log));
    new TimeMarks(log).look(30, 4_000);
    assertEquals("10 0 2000\n30 2000 4000\n", Files.readString(file));
  }

  @Test
  void nonsenseIsPassedOver() throws IOException {
    Files.write(file, new byte[] {(byte) 0xff, '\n', 0, '\n'});
    assertEquals(List.of(), TimeMarks.read(log));
    Files.writeString(file, "10 0 5\n\n7 1 2\nx y z\n9999999999999999999999 1 2\n20 5 6\n");
    assertEquals(List.of(new Mark(10, 0, 5), new Mark(20, 5, 6)), TimeMarks.read(log));
  }

  @Test
  void aLogThatBeginsAnewHasNewMarks() {
    var marks = new TimeMarks(log);
    marks.look(10, 2_000);
    marks.look(3, 3_000);
    assertEquals(List.of(new Mark(3, 2_000, 3_000)), TimeMarks.read(log));
  }

  @Test
  void whereTheyCannotBeWrittenTimesAreLessExactAndNotWrong() throws IOException {
    var marks = new TimeMarks(log);
    marks.look(0, 1_000);
    Files.createDirectory(file);
    marks.look(10, 2_000);
    marks.look(20, 3_000);
    Files.delete(file);
    marks.look(30, 4_000);
    assertEquals(List.of(new Mark(30, 1_000, 4_000)), TimeMarks.read(log));
  }

  @Test
  void aClockThatIsSetBackMakesNoTimeThatEndsBeforeItBegins() {
    var marks = new TimeMarks(log);
    marks.look(0, 9_000);
    marks.look(10, 2_000);
    assertEquals(List.of(new Mark(10, 2_000, 2_000)), TimeMarks.read(log));
  }

  /** Whatever is joined: each byte's time of writing is within what its mark says. */
  @Test
  void areFewAndTrueHoweverLongALogIs() throws IOException {
    long seed = Long.getLong("kron.seed", 7);
    var random = new SplittableRandom(seed);
    var marks = new TimeMarks(log);
    int count = 20_000;
    long[] offsets = new long[count];
    long offset = 0;
    for (int i = 0; i < count; i++) {
      offset += random.nextInt(1, 100);
      offsets[i] = offset;
      marks.look(offset, i * 1_000L);
    }
    List<Mark> kept = TimeMarks.read(log);
    assertTrue(kept.size() <= 4_096, "seed " + seed + ": " + kept.size());
    assertTrue(Files.size(file) < 200_000, "seed " + seed);
    int at = 0;
    for (int i = 0; i < count; i++) {
      while (kept.get(at).offset() < offsets[i]) {
        at++;
      }
      Mark mark = kept.get(at);
      long writtenAfter = (i - 1) * 1_000L;
      assertTrue(
          mark.afterMillis() <= Math.max(0, writtenAfter) && i * 1_000L <= mark.byMillis(),
          "seed " + seed + ", look " + i + ": " + mark);
    }
    Mark last = kept.getLast();
    assertEquals(1_000, last.byMillis() - last.afterMillis(), "the newest are exact, seed " + seed);
  }
}
