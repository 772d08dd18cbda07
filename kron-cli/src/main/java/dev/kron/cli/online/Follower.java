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
   * @param timed whether each says when it was written
   */
  record Lines(int last, @Nullable Pattern matching, boolean timed) {
    /** Whether bytes can be handed on as they are. */
    boolean areAsTheyCome() {
      return last == 0 && matching == null && !timed;
    }

    /** What is added to a query. */
    String query() {
      return timed ? "times=true&" : "";
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
    String path = Api.path("runs", runId, "logs", stream) + "?" + wanted.query();
    try (InputStream in = api.open(path + query)) {
      copy(in, Origin.of(runId, stream));
    }
  }

  /** Where a line comes from, for those who want to know. */
  record Origin(String kind, String name, @Nullable String stream) {
    static Origin of(String runId, String stream) {
      return new Origin("runId", runId, stream);
    }
  }

  /**
   * What is there, then what comes: of what is there only the last lines, where that is wanted.
   *
   * @param path with a query that more can be added to
   * @param begin where to begin, {@code tail=100&} for example
   */
  void follow(String path, String begin, Origin origin) throws IOException {
    String from = begin;
    if (wanted.last() > 0) {
      try (InputStream in = api.open(path + begin)) {
        from = "offset=" + last(in, origin) + "&";
      }
    }
    try (FollowedLog in = new FollowedLog(api, path, from, wanted.timed())) {
      asItComes(in, origin);
    }
  }

  /** What is there. */
  void copy(InputStream in, Origin origin) throws IOException {
    if (wanted.last() > 0) {
      last(in, origin);
    } else {
      asItComes(in, origin);
    }
  }

  private void asItComes(InputStream in, Origin origin) throws IOException {
    if (out.terminal() || json || !wanted.areAsTheyCome() || !prefix.isEmpty()) {
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
            String path = Api.path("runs", runId, "logs", stream) + "?" + wanted.query();
            follow(path, "", Origin.of(runId, stream));
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

  /** Prints the last lines of what is there, and returns the offset after them. */
  private long last(InputStream in, Origin origin) throws IOException {
    Deque<byte[]> kept = new ArrayDeque<>();
    ByteArrayOutputStream line = new ByteArrayOutputStream(256);
    long position = in instanceof HttpAnswer answer ? answer.offset() : 0;
    for (int octet = in.read(); octet >= 0 || line.size() > 0; octet = in.read()) {
      position += octet < 0 || wanted.timed() ? 0 : 1;
      if (octet >= 0 && octet != '\n') {
        line.write(octet);
        continue;
      }
      if (wanted.timed()) {
        position = TimedLine.parse(line.toByteArray()).offset();
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
    return position;
  }

  private boolean isWanted(ByteArrayOutputStream line) throws IOException {
    Pattern matching = wanted.matching();
    if (matching == null) {
      return true;
    }
    byte[] bytes = line.toByteArray();
    byte[] text = wanted.timed() ? TimedLine.parse(bytes).text() : bytes;
    return matching.matcher(new String(text, StandardCharsets.UTF_8)).find();
  }

  private void line(ByteArrayOutputStream line, Origin origin, boolean last) throws IOException {
    if (isWanted(line)) {
      byte[] bytes = line.toByteArray();
      TimedLine timed = wanted.timed() ? TimedLine.parse(bytes) : null;
      synchronized (out) {
        print(timed == null ? bytes : timed.text(), timed, origin);
        if (last) {
          out.flush();
        }
      }
    }
    line.reset();
  }

  private void print(byte[] text, @Nullable TimedLine timed, Origin origin) throws IOException {
    if (json) {
      JsonWriter writer = out.jsonLines();
      writer.beginObject().member(origin.kind(), origin.name());
      if (origin.stream() != null) {
        writer.member("stream", origin.stream());
      }
      if (timed != null) {
        writer.member("after", timed.after() == null ? null : timed.after().toString());
        writer.member("by", timed.by().toString());
      }
      writer.member("line", new String(text, StandardCharsets.UTF_8)).endObject().end();
      return;
    }
    out.print(prefix + (timed == null ? "" : timed.stamp()));
    if (out.terminal()) {
      out.line(new String(text, StandardCharsets.UTF_8));
    } else {
      out.octets(text, 0, text.length);
      out.line();
    }
  }
}
