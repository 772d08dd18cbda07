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

  /** A file that was not let in. */
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

  /** Absolute, normalised path, links in it not resolved. */
  public String file() {
    return file;
  }

  /** How far the file was let in. */
  public Krontab.Status status() {
    return status;
  }

  /** The service; null where something in the file is wrong. */
  public @Nullable ServiceSpec service() {
    return service;
  }

  /** In the order of the file; what is wrong between files is among them. */
  public List<Diagnostic> diagnostics() {
    return diagnostics;
  }

  /** No errors; there may be warnings. */
  public boolean isValid() {
    return diagnostics.stream().noneMatch(Diagnostic::isError);
  }

  /** The same file with more to say about it. */
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
   * Something to say at a key of this file, {@code health.timeout_ms}; at the beginning of the file
   * where the key is not in it.
   */
  public Diagnostic at(String key, Diagnostic.Severity severity, String message) {
    return places.diagnostic(file, key, severity, message);
  }

  /** The name that it gives, of a broken file as well; the file's where that cannot be told. */
  String name() {
    return name;
  }

  /** Those of a broken file as well, as far as they could be read. */
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
