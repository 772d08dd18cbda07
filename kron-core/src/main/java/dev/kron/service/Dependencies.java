package dev.kron.service;

import java.util.List;

/**
 * The ties of a service to others, by their names.
 *
 * @param requires must be up first; if one gives up, this service fails too
 * @param wants started along, no harm if they fail
 * @param after order only, if both are started
 * @param conflicts never at the same time
 */
public record Dependencies(
    List<String> requires, List<String> wants, List<String> after, List<String> conflicts) {

  /** A service that stands alone. */
  public static final Dependencies NONE =
      new Dependencies(List.of(), List.of(), List.of(), List.of());

  public Dependencies {
    requires = List.copyOf(requires);
    wants = List.copyOf(wants);
    after = List.copyOf(after);
    conflicts = List.copyOf(conflicts);
  }
}
