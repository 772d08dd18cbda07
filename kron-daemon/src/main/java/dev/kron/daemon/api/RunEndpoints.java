package dev.kron.daemon.api;

import dev.kron.daemon.loop.Request;
import dev.kron.daemon.runs.ExactCommand;
import dev.kron.job.ActiveRun;
import dev.kron.job.HistoryEntry;
import dev.kron.process.Signal;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Operations on runs and their output. */
final class RunEndpoints {
  /** Those who follow output at the same time. */
  static final int FOLLOWERS = 256;

  private static final long LOOK_AGAIN_MILLIS = 200;
  private static final int MOST = 1000;

  /** The most replacements to follow; each one comes from a crash between intent and start. */
  private static final int MOST_SUCCESSORS = 100;

  private final Supplier<Control> control;
  private final Semaphore places = new Semaphore(FOLLOWERS);

  RunEndpoints(Supplier<Control> control) {
    this.control = control;
  }

  private record Running(String identity, ActiveRun run) {}

  /** Lists runs, newest first: those that go on, then those that ended. */
  void list(Exchange exchange) throws IOException {
    int limit = (int) exchange.number("limit", 50, 0, MOST);
    RunFilter filter = RunFilter.of(exchange);
    Control present = control.get();
    Snapshot snapshot = Exchange.await(present.look());
    var running = new ArrayList<Running>();
    for (JobView job : snapshot.jobs()) {
      for (ActiveRun run : job.state().active()) {
        if (filter.admits(run)) {
          running.add(new Running(job.identity(), run));
        }
      }
    }
    running.sort(Comparator.<Running>comparingLong(it -> it.run().startedAt()).reversed());
    List<Control.Ended> ended = filter.ended(present, snapshot, limit);
    int left = limit;
    try (var json = exchange.json()) {
      json.beginObject().name("runs").beginArray();
      for (Running one : running) {
        if (left-- > 0) {
          Shapes.active(json, present, one.identity(), one.run());
        }
      }
      for (Control.Ended one : ended) {
        if (left-- > 0) {
          Shapes.ended(json, one.identity(), one.entry());
        }
      }
      json.endArray().endObject();
    }
  }

  private record Found(
      String runId, String identity, @Nullable ActiveRun active, @Nullable HistoryEntry entry) {}

  void show(Exchange exchange) throws IOException {
    Control present = control.get();
    Found found = find(present, exchange.part("run"));
    ExactCommand executed = present.executed(found.runId());
    try (var json = exchange.json()) {
      json.beginObject();
      if (found.active() != null) {
        Shapes.activeMembers(json, present, found.identity(), found.active());
      } else {
        Shapes.endedMembers(
            json, found.identity(), Objects.requireNonNull(found.entry(), "neither"));
      }
      json.name("execution");
      Shapes.execution(json, executed);
      json.endObject();
    }
  }

  void stop(Exchange exchange) throws IOException {
    Signal signal = JobEndpoints.signal(exchange);
    Control present = control.get();
    Found found = find(present, exchange.part("run"));
    present.asked(exchange.who(), "stop", found.runId());
    Request request = new Request.EndRuns(found.identity(), found.runId(), exchange.who(), signal);
    DaemonEndpoints.answer(exchange, Exchange.await(present.ask(request)), 409);
  }

  /** Finds a run; for one that never began, the run that replaced it. */
  private static Found find(Control control, String runId) {
    String id = runId;
    for (int i = 0; i < MOST_SUCCESSORS && id != null; i++) {
      Found found = lookUp(control, id);
      if (found != null) {
        return found;
      }
      id = control.successor(id);
    }
    throw new ApiProblem(404, "there is no run " + runId + " on record");
  }

