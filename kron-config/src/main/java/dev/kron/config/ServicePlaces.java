package dev.kron.config;

import dev.kron.config.Diagnostic.Severity;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The positions of values in a service file.
 *
 * @param lines the lines of the file
 * @param values positions by key, {@code lifecycle.restart}, and by element, {@code
 *     dependencies.requires.db}
 */
record ServicePlaces(List<String> lines, Map<String, Place> values) {
  static final ServicePlaces NONE = new ServicePlaces(List.of(), Map.of());

  /** A position; both numbers count from 1, columns count characters. */
  record Place(int line, int column) {
    static final Place BEGIN = new Place(1, 1);
  }

  Place of(String key) {
    return values.getOrDefault(key, Place.BEGIN);
  }

  Diagnostic diagnostic(String file, String key, Severity severity, String message) {
    Place place = of(key);
    boolean known = values.containsKey(key);
    return diagnostic(file, place, severity, message, known);
  }

  private Diagnostic diagnostic(
      String file, Place place, Severity severity, String message, boolean showLine) {
    @Nullable String source = showLine ? line(place.line()) : null;
    return new Diagnostic(file, place.line(), place.column(), message, severity, source);
  }

  Diagnostic error(String file, Place place, String message) {
    return diagnostic(file, place, Severity.ERROR, message, true);
  }

  Diagnostic warning(String file, Place place, String message) {
    return diagnostic(file, place, Severity.WARNING, message, true);
  }

  @Nullable String line(int number) {
    return number <= lines.size() ? lines.get(number - 1) : null;
  }
}
