package dev.kron.daemon.services;

import dev.kron.daemon.loop.Clocks;
import dev.kron.service.InstanceId;
import dev.kron.service.Moment;
import dev.kron.service.ServiceInstance;
import dev.kron.service.SupervisionState;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * The states of services: those that were decided, and those that are durable. For the loop's
 * thread, except {@link #view}.
 */
public final class ServiceStates {
  private final ServiceMemory memory;
  private final Clocks clocks;
  private SupervisionState decided = SupervisionState.empty();
  private SupervisionState durable = SupervisionState.empty();
  private ServiceMemory.Facts durableFacts = ServiceMemory.Facts.NONE;
  private volatile View view = new View(SupervisionState.empty(), ServiceMemory.Facts.NONE);

  /** Services that are wanted up and are not, since which moment of the boot clock. */
  private final Map<String, Long> downSince = new HashMap<>();

  /** All that can be seen of services, as of one moment; immutable. */
  public record View(SupervisionState supervised, ServiceMemory.Facts facts) {}

  ServiceStates(ServiceMemory memory, Clocks clocks) {
    this.memory = memory;
    this.clocks = clocks;
  }

  ServiceMemory memory() {
    return memory;
  }

  Moment now() {
    return new Moment(clocks.wallMillis(), clocks.bootNanos() / 1_000_000L);
  }

  /** What is durable of services; for any thread. */
  View view() {
    return view;
  }

  SupervisionState decided() {
    return decided;
  }

  SupervisionState durable() {
    return durable;
  }

  void decide(SupervisionState after) {
    decided = after;
  }

  /** Takes up what earlier daemons left. */
  void begin(ServiceRecovery.Found found) {
    decided = found.supervised();
    memory.restore(new ServiceMemory.Facts(found.facts(), found.bindings(), found.pasts()));
    arrived(decided, memory.facts());
    showWhatIsDurable();
    memory.forgetOthers(decided.graph().services().keySet());
    rememberAll();
  }

  /** Writes down all of it. */
  void rememberAll() {
    Set<InstanceId> all = new LinkedHashSet<>();
    for (String service : decided.graph().services().keySet()) {
      decided.instances(service).forEach(instance -> all.add(instance.id()));
    }
    memory.remember(decided, all, decided.graph().services().keySet(), now());
  }

  void arrived(SupervisionState after, ServiceMemory.Facts facts) {
    durable = after;
    durableFacts = facts;
  }

  /** Others see what has arrived, once they have been told of what happened. */
  void showWhatIsDurable() {
    view = new View(durable, durableFacts);
    noteWhoIsDown();
  }

  /** What was decided since the last write has not happened. */
  void undo() {
    decided = durable;
    memory.restore(durableFacts);
  }

  /** The runs of instances that have a process, or may have. */
  Map<InstanceId, String> runs() {
    Map<InstanceId, String> runs = new LinkedHashMap<>();
    for (String service : decided.graph().services().keySet()) {
      for (ServiceInstance instance : decided.instances(service)) {
        if (instance.runId() != null) {
          runs.put(instance.id(), instance.runId());
        }
      }
    }
    return runs;
  }

  private void noteWhoIsDown() {
    long now = now().bootMillis();
    downSince.keySet().retainAll(durable.wanted().up());
    for (String service : durable.wanted().up()) {
      if (durable.isUp(service)) {
        downSince.remove(service);
      } else {
        downSince.putIfAbsent(service, now);
      }
    }
  }

  /** Services that are wanted up and are not, and for how long. */
  Map<String, Long> downMillis() {
    long now = now().bootMillis();
    Map<String, Long> down = new HashMap<>();
    downSince.forEach((service, since) -> down.put(service, now - since));
    return down;
  }
}
