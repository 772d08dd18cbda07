package dev.kron.daemon.runs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutputForwarderTest {
  @TempDir Path directory;
  private final List<String> lines = new ArrayList<>();
  private long nanos;

  private OutputForwarder forwarder() {
    return new OutputForwarder(
        1 << 20, () -> nanos, () -> 0, turn -> new Thread(), (file, dropped) -> {});
  }

  private void turn(OutputForwarder forwarder) throws InterruptedException {
    nanos += 2_000_000_000L;
    assertTrue(forwarder.turn());
  }

  private static void add(Path file, String text) throws Exception {
    Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  @Test
  void aRunThatHasEndedLeavesNoMark() throws Exception {
    Path stdout = directory.resolve("stdout");
    Path stderr = Files.createFile(directory.resolve("stderr"));
    var forwarder = forwarder();
    forwarder.follow("run", stdout, line -> lines.add(new String(line, UTF_8)));
    forwarder.follow("run", stderr, line -> lines.add(new String(line, UTF_8)));
    add(stdout, "one\ntwo");
    forwarder.finish("run");
    turn(forwarder);
    turn(forwarder); // a line without an end comes last
    assertEquals(List.of("one", "two"), lines);
    assertFalse(Files.exists(directory.resolve("stdout.forwarded")));
    assertFalse(Files.exists(directory.resolve("stderr.forwarded")));
  }

  @Test
  void anotherDaemonGoesOnWhereTheOneBeforeWas() throws Exception {
    Path stdout = directory.resolve("stdout");
    var first = forwarder();
    first.follow("run", stdout, line -> lines.add(new String(line, UTF_8)));
    turn(first);
    add(stdout, "one\ntw");
    turn(first);
    assertEquals("4", Files.readString(directory.resolve("stdout.forwarded")));
    var next = forwarder();
    next.follow("run", stdout, line -> lines.add(new String(line, UTF_8)));
    add(stdout, "o\nthree");
    next.finish("run");
    turn(next);
    turn(next);
    assertEquals(List.of("one", "two", "three"), lines);
  }
}
