package dev.kron.daemon.services;

import dev.kron.daemon.loop.Clocks;
import dev.kron.service.Hook;
import dev.kron.service.InstanceId;
import dev.kron.service.Moment;
import dev.kron.service.ServiceInstance;
import dev.kron.service.SupervisionState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The states of services, as decided and as durable. Used on the loop's thread only, except {@link
 * #view}.
 */
public final class ServiceStates {
  private final ServiceMemory memory;
  private final Clocks clocks;
  private SupervisionState decided = SupervisionState.empty();
  private SupervisionState durable = SupervisionState.empty();
  private ServiceMemory.Facts durableFacts = ServiceMemory.Facts.NONE;
  private volatile View view = new View(SupervisionState.empty(), ServiceMemory.Facts.NONE);

  /** When each service that is wanted up and is not went down, by the boot clock. */
  private final Map<String, Long> downSince = new HashMap<>();

  /** The services at one moment; immutable. */
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

  /** The durable states of services; may be called on any thread. */
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

  /** Begins with the states that earlier daemons left. */
  void begin(ServiceRecovery.Found found) {
    decided = found.supervised();
    memory.restore(
        new ServiceMemory.Facts(found.facts(), found.bindings(), found.pasts(), found.alerts()));
    arrived(decided, memory.facts());
    showWhatIsDurable();
    memory.forgetOthers(decided.graph().services().keySet());
    rememberAll();
  }

  /** Marks all states for writing. */
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

  /** Shows other threads the durable states, once the events that led to them are logged. */
  void showWhatIsDurable() {
    view = new View(durable, durableFacts);
    noteWhoIsDown();
  }

  /** Goes back to the durable states, because a write failed. */
  void undo() {
    decided = durable;
    memory.restore(durableFacts);
  }

  /**
   * A run that has a process, or may have.
   *
   * @param hook null: the service's own command
   */
  record LiveRun(InstanceId instance, String runId, @Nullable Hook hook) {}

  /**
   * The runs of instances that have a process, or may have. A reload command comes before the
   * process that it reloads, which is not over before it.
   */
  List<LiveRun> runs() {
    List<LiveRun> runs = new ArrayList<>();
    for (String service : decided.graph().services().keySet()) {
      for (ServiceInstance instance : decided.instances(service)) {
        if (instance.reloadRun() != null) {
          runs.add(new LiveRun(instance.id(), instance.reloadRun(), Hook.RELOAD));
        }
        if (instance.runId() != null) {
          runs.add(new LiveRun(instance.id(), instance.runId(), instance.hook()));
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
