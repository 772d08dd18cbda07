package dev.kron.service;

import java.util.List;

/**
 * The dependencies of a service, by names.
 *
 * @param requires services that must be up first; if one of them fails for good, this service fails
 *     too
 * @param wants services that are started along with this one; their failure does no harm
 * @param after services that start before this one, if both are started
 * @param conflicts services that never run at the same time as this one
 */
public record Dependencies(
    List<String> requires, List<String> wants, List<String> after, List<String> conflicts) {

  /** The dependencies of a service that has none. */
  public static final Dependencies NONE =
      new Dependencies(List.of(), List.of(), List.of(), List.of());

  public Dependencies {
    requires = List.copyOf(requires);
    wants = List.copyOf(wants);
    after = List.copyOf(after);
    conflicts = List.copyOf(conflicts);
  }
}
