package dev.kron.service;

import java.util.List;

/**
 * The meaning of an event for an instance.
 *
 * @param changed false: nothing to write; effects may be there all the same, timers for example
 */
public record InstanceStep(ServiceInstance instance, List<ServiceEffect> effects, boolean changed) {
  public InstanceStep {
    effects = List.copyOf(effects);
  }
}
