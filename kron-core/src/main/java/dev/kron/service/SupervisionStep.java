package dev.kron.service;

import java.util.List;
import java.util.Set;

/**
 * The meaning of an event for all services.
 *
 * @param changed instances whose state is to be written
 * @param wanted services that are wanted otherwise than before
 * @param removed services that are in no file any more and whose last process is gone
 */
public record SupervisionStep(
    SupervisionState supervised,
    Set<InstanceId> changed,
    Set<String> wanted,
    Set<String> removed,
    List<ServiceEffect> effects) {}
