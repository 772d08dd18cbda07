package dev.kron.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cli.Call.Result;
import dev.kron.cli.line.ExitCode;
import dev.kron.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When lines were written, as far as a real daemon knows. */
class LogTimesTest {
  @TempDir Path directory;
  private RunningDaemon daemon;
  private Path go;

  @BeforeEach
  void start() throws Exception {
    go = directory.resolve("go");
    String wait = "echo one; while [ ! -e " + go + " ]; do sleep 0.05; done; echo two";
    daemon =
        new RunningDaemon(
            directory,
            null,
            "0 0 1 1 * name=slow shell=true command=\"" + wait + "\"",
            "0 0 1 1 * name=short shell=true command=\"echo out; echo err >&2\"");
    daemon.service("ticker", "[service]\nexec = \"" + wait + "; exec sleep 1000\"\nshell = true\n");
    ok("reload");
    daemon.await("it is there", () -> ok("services").contains("ticker"));
  }

  @AfterEach
  void stop() throws Exception {
    daemon.close();
  }

  private String ok(String... words) {
    Result result = daemon.kron(words);
    assertEquals(ExitCode.OK, result.code(), String.join(" ", words) + ": " + result.err());
    return result.out();
  }

  private List<Json> timed(String... words) throws Exception {
    String[] all = Arrays.copyOf(words, words.length + 3);
    System.arraycopy(new String[] {"--timestamps", "--format", "json"}, 0, all, words.length, 3);
    List<Json> lines = new ArrayList<>();
    for (String line : ok(all).lines().toList()) {
      lines.add(Json.parse(line));
    }
    return lines;
  }

  /** The present moment as marks tell it: to a millisecond. */
  private static Instant now() {
    return Instant.now().truncatedTo(ChronoUnit.MILLIS);
  }

  private static Instant by(Json line) {
    return Instant.parse(line.text("by"));
  }

  @Test
  void aServicesLinesHaveTimesAndCanBeAskedForSinceOne() throws Exception {
    daemon.await("it writes", () -> ok("logs", "ticker").equals("one\n"));
    long[] second = new long[1];
    daemon.await(
        "a second in which nothing was written",
        () -> {
          second[0] = System.currentTimeMillis() / 1000;
          return ok("logs", "ticker", "--since", "@" + second[0]).isEmpty();
        });
    Instant before = now();
    Files.createFile(go);
    daemon.await(
        "only what came since",
        () -> ok("logs", "ticker", "--since", "@" + second[0]).equals("two\n"));
    assertEquals("one\ntwo\n", ok("logs", "ticker", "--since", "-1h"));
    Path marks = directory.resolve("state/logs/ticker@0.log.times");
    daemon.await("both are marked", () -> Files.readAllLines(marks).size() == 2);
    List<Json> lines = timed("logs", "ticker");
    assertEquals(List.of("one", "two"), lines.stream().map(line -> line.text("line")).toList());
    assertFalse(by(lines.getFirst()).isAfter(before), lines::toString);
    assertFalse(by(lines.getLast()).isBefore(before), lines::toString);
    assertFalse(Instant.parse(lines.getLast().text("after")).isBefore(by(lines.getFirst())));
    String text = ok("logs", "ticker", "--timestamps", "--grep", "^two$");
    assertTrue(text.matches("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\S{6}[ ~] two\n"), text);
    ok("shutdown");
    daemon.awaitEnd();
    daemon.again();
    assertEquals(lines.toString(), timed("logs", "ticker").toString(), "a later daemon knows too");
  }

  @Test
  void theLastLinesAreFollowedByThoseThatCome() throws Exception {
    daemon.await("it writes", () -> ok("logs", "ticker").equals("one\n"));
    FutureTask<String> plain = new FutureTask<>(() -> ok("logs", "ticker", "-f", "-n", "1"));
    FutureTask<String> timed =
        new FutureTask<>(() -> ok("logs", "ticker", "-f", "-n", "1", "--timestamps"));
    Thread.ofPlatform().daemon().start(plain);
    Thread.ofPlatform().daemon().start(timed);
    Files.createFile(go);
    daemon.await("it writes more", () -> ok("logs", "ticker").equals("one\ntwo\n"));
    ok("stop", "ticker", "--wait");
    // One line before it followed, or both where it began to follow late.
    assertTrue(plain.get(60, TimeUnit.SECONDS).matches("(one\n)?two\n"), plain.get());
    assertTrue(timed.get(60, TimeUnit.SECONDS).matches("(.* one\n)?.* two\n"), timed.get());
  }

  @Test
  void aJobsLinesHaveTimes() throws Exception {
    String run = ok("trigger", "slow").strip().substring("run ".length());
    Path marks = directory.resolve("state/runs").resolve(run).resolve("stdout.times");
    daemon.await("marked", () -> Files.exists(marks) && Files.size(marks) > 0);
    Instant before = now();
    Files.createFile(go);
    daemon.await("it ends", () -> ok("jobs", "slow").contains("exit 0"));
    List<Json> lines = timed("logs", "slow");
    assertFalse(by(lines.getFirst()).isAfter(before), lines::toString);
    assertFalse(by(lines.getLast()).isBefore(before), lines::toString);
    assertEquals("stdout", lines.getFirst().text("stream"));
  }

  @Test
  void aShortRunIsTimedByItsBeginAndEnd() throws Exception {
    Instant before = now();
    ok("trigger", "short", "--wait");
    List<Json> lines = timed("logs", "short");
    assertEquals(List.of("out", "err"), lines.stream().map(line -> line.text("line")).toList());
    for (Json line : lines) {
      assertFalse(by(line).isBefore(before.minusSeconds(1)), line::toString);
      assertFalse(by(line).isAfter(now()), line::toString);
      assertFalse(Instant.parse(line.text("after")).isAfter(by(line)), line::toString);
    }
  }
}
