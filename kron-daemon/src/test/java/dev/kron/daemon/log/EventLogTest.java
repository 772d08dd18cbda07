package dev.kron.daemon.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.log.EventLog.Format;
import dev.kron.daemon.log.EventLog.Level;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EventLogTest {
  private static final Instant NOW = Instant.parse("2026-05-10T12:00:00.000001Z");

  private static String written(Format format, Level least, Consumer<EventLog> use) {
    var out = new ByteArrayOutputStream();
    try (var log = new EventLog(out, format, least, () -> NOW)) {
      use.accept(log);
    }
    return out.toString(StandardCharsets.UTF_8);
  }

  private static String text(@Nullable Object... pairs) {
    return written(Format.TEXT, Level.INFO, log -> log.info("job", "skipped", pairs));
  }

  private static String json(@Nullable Object... pairs) {
    return written(Format.JSON, Level.INFO, log -> log.info("job", "skipped", pairs));
  }

  @Test
  void aLineOfTextHasATimeInNanosecondsALevelAComponentAndAnEvent() {
    assertEquals(
        "2026-05-10T12:00:00.000001000Z level=info component=job event=skipped run=r1 exit=0\n",
        text("run", "r1", "exit", 0));
  }

  @Test
  void aLineOfJsonHasTheSame() {
    assertEquals(
        "{\"time\":\"2026-05-10T12:00:00.000001000Z\",\"level\":\"info\",\"component\":\"job\","
            + "\"event\":\"skipped\",\"run\":\"r1\",\"exit\":0,\"held\":true}\n",
        json("run", "r1", "exit", 0, "held", true));
  }

  @Test
  void aLineAtATerminalHasTheTimeOfDayAndNoSeed() {
    String time =
        DateTimeFormatter.ofPattern("HH:mm:ss.SSS").format(NOW.atZone(ZoneId.systemDefault()));
    Consumer<EventLog> use =
        log -> {
          log.info("job", "run_started", "run", "r1", "seed", "c4ac");
          log.warn("job", "missed", "reason", "\u001b[2J later than its deadline");
        };
    assertEquals(
        time
            + "  job run started run=r1\n"
            + time
            + "  warn: job missed reason=\"\\u001b[2J later than its deadline\"\n",
        written(Format.TERMINAL, Level.INFO, use));
    assertEquals(
        time
            + "  \u001b[1mjob run started\u001b[0m run=r1\n"
            + time
            + "  \u001b[33mwarn: job missed\u001b[0m"
            + " reason=\"\\u001b[2J later than its deadline\"\n",
        written(Format.COLOURED, Level.INFO, use));
  }

  @Test
  void knowsWhetherAllThatWasSaidIsWritten() {
    var mayWrite = new CountDownLatch(1);
    var slow =
        new ByteArrayOutputStream() {
          @Override
          public synchronized void write(byte[] bytes, int from, int length) {
            try {
              mayWrite.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
            super.write(bytes, from, length);
          }
        };
    try (var log = new EventLog(slow, Format.TEXT, Level.INFO, () -> NOW)) {
      log.info("job", "first");
      log.info("job", "second");
      assertFalse(log.isWritten());
      mayWrite.countDown();
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      while (!log.isWritten() && System.nanoTime() < end) {
        LockSupport.parkNanos(1_000_000);
      }
      assertTrue(log.isWritten());
      assertTrue(slow.toString(StandardCharsets.UTF_8).contains("event=second"));
    }
  }

  @Test
  void timesAreAlwaysOfTheSameLength() {
    for (String time : List.of("2026-05-10T12:00:00Z", "2026-05-10T12:00:00.999999999Z")) {
      var out = new ByteArrayOutputStream();
      try (var log = new EventLog(out, Format.TEXT, Level.INFO, () -> Instant.parse(time))) {
        log.info("a", "b");
      }
      assertEquals(30, out.toString(StandardCharsets.UTF_8).indexOf(' '));
    }
  }

  @Test
  void aPairWithoutAValueIsLeftOut() {
    assertTrue(text("run", null, "exit", 1).endsWith(" event=skipped exit=1\n"));
    assertTrue(json("run", null, "exit", 1).endsWith("\"event\":\"skipped\",\"exit\":1}\n"));
  }

  @Test
  void aValueThatCouldBeMistakenIsQuoted() {
    assertTrue(text("reason", "").endsWith(" reason=\"\"\n"));
    assertTrue(text("reason", "no such file").endsWith(" reason=\"no such file\"\n"));
    assertTrue(text("reason", "a=b").endsWith(" reason=\"a=b\"\n"));
    assertTrue(text("reason", "say \"hi\"").endsWith(" reason=\"say \\\"hi\\\"\"\n"));
    assertTrue(text("reason", "C:\\x").endsWith(" reason=\"C:\\\\x\"\n"));
    assertTrue(text("reason", "größer").endsWith(" reason=\"größer\"\n"));
    assertTrue(text("at", "2026-05-10T12:00:00Z").endsWith(" at=2026-05-10T12:00:00Z\n"));
  }

  @Test
  void noValueBringsALineOrATerminalUnderItsControl() {
    String hostile = "a\nlevel=error\tb\r\u001b[31m\u007f\u0085\u2028";
    String escaped = "a\\nlevel=error\\tb\\u000d\\u001b[31m\\u007f\\u0085\\u2028";
    assertTrue(text("name", hostile).endsWith(" name=\"" + escaped + "\"\n"));
    assertTrue(json("name", hostile).endsWith("\"name\":\"" + escaped + "\"}\n"));
    assertEquals(1, text("name", hostile).lines().count());
  }

  @Test
  void whatNobodyWantsToKnowIsNotWritten() {
    String lines =
        written(
            Format.TEXT,
            Level.WARN,
            log -> {
              log.debug("a", "one");
              log.info("a", "two");
              log.warn("a", "three");
              log.error("a", "four");
            });
    assertEquals(2, lines.lines().count());
    assertTrue(lines.contains("level=warn component=a event=three"));
    assertTrue(lines.contains("level=error component=a event=four"));
  }

  @Test
  void aLineOfAJobTakesItsTurn() {
    String lines =
        written(
            Format.TEXT,
            Level.INFO,
            log -> {
              log.info("a", "before");
              log.line("the job's own\n".getBytes(java.nio.charset.StandardCharsets.UTF_8));
              log.info("a", "after");
            });
    assertEquals("the job's own", lines.lines().toList().get(1));
  }

  /** A reader that does not read, until it is let go. */
  private static final class Stuck extends OutputStream {
    final CountDownLatch reached = new CountDownLatch(1);
    final CountDownLatch go = new CountDownLatch(1);
    final ByteArrayOutputStream read = new ByteArrayOutputStream();

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b});
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      reached.countDown();
      try {
        if (!go.await(60, TimeUnit.SECONDS)) {
          throw new IOException("nobody let it go");
        }
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
      read.write(bytes, offset, length);
    }
  }

  @Test
  void aReaderThatDoesNotReadMakesTheLogLoseLinesAndSayHowManyNotWait() throws Exception {
    var stuck = new Stuck();
    try (var log = new EventLog(stuck, Format.TEXT, Level.INFO, () -> NOW)) {
      log.info("a", "first");
      assertTrue(stuck.reached.await(60, TimeUnit.SECONDS));
      for (int i = 0; i < EventLog.QUEUE + 5; i++) {
        log.info("a", "more");
      }
      stuck.go.countDown();
    }
    String lines = stuck.read.toString(StandardCharsets.UTF_8);
    assertTrue(lines.contains(" level=warn component=log event=lines_lost count=5\n"), lines);
    assertEquals(1 + EventLog.QUEUE + 1, lines.lines().count());
  }

  /** A disk without room for a while. */
  private static final class Full extends ByteArrayOutputStream {
    private int refusals = 3;

    @Override
    public void write(byte[] bytes) throws IOException {
      if (refusals-- > 0) {
        throw new IOException("No space left on device");
      }
      super.write(bytes);
    }
  }

  @Test
  void aDiskThatWasFullCostsLinesNotTheLog() {
    var full = new Full();
    try (var log = new EventLog(full, Format.TEXT, Level.INFO, () -> NOW)) {
      for (int i = 1; i <= 5; i++) {
        log.info("a", "line", "number", i);
      }
    }
    List<String> lines = full.toString(StandardCharsets.UTF_8).lines().toList();
    assertEquals(3, lines.size(), lines::toString);
    assertTrue(lines.get(0).endsWith("number=4"));
    assertTrue(lines.get(1).endsWith("event=lines_lost count=3"));
    assertTrue(lines.get(2).endsWith("number=5"));
  }
}
