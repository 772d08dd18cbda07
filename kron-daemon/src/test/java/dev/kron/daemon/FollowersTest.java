package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many who follow while jobs run: the daemon waits for none of them. How long its loop may take is
 * measured by {@code kron-bench/run clients}; here nothing depends on the machine.
 */
class FollowersTest {
  private static final int CLIENTS = 200;
  private static final int JOBS = 50;

  @TempDir Path directory;

  @Test
  void jobsRunWhileHundredsFollowAndSomeNeverRead() throws Exception {
    try (var krontabs = new Krontabs(directory, "2026-03-01T00:00:30Z").withApi()) {
      var lines = new ArrayList<String>();
      lines.add(
          "0 0 1 1 * name=talker shell=true command=\"while :; do echo x; sleep 0.05; done\"");
      for (int i = 0; i < JOBS; i++) {
        lines.add("* * * * * name=job" + i + " command=\"/bin/echo " + i + "\"");
      }
      krontabs.write(lines.toArray(String[]::new)).start();
      String run =
          String.valueOf(krontabs.caller().post("/v1/jobs/talker/trigger").json().get("runId"));
      String[] paths = {"/v1/events?after=0", "/v1/runs/" + run + "/logs/stdout?follow=true"};
      var ended = new AtomicInteger();
      List<SocketChannel> open = new ArrayList<>();
      List<Thread> readers = new ArrayList<>();
      try {
        for (int i = 0; i < CLIENTS; i++) {
          SocketChannel channel = krontabs.caller().open();
          open.add(channel);
          Caller.send(channel, "GET " + paths[i % 2] + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
          if (i % 4 != 0) {
            boolean events = i % 2 == 0;
            readers.add(Thread.ofVirtual().start(() -> read(channel, events, ended)));
          }
        }
        krontabs.passUntil("2026-03-01T00:01:00Z");
        for (int i = 0; i < JOBS; i++) {
          krontabs.awaitEntries("job" + i, 1);
        }
        krontabs.await("all who read events to see every end", () -> ended.get() == CLIENTS / 4);
        assertEquals(200, krontabs.caller().get("/v1/status").status());
        String refused = krontabs.caller().get("/v1/status").body();
        assertTrue(refused.startsWith("{\"healthy\":true"), refused);
      } finally {
        for (SocketChannel channel : open) {
          channel.close();
        }
        for (Thread reader : readers) {
          reader.join();
        }
      }
    }
  }

  /** Counts a reader that has seen every job end. */
  private static void read(SocketChannel channel, boolean events, AtomicInteger ended) {
    try {
      InputStream in = Channels.newInputStream(channel);
      byte[] bytes = new byte[8192];
      String rest = "";
      int seen = 0;
      for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
        if (!events) {
          continue;
        }
        String text = rest + new String(bytes, 0, count, StandardCharsets.UTF_8);
        String[] lines = text.split("\n", -1);
        for (int i = 0; i + 1 < lines.length; i++) {
          if (lines[i].startsWith("event: run_ended") && ++seen == JOBS) {
            ended.incrementAndGet();
          }
        }
        rest = lines[lines.length - 1];
      }
    } catch (IOException e) {
      // The test is over.
    }
  }
}
