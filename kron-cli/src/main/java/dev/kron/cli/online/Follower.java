package dev.kron.cli.online;

import dev.kron.cli.output.Output;
import dev.kron.json.JsonWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/** Writes out what runs write. Two streams at once are mixed line by line, never within a line. */
final class Follower {
  private static final int LONGEST_LINE = 64 * 1024;

  private final Api api;
  private final List<String> streams;
  private final Output out;
  private final boolean json;
  private final Set<String> done = new HashSet<>();

  /**
   * @param json a line of JSON for each line, with where it comes from
   */
  Follower(Api api, List<String> streams, Output out, boolean json) {
    this.json = json;
    this.api = api;
    this.streams = streams;
    this.out = out;
  }

  /** A stream of a run, as far as it is written. */
  void copy(String runId, String stream, String query) throws IOException {
    done.add(runId);
    try (InputStream in = api.open(Api.path("runs", runId, "logs", stream) + query)) {
      copy(in, Origin.of(runId, stream));
    }
  }

  /** Where a line comes from, for those who want to know. */
  record Origin(String kind, String name, @Nullable String stream) {
    static Origin of(String runId, String stream) {
      return new Origin("runId", runId, stream);
    }
  }

  /** As it comes. */
  void copy(InputStream in, Origin origin) throws IOException {
    if (out.terminal() || json) {
      lines(in, origin);
      return;
    }
    byte[] bytes = new byte[16 * 1024];
    for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
      out.octets(bytes, 0, count);
      if (in.available() == 0) {
        out.flush();
      }
    }
  }

  /** All streams of a run, until it has ended. */
  void follow(String runId) throws IOException {
    if (!done.add(runId)) {
      return;
    }
    List<FutureTask<Void>> tasks = new ArrayList<>();
    for (String stream : streams) {
      Callable<Void> task =
          () -> {
            try (InputStream in =
                api.open(Api.path("runs", runId, "logs", stream) + "?follow=true")) {
              lines(in, Origin.of(runId, stream));
            }
            return null;
          };
      FutureTask<Void> future = new FutureTask<>(task);
      tasks.add(future);
      Thread.ofVirtual().start(future);
    }
    for (FutureTask<Void> task : tasks) {
      await(task);
    }
  }

  private static void await(FutureTask<Void> task) throws IOException {
    try {
      task.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case IOException failure -> throw failure;
        case RuntimeException failure -> throw failure;
        case null, default -> throw new IOException(e.getCause());
      }
    }
  }

  private void lines(InputStream in, Origin origin) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream(256);
    for (int octet = in.read(); octet >= 0; octet = in.read()) {
      if (octet == '\n' || line.size() >= LONGEST_LINE) {
        line(line, origin, in.available() == 0);
      }
      if (octet != '\n') {
        line.write(octet);
      }
    }
    if (line.size() > 0) {
      line(line, origin, true);
    }
  }

  private void line(ByteArrayOutputStream line, Origin origin, boolean last) throws IOException {
    synchronized (out) {
      if (json) {
        JsonWriter writer = out.jsonLines();
        writer.beginObject().member(origin.kind(), origin.name());
        if (origin.stream() != null) {
          writer.member("stream", origin.stream());
        }
        writer.member("line", line.toString(StandardCharsets.UTF_8)).endObject().end();
      } else if (out.terminal()) {
        out.line(line.toString(StandardCharsets.UTF_8));
      } else {
        byte[] bytes = line.toByteArray();
        out.octets(bytes, 0, bytes.length);
        out.line();
      }
      if (last) {
        out.flush();
      }
    }
    line.reset();
  }
}
