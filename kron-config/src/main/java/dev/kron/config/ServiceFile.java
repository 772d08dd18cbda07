package dev.kron.config;

import dev.kron.service.Dependencies;
import dev.kron.service.ServiceSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The contents of a service file. */
public final class ServiceFile {
  private final String file;
  private final Krontab.Status status;
  private final String name;
  private final @Nullable ServiceSpec service;
  private final Dependencies dependencies;
  private final List<Diagnostic> diagnostics;
  private final ServicePlaces places;

  ServiceFile(
      String file,
      Krontab.Status status,
      String name,
      @Nullable ServiceSpec service,
      Dependencies dependencies,
      List<Diagnostic> diagnostics,
      ServicePlaces places) {
    this.file = file;
    this.status = status;
    this.name = name;
    this.service = service;
    this.dependencies = dependencies;
    this.diagnostics = List.copyOf(diagnostics);
    this.places = places;
  }

  /** A file that was refused. */
  static ServiceFile refused(String file, Krontab.Status status, String problem) {
    return new ServiceFile(
        file,
        status,
        ServiceParser.defaultName(file),
        null,
        Dependencies.NONE,
        List.of(Diagnostic.ofFile(file, problem)),
        ServicePlaces.NONE);
  }

  /** The absolute, normalised path, without resolving links. */
  public String file() {
    return file;
  }

  /** The result of reading the file. */
  public Krontab.Status status() {
    return status;
  }

  /** The service; null if something in the file is wrong. */
  public @Nullable ServiceSpec service() {
    return service;
  }

  /** The messages in the order of the file, including those about problems between files. */
  public List<Diagnostic> diagnostics() {
    return diagnostics;
  }

  /** Whether there are no errors; there may be warnings. */
  public boolean isValid() {
    return diagnostics.stream().noneMatch(Diagnostic::isError);
  }

  /** The same file with more messages. */
  public ServiceFile with(List<Diagnostic> more) {
    if (more.isEmpty()) {
      return this;
    }
    List<Diagnostic> all = new ArrayList<>(diagnostics);
    all.addAll(more);
    all.sort(Diagnostic.BY_POSITION);
    return new ServiceFile(file, status, name, service, dependencies, all, places);
  }

  /**
   * A message at a key of this file, {@code health.timeout_ms}; at the beginning of the file if the
   * key is missing.
   */
  public Diagnostic at(String key, Diagnostic.Severity severity, String message) {
    return places.diagnostic(file, key, severity, message);
  }

  /** The service's name, even of a broken file; the file's name if it cannot be determined. */
  String name() {
    return name;
  }

  /** The dependencies, even of a broken file, as far as they could be read. */
  Dependencies dependencies() {
    return dependencies;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ServiceFile that
        && file.equals(that.file)
        && status == that.status
        && Objects.equals(service, that.service)
        && diagnostics.equals(that.diagnostics);
  }

  @Override
  public int hashCode() {
    return Objects.hash(file, status, service, diagnostics);
  }

  @Override
  public String toString() {
    return "ServiceFile[" + file + ", " + status + ", " + name + ", " + diagnostics + "]";
  }
}
