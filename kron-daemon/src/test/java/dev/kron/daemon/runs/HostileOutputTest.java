package dev.kron.daemon.runs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.loop.Errands;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What one run writes, however much and for however long, holds up no other. */
final class HostileOutputTest {
  private static final long LIMIT = 4 << 20;
  private static final Duration LONG = Duration.ofMinutes(1);

  @TempDir Path directory;
  private final AtomicLong nanos = new AtomicLong();
  private final List<Errands.Turn> turns = new ArrayList<>();
  private final List<String> seen = new ArrayList<>();
  private final List<Path> trimmed = new ArrayList<>();
  private OutputForwarder forwarder =
      new OutputForwarder(
          1, () -> 0, () -> 0, turn -> Thread.currentThread(), (file, dropped) -> {});

  @BeforeEach
  void begin() {
    forwarder =
        new OutputForwarder(
            LIMIT,
            nanos::get,
            () -> 0,
            turn -> {
              turns.add(turn);
              return Thread.currentThread();
            },
            (file, dropped) -> trimmed.add(file));
  }

  private void turn() {
    assertTimeoutPreemptively(LONG, () -> turns.getFirst().next());
  }

  private static void append(Path file, String text) {
    try {
      Files.writeString(file, text, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aRunIsOverAlthoughWhatItLeftBehindWritesOn() throws Exception {
    Path endless = Files.writeString(directory.resolve("endless"), "y\n");
    Path other = Files.writeString(directory.resolve("other"), "");
    var ends = new AtomicLong();
    var sink =
        new OutputForwarder.Sink() {
          @Override
          public void line(byte[] line) {
            append(endless, "y\n".repeat(100));
          }

          @Override
          public void end() {
            ends.incrementAndGet();
          }
        };
    forwarder.follow("endless", endless, sink);
    forwarder.follow("other", other, line -> seen.add(new String(line, UTF_8)));
    forwarder.finish("endless");
    append(other, "hello\n");
    for (int i = 0; i < 10; i++) {
      nanos.addAndGet(Duration.ofHours(1).toNanos());
      turn();
    }
    assertEquals(1, ends.get());
    assertEquals(List.of("hello"), seen);
  }

  /** Each line takes a tenth of a microsecond here. */
  @Test
  void whoWritesWithoutEndHoldsUpNeitherOthersNorTheBoundOfTheirOutput() throws Exception {
    List<Path> files = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Path file = Files.writeString(directory.resolve("endless" + i), "");
      files.add(file);
      forwarder.follow("endless" + i, file, line -> nanos.addAndGet(100));
    }
    Path other = Files.writeString(directory.resolve("other"), "hello\n");
    forwarder.follow("other", other, line -> seen.add(new String(line, UTF_8)));
    files.forEach(file -> append(file, "\n".repeat((int) LIMIT * 2)));
    nanos.addAndGet(Duration.ofHours(1).toNanos());
    long begin = nanos.get();
    turn();
    assertEquals(files.size(), trimmed.size(), "all are bounded at one look");
    assertTrue(nanos.get() - begin < 100_000_000, (nanos.get() - begin) + " ns for one look");
    for (int i = 0; i < files.size() && seen.isEmpty(); i++) {
      nanos.addAndGet(Duration.ofSeconds(2).toNanos());
      turn();
    }
    assertEquals(List.of("hello"), seen, "whoever had no turn is the first at the next look");
    files.forEach(file -> append(file, "\n".repeat((int) LIMIT * 2)));
    nanos.addAndGet(Duration.ofHours(1).toNanos());
    turn();
    assertEquals(files.size(), trimmed.size(), "told once of each");
  }

  @Test
  void whatALeftBehindProcessWritesIsBoundedAsSoonAsItPassesTheLimit() throws Exception {
    Path file = Files.writeString(directory.resolve("stdout"), "y\n");
    try (OutputStream left = Files.newOutputStream(file, StandardOpenOption.APPEND)) {
      forwarder.follow("run", file, line -> seen.add(new String(line, UTF_8)));
      forwarder.finish("run");
      turn();
      assertEquals(List.of("y"), seen);
      for (int looks = 1; looks <= 3; looks++) {
        left.write("n\n".repeat((int) LIMIT).getBytes(UTF_8));
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        turn();
        DroppedMiddle dropped = DroppedMiddle.of(file);
        long kept = Files.size(file) - dropped.bytes();
        assertTrue(Math.abs(kept - LIMIT) <= LIMIT / 8, "what is left of it: " + kept);
      }
      assertEquals(List.of("y"), seen, "nothing of it is handed on");
    }
  }

  @Test
  void aNewDaemonBoundsWhatAnEarlierOneDid() throws Exception {
    Path file = Files.writeString(directory.resolve("stdout"), "y\n");
    Path alone = Files.writeString(directory.resolve("stderr"), "y\n");
    try (OutputStream left = Files.newOutputStream(file, StandardOpenOption.APPEND)) {
      forwarder.bound(alone);
      assertEquals(List.of(), turns, "nobody writes to it");
      forwarder.bound(file);
      left.write("n\n".repeat((int) LIMIT).getBytes(UTF_8));
      nanos.addAndGet(Duration.ofSeconds(1).toNanos());
      turn();
      assertTrue(DroppedMiddle.of(file).bytes() > 0);
    }
  }

  @Test
  void aLookThatTookLongPutsOffNoBound() throws Exception {
    Path file = Files.writeString(directory.resolve("stdout"), "");
    forwarder.follow("run", file, line -> nanos.addAndGet(Duration.ofSeconds(1).toNanos()));
    for (int looks = 1; looks <= 3; looks++) {
      append(file, "n".repeat((int) LIMIT * 2) + "\n"); // handed on in pieces, each for a second
      nanos.addAndGet(Duration.ofSeconds(1).toNanos());
      turn(); // waits for real where it is not time yet
      assertTrue(Files.size(file) - DroppedMiddle.of(file).bytes() < LIMIT * 2);
    }
  }

  @Test
  void aLookThatHasTimeReachesEveryFile() throws Exception {
    nanos.addAndGet(Duration.ofHours(1).toNanos());
    for (int i = 0; i < 5; i++) {
      String name = "run" + i;
      Path file = Files.writeString(directory.resolve(name), "line\n");
      forwarder.follow(name, file, line -> seen.add(name));
    }
    turn();
    assertEquals(5, Set.copyOf(seen).size(), seen::toString);
  }

  @Test
  void everyFileHasItsTurnThoughALookHasTimeForOneOnly() throws Exception {
    for (int i = 0; i < 5; i++) {
      String name = "run" + i;
      Path file = Files.writeString(directory.resolve(name), "line\n");
      forwarder.follow(
          name,
          file,
          line -> {
            seen.add(name);
            nanos.addAndGet(Duration.ofMillis(60).toNanos());
          });
    }
    for (int looks = 0; looks < 5; looks++) {
      nanos.addAndGet(Duration.ofSeconds(10).toNanos());
      turn();
    }
    assertEquals(5, Set.copyOf(seen).size(), seen::toString);
  }
}
