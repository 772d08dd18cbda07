package dev.kron.daemon.runs;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.loop.Errands;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a job writes with {@code inherit} can be told from everything else in the daemon's log. */
final class OutputLinesTest {
  private static final String RUN = "01m7g4h9k0nh6dsnyywqgywgjy";
  @TempDir Path directory;

  private final List<Errands.Turn> turns = new ArrayList<>();

  /** A forwarder whose turns the test takes itself. */
  private OutputForwarder forwarder(LongSupplier clock) {
    return new OutputForwarder(
        100L << 20,
        clock,
        () -> 0,
        turn -> {
          turns.add(turn);
          return Thread.currentThread();
        },
        (file, dropped) -> {});
  }

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final AtomicLong nanos = new AtomicLong();

  private OutputLines lines(EventLog.Format format) {
    var log =
        new EventLog(
            OutputStream.nullOutputStream(),
            format,
            EventLog.Level.INFO,
            () -> Instant.EPOCH,
            false,
            null);
    return new OutputLines(
        text -> log.jobLine("/etc/jobs:backup", "backup", RUN, "stdout", text),
        RUN,
        OutputLines.BYTES_OF_A_RUN,
        nanos::get,
        out::writeBytes);
  }

  private List<String> said() {
    return out.toString(UTF_8).lines().toList();
  }

  @Test
  void aLineIsMarkedAndWhatATerminalActsOnIsEscaped() {
    OutputLines lines = lines(EventLog.Format.TEXT);
    lines.line("level=info component=daemon event=stopped".getBytes(UTF_8));
    lines.line("a\tb\rc\u001b[2Jd\u007fe\u009bf\u202eg\u2028h é 漢 😀".getBytes(UTF_8));
    lines.line("x\u00e9\u0000y".getBytes(ISO_8859_1));
    lines.line(new byte[0]);
    String mark = "[backup " + RUN + "] ";
    assertEquals(
        List.of(
            mark + "level=info component=daemon event=stopped",
            mark + "a\tb\\x0dc\\x1b[2Jd\\x7fe\\x9bf\\u202eg\\u2028h é 漢 😀",
            mark + "x\\xe9\\x00y",
            mark),
        said());
  }

  @Test
  void inJsonALineIsAnObject() {
    lines(EventLog.Format.JSON).line("say \"hello\"\u001b".getBytes(UTF_8));
    assertEquals(
        List.of(
            "{\"time\":\"1970-01-01T00:00:00.000000000Z\",\"level\":\"info\",\"component\":\"output\","
                + "\"event\":\"line\",\"identity\":\"/etc/jobs:backup\",\"run\":\""
                + RUN
                + "\",\"stream\":\"stdout\",\"text\":\"say \\\"hello\\\"\\\\x1b\"}"),
        said());
  }

  @Test
  void aRunThatPoursIsShownInPartAndThatIsSaid() {
    OutputLines lines = lines(EventLog.Format.TEXT);
    byte[] line = "1234567".getBytes(UTF_8);
    for (int i = 0; i < OutputLines.LINES_A_SECOND + 100; i++) {
      lines.line(line);
    }
    assertEquals(OutputLines.LINES_A_SECOND, said().size());
    nanos.addAndGet(1_000_000_000L);
    lines.line(line);
    assertEquals(
        "[backup " + RUN + "] … 800 bytes not shown, see kron logs " + RUN,
        said().get(OutputLines.LINES_A_SECOND));
    byte[] longest = "x".repeat(OutputForwarder.LONGEST_LINE).getBytes(UTF_8);
    long enough = OutputLines.BYTES_OF_A_RUN + longest.length;
    for (long poured = 0; poured < enough; poured += longest.length) {
      nanos.addAndGet(1_000_000_000L);
      out.reset();
      lines.line(longest);
    }
    assertEquals("", out.toString(UTF_8), "there is a bound in total");
    lines.end();
    assertEquals(1, said().size());
    assertTrue(said().getFirst().contains(" bytes not shown"), said().getFirst());
  }

  /** Between two looks at the clock the time for the next look comes, or passes. */
  @ParameterizedTest
  @ValueSource(longs = {25_000_000, 30_000_000})
  void theWaitIsComputedOnceHoweverTheClockGoesMeanwhile(long stepNanos) throws Exception {
    var clock = new AtomicLong();
    var looking = new AtomicBoolean();
    List<String> seen = new ArrayList<>();
    OutputForwarder forwarder =
        forwarder(() -> clock.addAndGet(looking.getAndSet(false) ? 0 : stepNanos));
    Path file = Files.writeString(directory.resolve("stdout"), "");
    forwarder.follow(
        "run",
        file,
        line -> {
          seen.add(new String(line, UTF_8));
          looking.set(true);
        });
    for (int i = 0; i < 10; i++) {
      Files.writeString(file, i + "\n", StandardOpenOption.APPEND);
      assertTimeoutPreemptively(Duration.ofSeconds(30), () -> turns.getFirst().next());
    }
    assertEquals(10, seen.size());
  }

  @Test
  void whatNobodyWroteIsNoLine() throws Exception {
    var clock = new AtomicLong();
    List<String> seen = new ArrayList<>();
    OutputForwarder forwarder = forwarder(clock::get);
    Path file = Files.writeString(directory.resolve("stderr"), "before\n");
    try (var output = new RandomAccessFile(file.toFile(), "rw")) {
      output.setLength(90L << 20);
    }
    Files.writeString(file, "after\n", StandardOpenOption.APPEND);
    forwarder.follow("run", file, line -> seen.add(new String(line, UTF_8)));
    for (int i = 0; i < 10; i++) {
      clock.addAndGet(Duration.ofHours(1).toNanos());
      turns.getFirst().next();
    }
    long bytes = seen.stream().mapToLong(String::length).sum();
    assertTrue(bytes < 1 << 20, bytes + " bytes");
    assertEquals("before", seen.getFirst());
    assertTrue(seen.getLast().endsWith("after"), seen.getLast());
  }

  /** It would fill any buffer: it comes in pieces, none of which cuts a character in two. */
  @Test
  void aLineWithoutAnEndIsHandedOnInPieces() throws Exception {
    var clock = new AtomicLong();
    List<String> seen = new ArrayList<>();
    OutputForwarder forwarder = forwarder(clock::get);
    String text = "x" + "é".repeat(OutputForwarder.LONGEST_LINE);
    Path file = Files.writeString(directory.resolve("stderr"), text);
    forwarder.follow("run", file, line -> seen.add(new String(line, UTF_8)));
    for (int i = 0; i < 10; i++) {
      clock.addAndGet(Duration.ofHours(1).toNanos());
      turns.getFirst().next();
    }
    assertEquals(2, seen.size());
    for (String piece : seen) {
      assertEquals(OutputForwarder.LONGEST_LINE, piece.getBytes(UTF_8).length, 1);
    }
    assertTrue(text.startsWith(String.join("", seen)));
  }
}
