package dev.kron.service;

import java.util.List;
import java.util.Set;

/**
 * The result of an event for all services.
 *
 * @param changed instances whose state is to be written
 * @param wanted services whose wish changed
 * @param removed services that are no longer in a file and whose last process is gone
 */
public record SupervisionStep(
    SupervisionState supervised,
    Set<InstanceId> changed,
    Set<String> wanted,
    Set<String> removed,
    List<ServiceEffect> effects) {}
