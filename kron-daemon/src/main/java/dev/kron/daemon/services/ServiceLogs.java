package dev.kron.daemon.services;

import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.loop.Errands.Place;
import dev.kron.process.LogRotation;
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceInstance;
import dev.kron.service.ServiceSpec;
import dev.kron.service.SupervisionState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Keeps the logs of services within their bounds. They are written by the services themselves, so
 * they are looked at now and then; what is written between two looks is the most by which one can
 * be too large.
 */
final class ServiceLogs {
  static final long LOOK_EVERY_MILLIS = 5_000;
  private static final long LOOK_FOR_SERVICES_MILLIS = 30_000;

  private final Supplier<SupervisionState> supervised;
  private final Function<InstanceId, Path> log;
  private final Errands errands;
  private final EventLog events;
  private final Set<Path> told = ConcurrentHashMap.newKeySet();
  private final Set<Path> rotating = ConcurrentHashMap.newKeySet();

  ServiceLogs(
      Supplier<SupervisionState> supervised,
      Function<InstanceId, Path> log,
      Errands errands,
      EventLog events) {
    this.supervised = supervised;
    this.log = log;
    this.errands = errands;
    this.events = events;
  }

  /** Looks now, and again and again; where there is no service, there is no hurry. */
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
    for (ServiceSpec spec : present.graph().services().values()) {
      for (ServiceInstance instance : present.instances(spec.name())) {
        Path file = log.apply(instance.id());
        look(file, new LogRotation(file, spec.log().maxSizeBytes(), spec.log().keep()));
      }
    }
  }

  /** A log that is long to rotate holds up no other: each has a lane of its own. */
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
      LogRotation.Outcome outcome = rotation.rotate();
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
    } catch (IOException e) {
      notRotated(file, e);
    }
  }

  private void notRotated(Path file, IOException e) {
    if (told.add(file)) {
      events.warn("service", "log_not_rotated", "file", file, "reason", e.getMessage());
    }
  }
}
