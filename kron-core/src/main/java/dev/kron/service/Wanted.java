package dev.kron.service;

import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The wishes of operators, whatever state services are in.
 *
 * @param up names of services
 * @param stopped instances that are to be down although their service is to be up
 * @param scaled how many instances a service is to have, where that is not what its file says
 */
public record Wanted(Set<String> up, Set<InstanceId> stopped, Map<String, Integer> scaled) {
  static final Wanted NOTHING = new Wanted(Set.of(), Set.of(), Map.of());

  public Wanted {
    up = Collections.unmodifiableSet(new HashSet<>(up));
    stopped = Collections.unmodifiableSet(new HashSet<>(stopped));
    scaled = Collections.unmodifiableMap(new HashMap<>(scaled));
  }

  /** These services with all their instances, as many as their files say. */
  public static Wanted allOf(Set<String> up) {
    return new Wanted(up, Set.of(), Map.of());
  }

  /** How many instances a service is to have. */
  public int size(ServiceSpec spec) {
    return scaled.getOrDefault(spec.name(), spec.instances());
  }

  /** Whether an instance is to be up; its service may be in no file any more. */
  boolean isUp(InstanceId id, ServiceSpec spec) {
    return up.contains(id.service()) && id.index() < size(spec) && !stopped.contains(id);
  }
}
