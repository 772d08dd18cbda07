package dev.kron.daemon.services;

import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.loop.Errands.Place;
import dev.kron.daemon.runs.TimeMarks;
import dev.kron.process.LogReader;
import dev.kron.process.LogRotation;
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceInstance;
import dev.kron.service.ServiceSpec;
import dev.kron.service.SupervisionState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The rotation of the services' logs, and marks of when they grew. Services write their logs
 * themselves, so the sizes are checked now and then: once a second for the marks, less often for
 * the limits. A log can be too large by what is written between two checks.
 */
final class ServiceLogs {
  private static final long LOOK_EVERY_MILLIS = 1_000;

  /** Every so many looks the bounds are looked at. */
  private static final int BOUNDS_EVERY = 5;

  private static final long LOOK_FOR_SERVICES_MILLIS = 30_000;

  private final Supplier<SupervisionState> supervised;
  private final Function<InstanceId, Path> log;
  private final Function<String, Path> reloads;
  private final Errands errands;
  private final EventLog events;
  private final Set<Path> told = ConcurrentHashMap.newKeySet();
  private final Set<Path> rotating = ConcurrentHashMap.newKeySet();
  private final Clocks clocks;
  private final Map<Path, Marked> marked = new HashMap<>();
  private int looks;

  /** A log whose times are marked. */
  private static final class Marked {
    private final TimeMarks times;
    private long size = -1;
    private long end;

    Marked(Path file) {
      this.times = new TimeMarks(file);
    }
  }

  /**
   * @param log the log of an instance
   * @param reloads what a reload command writes, by its run
   */
  ServiceLogs(
      Supplier<SupervisionState> supervised,
      Function<InstanceId, Path> log,
      Function<String, Path> reloads,
      Errands errands,
      Clocks clocks,
      EventLog events) {
    this.clocks = clocks;
    this.supervised = supervised;
    this.log = log;
    this.reloads = reloads;
    this.errands = errands;
    this.events = events;
  }

  /** Checks all logs now and from then on; less often if there is no service. */
  void keep() {
    errands.execute(Place.ROTATE_LOGS, this::lookAndGoOn, thrown -> goOn());
  }

  private void lookAndGoOn() {
    look();
    goOn();
  }

  private void goOn() {
    boolean none = supervised.get().graph().services().isEmpty();
    errands.after(
        none ? LOOK_FOR_SERVICES_MILLIS : LOOK_EVERY_MILLIS,
        Place.ROTATE_LOGS,
        this::lookAndGoOn,
        thrown -> goOn());
  }

  void look() {
    SupervisionState present = supervised.get();
    boolean bounds = looks++ % BOUNDS_EVERY == 0;
    Set<Path> files = new HashSet<>();
    for (ServiceSpec spec : present.graph().services().values()) {
      for (ServiceInstance instance : present.instances(spec.name())) {
        Path file = log.apply(instance.id());
        files.add(file);
        mark(file);
        if (bounds) {
          look(file, new LogRotation(file, spec.log().maxSizeBytes(), spec.log().keep()));
        }
        if (instance.reloadRun() != null) {
          Path output = reloads.apply(instance.reloadRun());
          look(output, new LogRotation(output, HookOutput.LIMIT_BYTES, 0)); // its end is kept
        }
      }
    }
    marked.keySet().retainAll(files);
  }

  /** Marks how long a log is by now; one that has its size still costs one question. */
  private void mark(Path file) {
    if (rotating.contains(file)) {
      return;
    }
    Marked known = marked.computeIfAbsent(file, Marked::new);
    try {
      long size = Files.size(file);
      if (size != known.size) {
        known.end = new LogReader(file).end();
        known.size = size;
      }
      known.times.look(known.end, clocks.wallMillis());
    } catch (NoSuchFileException e) {
      known.times.look(0, clocks.wallMillis()); // what will be in it is written after this moment
    } catch (IOException e) {
      // The next look tries again.
    }
  }

  /**
   * Checks one log. Each has its own lane of errands, so that a slow rotation holds up no other
   * log.
   */
  private void look(Path file, LogRotation rotation) {
    try {
      if (!rotating.contains(file) && rotation.isDue()) {
        rotating.add(file);
        errands.execute(
            file.toString(),
            Place.ROTATE_LOG,
            () -> {
              rotate(file, rotation);
              rotating.remove(file);
            },
            thrown -> rotating.remove(file));
      }
    } catch (IOException e) {
      notRotated(file, e);
    }
  }

  private void rotate(Path file, LogRotation rotation) {
    try {
      rotated(file, rotation.rotate());
    } catch (IOException e) {
      notRotated(file, e);
    }
  }

  /** Logs a rotation; that bytes were lost, or may have been, once for each file. */
  void rotated(Path file, LogRotation.Outcome outcome) {
    if (outcome.files() > 0) {
      events.debug("service", "log_rotated", "file", file, "files", outcome.files());
    }
    if (outcome.droppedBytes() > 0 && told.add(file)) {
      events.warn("service", "log_dropped", "file", file, "bytes", outcome.droppedBytes());
    }
    if (outcome.method() == LogRotation.Method.TRUNCATED && told.add(file)) {
      events.warn(
          "service",
          "log_truncated",
          "file",
          file,
          "reason",
          "its file system can neither take out nor free the head of a file");
    }
  }

  private void notRotated(Path file, IOException e) {
    if (told.add(file)) {
      events.warn("service", "log_not_rotated", "file", file, "reason", e.getMessage());
    }
  }
}
