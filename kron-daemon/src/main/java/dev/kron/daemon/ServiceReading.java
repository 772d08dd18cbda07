package dev.kron.daemon;

import dev.kron.service.ServiceSpec;
import java.util.List;
import java.util.Map;

/**
 * What the service files say now.
 *
 * @param fingerprints of the processes that would be started now, by service; none for one whose
 *     credentials cannot be read
 */
record ServiceReading(List<ServiceSpec> specs, Map<String, String> fingerprints) {
  ServiceReading {
    specs = List.copyOf(specs);
    fingerprints = Map.copyOf(fingerprints);
  }
}