  private static @Nullable Found lookUp(Control control, String runId) {
    for (JobView job : Exchange.await(control.look()).jobs()) {
      for (ActiveRun run : job.state().active()) {
        if (run.runId().equals(runId)) {
          return new Found(runId, job.identity(), run, null);
        }
      }
    }
    Control.RunFiles files = control.run(runId);
    try {
      if (files != null && !files.identity().isEmpty()) {
        for (HistoryEntry entry : control.history(files.identity()).reversed()) {
          if (runId.equals(entry.runId())) {
            return new Found(runId, files.identity(), null, entry);
          }
        }
      }
    } catch (Control.UnreadableException e) {
      throw new ApiProblem(503, "the history cannot be read: " + e.getMessage());
    }
    for (Control.Ended ended : control.recent()) {
      if (runId.equals(ended.entry().runId())) {
        return new Found(runId, ended.identity(), null, ended.entry());
      }
    }
    return null;
  }

  /** The id of the run that finally replaced one that never began. */
  private static String latest(Control control, String runId) {
    String id = runId;
    for (int i = 0; i < MOST_SUCCESSORS; i++) {
      String next = control.successor(id);
      if (next == null) {
        break;
      }
      id = next;
    }
    return id;
  }

  private boolean isActive(String runId) {
    return Exchange.await(control.get().look()).jobs().stream()
        .flatMap(job -> job.state().active().stream())
        .anyMatch(run -> run.runId().equals(runId));
  }

  /**
   * Answers with the output of a run; with {@code follow}, also with what comes while the run goes
   * on.
   */
  void logs(Exchange exchange) throws IOException {
    Control present = control.get();
    String runId = latest(present, exchange.part("run"));
    String stream = exchange.part("stream");
    if (!stream.equals("stdout") && !stream.equals("stderr")) {
      throw new ApiProblem(404, "a run has the streams stdout and stderr, not " + stream);
    }
    long offset = exchange.number("offset", 0, 0, Long.MAX_VALUE);
    long tail = exchange.number("tail", -1, 0, Long.MAX_VALUE);
    boolean follow = exchange.flag("follow");
    Control.RunFiles files = present.run(runId);
    if (files == null || !Files.isDirectory(files.directory(), LinkOption.NOFOLLOW_LINKS)) {
      throw new ApiProblem(404, "there is no output of a run " + runId);
    }
    Path file = files.directory().resolve(stream);
    if (!places.tryAcquire()) {
      throw new ApiProblem(503, FOLLOWERS + " readers read output already");
    }
    try {
      var output = new RunOutput(file, () -> present.keptOutput(runId, stream));
      send(exchange, runId, output, offset, tail, follow);
    } finally {
      places.release();
    }
  }

  private void send(
      Exchange exchange, String runId, RunOutput output, long offset, long tail, boolean follow)
      throws IOException {
    boolean going = follow && isActive(runId);
    long size = output.size();
    long position = tail >= 0 ? Math.max(0, size - tail) : Math.min(offset, size);
    exchange.header("X-Offset", Long.toString(position));
    String type = "application/octet-stream";
    try (OutputStream out = going ? exchange.following(type) : exchange.body(200, type)) {
      LogSink sink = exchange.flag("times") ? timed(out, runId, output.file()) : LogSink.plain(out);
      long now = System.currentTimeMillis();
      position = output.copy(position, sink);
      while (going) {
        sink.caughtUp(now);
        lookAgain();
        if (output.size() <= position) {
          // The length is smaller if the command truncated its output. The last bytes are copied
          // after its end.
          going = isActive(runId) && !exchange.isAbandoned();
        }
        now = System.currentTimeMillis();
        position = output.copy(position, sink);
      }
      sink.end();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Waits before the next look. The more followers, the longer each waits, since they take time
   * from what they follow.
   */
  private void lookAgain() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN_MILLIS + FOLLOWERS - places.availablePermits());
  }

  /** Lines with times, as far as it is known when the run was started and when it ended. */
  private LogSink timed(OutputStream out, String runId, Path file) {
    Found found = lookUp(control.get(), runId);
    ActiveRun active = found == null ? null : found.active();
    HistoryEntry entry = found == null ? null : found.entry();
    if (active != null) {
      return new TimedLines(out, file, active.startedAt(), 0);
    }
    return entry == null
        ? new TimedLines(out, file, 0, 0)
        : new TimedLines(out, file, entry.startedAt(), entry.completedAt());
  }
}
