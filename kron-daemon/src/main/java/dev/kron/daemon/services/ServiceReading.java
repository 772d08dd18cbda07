package dev.kron.daemon.services;

import dev.kron.service.ServiceSpec;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The service files as they are now.
 *
 * @param fingerprints of the processes that would be started now, by service
 * @param unusable why the credentials of a service cannot be read; such a service has no
 *     fingerprint
 */
public record ServiceReading(
    List<ServiceSpec> specs, Map<String, String> fingerprints, Map<String, String> unusable) {
  public static final ServiceReading NOTHING = new ServiceReading(List.of(), Map.of(), Map.of());

  public ServiceReading {
    specs = List.copyOf(specs);
    fingerprints = Map.copyOf(fingerprints);
    unusable = Collections.unmodifiableMap(new TreeMap<>(unusable));
  }
}
