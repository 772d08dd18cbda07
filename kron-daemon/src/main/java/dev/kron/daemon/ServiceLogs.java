package dev.kron.daemon;

import dev.kron.daemon.Errands.Place;
import dev.kron.process.LogRotation;
import dev.kron.service.Fleet;
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceInstance;
import dev.kron.service.ServiceSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
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

  private final Supplier<Fleet> fleet;
  private final Function<InstanceId, Path> log;
  private final Errands errands;
  private final EventLog events;
  private final Set<Path> told = new HashSet<>();

  ServiceLogs(
      Supplier<Fleet> fleet, Function<InstanceId, Path> log, Errands errands, EventLog events) {
    this.fleet = fleet;
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
    boolean none = fleet.get().graph().services().isEmpty();
    errands.after(
        none ? LOOK_FOR_SERVICES_MILLIS : LOOK_EVERY_MILLIS,
        Place.ROTATE_LOGS,
        this::lookAndGoOn,
        thrown -> goOn());
  }

  void look() {
    Fleet present = fleet.get();
    for (ServiceSpec spec : present.graph().services().values()) {
      for (ServiceInstance instance : present.instances(spec.name())) {
        look(spec, log.apply(instance.id()));
      }
    }
  }

  private void look(ServiceSpec spec, Path file) {
    try {
      if (!Files.exists(file)) {
        return;
      }
      LogRotation.Outcome outcome =
          new LogRotation(file, spec.log().maxSizeBytes(), spec.log().keep()).rotate();
      if (outcome.files() > 0) {
        events.debug("service", "log_rotated", "file", file, "files", outcome.files());
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
      if (told.add(file)) {
        events.warn("service", "log_not_rotated", "file", file, "reason", e.getMessage());
      }
    }
  }
}
