package dev.kron.cli.online;

import dev.kron.cli.output.Output;
import dev.kron.json.JsonWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Writes out what runs write. Two streams at once are mixed line by line, never within a line. */
final class Follower {
  private static final int LONGEST_LINE = 64 * 1024;

  private final Api api;
  private final List<String> streams;
  private final Output out;
  private final boolean json;
  private final Lines wanted;
  private final String prefix;
  private final Set<String> done = new HashSet<>();

  /**
   * The lines that are wanted.
   *
   * @param last of what is there, only so many of the last, 0: all
   * @param matching only those in which this is found, null: all
   */
  record Lines(int last, @Nullable Pattern matching) {
    static final Lines ALL = new Lines(0, null);

    boolean isAll() {
      return last == 0 && matching == null;
    }
  }

  /**
   * @param json a line of JSON for each line, with where it comes from
   * @param prefix before each line that is not JSON
   */
  Follower(Api api, List<String> streams, Output out, boolean json, Lines wanted, String prefix) {
    this.prefix = prefix;
    this.wanted = wanted;
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
    if (wanted.last() > 0) {
      last(in, origin);
      return;
    }
    if (out.terminal() || json || !wanted.isAll() || !prefix.isEmpty()) {
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
            String path = Api.path("runs", runId, "logs", stream) + "?";
            try (InputStream in = new FollowedLog(api, path, "")) {
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

  static void await(FutureTask<Void> task) throws IOException {
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

  /** The last lines of what is there. */
  private void last(InputStream in, Origin origin) throws IOException {
    Deque<byte[]> kept = new ArrayDeque<>();
    ByteArrayOutputStream line = new ByteArrayOutputStream(256);
    for (int octet = in.read(); octet >= 0 || line.size() > 0; octet = in.read()) {
      if (octet >= 0 && octet != '\n') {
        line.write(octet);
        continue;
      }
      if (isWanted(line)) {
        kept.addLast(line.toByteArray());
        if (kept.size() > wanted.last()) {
          kept.removeFirst();
        }
      }
      line.reset();
      if (octet < 0) {
        break;
      }
    }
    for (byte[] one : kept) {
      line.writeBytes(one);
      line(line, origin, false);
    }
    out.flush();
  }

  private boolean isWanted(ByteArrayOutputStream line) {
    Pattern matching = wanted.matching();
    return matching == null || matching.matcher(line.toString(StandardCharsets.UTF_8)).find();
  }

  private void line(ByteArrayOutputStream line, Origin origin, boolean last) throws IOException {
    if (!isWanted(line)) {
      line.reset();
      return;
    }
    synchronized (out) {
      if (json) {
        JsonWriter writer = out.jsonLines();
        writer.beginObject().member(origin.kind(), origin.name());
        if (origin.stream() != null) {
          writer.member("stream", origin.stream());
        }
        writer.member("line", line.toString(StandardCharsets.UTF_8)).endObject().end();
      } else if (out.terminal()) {
        out.line(prefix + line.toString(StandardCharsets.UTF_8));
      } else {
        out.print(prefix);
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
