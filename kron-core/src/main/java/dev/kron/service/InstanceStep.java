package dev.kron.service;

import java.util.List;

/**
 * The result of an event for one instance.
 *
 * @param changed false if there is nothing to write; there may be effects nevertheless, such as
 *     timers
 */
public record InstanceStep(ServiceInstance instance, List<ServiceEffect> effects, boolean changed) {
  public InstanceStep {
    effects = List.copyOf(effects);
  }
}
