package dev.kron.simulation;

import dev.kron.service.ServiceSpec;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of instances that operators asked for: each holds until the service's file says
 * another number than before. Kept from what was asked and answered, like {@link Wishes}.
 */
final class Scales {
  private final Map<String, Integer> counts = new HashMap<>();

  /** Services of which nobody can know the number: what becomes durable decides. */
  private final Set<String> open = new HashSet<>();

  private Map<String, ServiceSpec> files = Map.of();

  /** A daemon has these files now. */
  void read(Map<String, ServiceSpec> now) {
    files.forEach(
        (service, before) -> {
          ServiceSpec spec = now.get(service);
          if (spec == null || spec.instances() != before.instances()) {
            counts.remove(service);
          }
        });
    Map<String, ServiceSpec> before = files;
    now.keySet().stream().filter(it -> !before.containsKey(it)).forEach(open::add);
    open.retainAll(now.keySet());
    files = now;
  }

  /** An operator asks for another number. */
  void asked(String service) {
    unsure(Set.of(service));
  }

  /** An operator was told that it is so. */
  void answered(String service, int count) {
    open.remove(service);
    counts.put(service, count);
  }

  /** A change was tried, and whether it happened is not known. */
  void unsure(Collection<String> services) {
    services.stream().filter(files::containsKey).forEach(open::add);
  }

  /** The same of all. */
  void unsure() {
    unsure(files.keySet());
  }

  /** What is durable decides what was not known. */
  void found(SupervisorView file) {
    for (String service : Set.copyOf(open)) {
      SupervisorView.Spec spec = file.spec(service);
      if (spec != null) {
        open.remove(service);
        Integer scaled = spec.scaledTo();
        if (scaled == null) {
          counts.remove(service);
        } else {
          counts.put(service, scaled);
        }
      }
    }
  }

  /** How many instances of a service there certainly are to be. */
  int instances(ServiceSpec spec) {
    return open.contains(spec.name()) ? 1 : counts.getOrDefault(spec.name(), spec.instances());
  }

  /** What is wrong with the numbers in the supervisor's file; null: nothing. */
  @Nullable String wrong(SupervisorView file) {
    for (ServiceSpec spec : files.values()) {
      SupervisorView.Spec told = file.spec(spec.name());
      if (told != null && !told.leaving() && !spec.isTarget() && !open.contains(spec.name())) {
        Integer scaled = told.scaledTo();
        int count = scaled == null ? spec.instances() : scaled;
        if (count != instances(spec)) {
          return "%s is to have %s instances, on the platter is %s"
              .formatted(spec.name(), instances(spec), told);
        }
      }
    }
    return null;
  }
}
