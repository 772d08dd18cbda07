package dev.kron.daemon.runs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.log.Faults;
import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.loop.Workers;
import dev.kron.process.FileSpace;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run that writes too much loses the middle of it, and the record says how much. */
final class DroppedMiddleTest {
  private static final int LIMIT = 1 << 20;
  private static final int LINE = 64;

  @TempDir Path directory;

  private Path write(int lines) throws IOException {
    Path file = directory.resolve("stdout");
    var text = new StringBuilder(lines * LINE);
    for (int i = 0; i < lines; i++) {
      text.append(line(i)).append('\n');
    }
    Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    return file;
  }

  private static String line(int number) {
    return String.format("%-" + (LINE - 1) + "d", number);
  }

  @Test
  void beginningAndEndStayAndTheMiddleTakesNoRoom() throws Exception {
    Path file = write(4 * LIMIT / LINE);
    byte[] whole = Files.readAllBytes(file);
    DroppedMiddle dropped = DroppedMiddle.trim(file, LIMIT);
    assertEquals(dropped, DroppedMiddle.of(file));
    assertEquals(3 * LIMIT, DroppedMiddle.of(file).bytes());
    byte[] left = Files.readAllBytes(file);
    assertEquals(whole.length, left.length, "whoever writes to its end notices nothing");
    int half = LIMIT / 2;
    assertTrue(Arrays.equals(whole, 0, half, left, 0, half));
    assertTrue(
        Arrays.equals(
            whole, whole.length - half, whole.length, left, left.length - half, left.length));
    assertEquals(null, DroppedMiddle.trim(file, LIMIT), "nothing has been added");
  }

  /** A command need not write to the end of its output only. */
  @Test
  void whatIsWrittenIntoTheMiddleLaterIsFreedToo() throws Exception {
    Path file = write(4 * LIMIT / LINE);
    DroppedMiddle dropped = Objects.requireNonNull(DroppedMiddle.trim(file, LIMIT));
    try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap("again".getBytes(StandardCharsets.UTF_8)), LIMIT);
    }
    assertEquals(null, DroppedMiddle.trim(file, LIMIT), "no more is gone than was before");
    try (var space = FileSpace.open(file)) {
      assertEquals(dropped.to(), space.dataFrom(dropped.from()));
    }
  }

  @Test
  void aFileWithinItsBoundIsLeftAlone() throws Exception {
    Path file = write(LIMIT / LINE);
    assertEquals(null, DroppedMiddle.trim(file, LIMIT));
    assertEquals(0, DroppedMiddle.of(file).bytes());
    assertFalse(DroppedMiddle.of(file).holds(0));
  }

  private static OutputForwarder forwarder() {
    var log =
        new EventLog(
            OutputStream.nullOutputStream(),
            EventLog.Format.TEXT,
            EventLog.Level.INFO,
            Instant::now,
            false,
            null);
    var errands = new Errands(new Workers(), new Faults(), log);
    return new OutputForwarder(
        LIMIT,
        System::nanoTime,
        () -> 0,
        turn -> errands.tend("output", turn),
        (trimmed, dropped) -> {});
  }

  @Test
  void whoeverReadsBehindSkipsWhatIsGone() throws Exception {
    List<String> lines = new CopyOnWriteArrayList<>();
    var last = new CountDownLatch(1);
    int count = 4 * LIMIT / LINE;
    Path file = write(count);
    try (var forwarder = forwarder()) {
      forwarder.follow(
          "run",
          file,
          bytes -> {
            String line = new String(bytes, StandardCharsets.UTF_8);
            lines.add(line.strip());
            if (line.strip().equals(Integer.toString(count - 1))) {
              last.countDown();
            }
          });
      assertTrue(last.await(60, TimeUnit.SECONDS));
    }
    assertEquals("0", lines.getFirst());
    assertEquals(
        1, lines.stream().filter(line -> line.startsWith("[krond: 3145728 bytes")).count());
    assertEquals(LIMIT / LINE + 1, lines.size());
    assertTrue(lines.stream().noneMatch(line -> line.contains("\0")));
    assertEquals(
        "524288 3670016\n",
        Files.readString(directory.resolve("stdout.dropped"), StandardCharsets.UTF_8));
  }
}
