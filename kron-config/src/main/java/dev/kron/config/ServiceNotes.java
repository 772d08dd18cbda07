package dev.kron.config;

import dev.kron.config.ServicePlaces.Place;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The diagnostics of one service file, and the positions in it. */
final class ServiceNotes {
  /** The most messages of a file; more would hide those of other files. */
  private static final int MOST_DIAGNOSTICS = 50;

  private final String file;
  private final Map<String, Place> values = new HashMap<>();
  private final ServicePlaces places;
  private final List<Diagnostic> diagnostics = new ArrayList<>();
  private boolean valid = true;

  ServiceNotes(String file, List<String> lines) {
    this.file = file;
    this.places = new ServicePlaces(lines, values);
  }

  void remember(String key, Place place) {
    values.putIfAbsent(key, place);
  }

  Place place(String key) {
    return places.of(key);
  }

  ServicePlaces places() {
    return places;
  }

  void error(Place place, String message) {
    valid = false;
    add(places.error(file, place, message));
  }

  void warning(Place place, String message) {
    add(places.warning(file, place, message));
  }

  /** Adds an error about the file as a whole. */
  void fileError(String message) {
    valid = false;
    add(Diagnostic.ofFile(file, message));
  }

  private void add(Diagnostic diagnostic) {
    if (diagnostics.size() < MOST_DIAGNOSTICS) {
      diagnostics.add(diagnostic);
    } else if (diagnostics.size() == MOST_DIAGNOSTICS) {
      diagnostics.add(Diagnostic.ofFile(file, "too much is wrong in this file to list it all"));
    }
  }

  /** Whether there is no error so far. */
  boolean isValid() {
    return valid;
  }

  List<Diagnostic> sorted() {
    diagnostics.sort(Diagnostic.BY_POSITION);
    return diagnostics;
  }

  /** The rest of the line from a position on. */
  String sourceFrom(Place place) {
    @Nullable String line = places.line(place.line());
    if (line == null || line.codePointCount(0, line.length()) < place.column()) {
      return "";
    }
    return line.substring(line.offsetByCodePoints(0, place.column() - 1));
  }
}
