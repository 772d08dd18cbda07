package dev.kron.daemon.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.TestDaemon;
import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Request;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many who follow while jobs run, and some of them never read: who reads gets everything, who does
 * not is let go, and the daemon waits for none of them. How long its loop may take and what memory
 * it needs is measured by {@code kron-bench/run clients}; here nothing depends on the machine.
 */
class FollowersTest {
  private static final int CLIENTS = 200;
  private static final int JOBS = 200;

  /** More than fits between the daemon and somebody who does not read. */
  private static final int FIRST_LINES = 10_000;

  private static final int PLACES = 256;
  private static final long NEVER_MILLIS = 600_000;
  private static final int PATIENCE_SECONDS = 120;
  private static final Pattern ENDED =
      Pattern.compile("data: .*\"event\":\"run_ended\".*:job(\\d+)\".*");

  @TempDir Path directory;
  private TestDaemon daemon;
  private Path enough;
  private final List<SocketChannel> open = new ArrayList<>();

  @BeforeEach
  void prepare() throws IOException {
    daemon = new TestDaemon(directory, "2026-03-01T00:00:30Z");
    enough = directory.resolve("enough");
  }

  @AfterEach
  void close() throws IOException {
    for (SocketChannel channel : open) {
      channel.close();
    }
    daemon.close();
  }

  @Test
  void whoReadsMissesNothingWhereOthersNeverRead() throws Exception {
    String run = start(NEVER_MILLIS);
    List<CompletableFuture<Set<Integer>>> events = new ArrayList<>();
    List<CompletableFuture<Integer>> outputs = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      boolean ofEvents = i % 2 == 0;
      SocketChannel channel = follow(ofEvents ? "/v1/events?after=0" : output(run));
      if (i % 8 < 2) {
        continue; // nobody will ever read here
      }
      if (ofEvents) {
        events.add(reading(() -> jobsThatEnded(channel)));
      } else {
        outputs.add(reading(() -> linesInOrder(channel)));
      }
    }

    daemon.passUntil("2026-03-01T00:01:00Z");
    everyJobRan();
    for (CompletableFuture<Set<Integer>> reader : events) {
      assertEquals(JOBS, reader.get(PATIENCE_SECONDS, TimeUnit.SECONDS).size());
    }
    Files.createFile(enough);
    daemon.awaitEntries("talker", 1);
    for (CompletableFuture<Integer> reader : outputs) {
      assertTrue(reader.get(PATIENCE_SECONDS, TimeUnit.SECONDS) >= FIRST_LINES);
    }
    assertTrue(daemon.caller().isHealthy());
  }

  @Test
  void letsGoOfThoseWhoNeverRead() throws Exception {
    String run = start(1_000);
    List<SocketChannel> stalled = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      SocketChannel channel = follow(i % 2 == 0 ? "/v1/events?after=0" : output(run));
      channel.configureBlocking(false);
      stalled.add(channel);
    }
    daemon.passUntil("2026-03-01T00:01:00Z"); // so much happens that it does not fit
    daemon.await(
        "those who never read to be let go",
        () -> stalled.stream().allMatch(FollowersTest::isLetGo));
    everyJobRan();
  }

  @Test
  void knowsWhoHungUpThoughThereIsNothingToTellThem() throws Exception {
    daemon.withApi(ApiSettings.at(daemon.socket()));
    daemon
        .write(
            "0 0 1 1 * name=quiet shell=true command=\"while [ ! -e %s ]; do sleep 0.05; done\""
                .formatted(enough))
        .start();
    String run = trigger("quiet");
    for (int i = 0; i < PLACES; i++) {
      assertEquals("HTTP/1.1 200 OK", text(follow(output(run))).readLine(), "at once, and quiet");
    }
    String refusal = String.valueOf(text(follow(output(run))).readLine());
    assertTrue(refusal.startsWith("HTTP/1.1 503 "), refusal);
    for (SocketChannel channel : open) {
      channel.close();
    }
    daemon.await(
        "a place to be free again",
        () -> "HTTP/1.1 200 OK".equals(text(follow(output(run))).readLine()));
    Files.createFile(enough);
    assertEquals(0, daemon.awaitEntries("quiet", 1).exitCode());
  }

  /** One that talks, much at first and then now and then, and many that run in the same minute. */
  private String start(long stalledMillis) throws Exception {
    var lines = new ArrayList<String>();
    lines.add(
        "0 0 1 1 * name=talker shell=true command=\"i=0;"
            + (" while [ $i -lt %1$d ] || [ ! -e %2$s ]; do echo line $i of all that I can say;"
                    + " i=$((i+1)); [ $i -lt %1$d ] || sleep 0.02; done; echo end $i\"")
                .formatted(FIRST_LINES, enough));
    for (int i = 0; i < JOBS; i++) {
      lines.add("* * * * * name=job" + i + " command=\"/bin/echo " + i + "\"");
    }
    daemon.withApi(ApiSettings.at(daemon.socket()).endingStalledAfter(stalledMillis));
    daemon.write(lines.toArray(String[]::new)).start();
    return trigger("talker");
  }

  private String trigger(String job) throws Exception {
    return String.valueOf(
        ((Answer.Done) daemon.ask(new Request.Trigger(daemon.identity(job)))).runId());
  }

  private void everyJobRan() {
    for (int i = 0; i < JOBS; i++) {
      assertEquals(0, daemon.awaitEntries("job" + i, 1).exitCode(), "job" + i);
    }
  }

  private static String output(String run) {
    return "/v1/runs/" + run + "/logs/stdout?follow=true";
  }

  /** The answer is not cut into chunks: its end is the connection's. */
  private SocketChannel follow(String path) throws IOException {
    SocketChannel channel = daemon.caller().open();
    open.add(channel);
    Caller.send(channel, "GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    return channel;
  }

  private interface Reading<T> {
    T read() throws IOException;
  }

  private static <T> CompletableFuture<T> reading(Reading<T> reading) {
    var result = new CompletableFuture<T>();
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                result.complete(reading.read());
              } catch (IOException | AssertionError e) {
                result.completeExceptionally(e);
              }
            });
    return result;
  }

  private static BufferedReader text(SocketChannel channel) {
    return new BufferedReader(
        new InputStreamReader(Channels.newInputStream(channel), StandardCharsets.UTF_8));
  }

  /** Reads until every job has ended once. */
  private static Set<Integer> jobsThatEnded(SocketChannel channel) throws IOException {
    Set<Integer> ended = new HashSet<>();
    BufferedReader in = text(channel);
    while (ended.size() < JOBS) {
      String line = in.readLine();
      assertTrue(line != null, "cut off after " + ended.size() + " of " + JOBS);
      Matcher matcher = ENDED.matcher(line);
      if (matcher.matches()) {
        assertTrue(ended.add(Integer.valueOf(matcher.group(1))), line);
      }
    }
    return ended;
  }

  /** Reads until the run has ended; how many lines it wrote, all there and in their order. */
  private static int linesInOrder(SocketChannel channel) throws IOException {
    BufferedReader in = text(channel);
    String line = in.readLine();
    while (line != null && !line.isEmpty()) {
      line = in.readLine(); // the answer's head
    }
    int count = 0;
    for (line = in.readLine(); line != null && line.startsWith("line"); line = in.readLine()) {
      assertEquals("line " + count + " of all that I can say", line);
      count++;
    }
    assertEquals("end " + count, line);
    assertEquals(null, in.readLine());
    return count;
  }

  /** Whether the other side has hung up: nobody reads here, but a byte can be sent until then. */
  private static boolean isLetGo(SocketChannel channel) {
    try {
      channel.write(ByteBuffer.wrap(new byte[] {'\n'}));
      return false;
    } catch (IOException e) {
      return true;
    }
  }
}
