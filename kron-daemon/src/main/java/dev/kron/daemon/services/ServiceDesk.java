package dev.kron.daemon.services;

import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.ServiceRequest;
import dev.kron.service.ServiceInstance;
import dev.kron.service.ServiceSpec;
import dev.kron.service.SupervisionEvent;
import dev.kron.service.SupervisionState;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Where operators ask for services; what is asked becomes events. For the loop's thread. */
final class ServiceDesk {
  private final Supplier<SupervisionState> supervised;
  private final ServiceMemory memory;
  private final ServiceRuns runs;
  private final ServiceLog log;
  private final Supervisor supervisor;

  ServiceDesk(
      Supplier<SupervisionState> supervised,
      ServiceMemory memory,
      ServiceRuns runs,
      ServiceLog log,
      Supervisor supervisor) {
    this.supervised = supervised;
    this.memory = memory;
    this.runs = runs;
    this.log = log;
    this.supervisor = supervisor;
  }

  /** What an operator asks. */
  void asked(ServiceRequest request, CompletableFuture<Answer> reply) {
    switch (request) {
      case ServiceRequest.Start(List<String> names) -> {
        if (known(names, reply)) {
          log.asked("start_requested", names);
          supervisor.submit(
              new SupervisionEvent.StartRequested(names), reply, "starting " + text(names));
        }
      }
      case ServiceRequest.Stop(List<String> names) -> {
        if (known(names, reply)) {
          log.asked("stop_requested", names);
          List<String> all = supervised.get().graph().stoppedWith(names);
          supervisor.submit(
              new SupervisionEvent.StopRequested(names), reply, "stopping " + text(all));
        }
      }
      case ServiceRequest.Restart(List<String> names) -> {
        if (known(names, reply)) {
          log.asked("restart_requested", names);
          supervisor.submit(
              new SupervisionEvent.RestartRequested(names), reply, "restarting " + text(names));
        }
      }
      case ServiceRequest.SendSignal send -> signal(send, reply);
      case ServiceRequest.BindCredentials(String service, String profile) ->
          bind(service, profile, reply);
      case ServiceRequest.UnbindCredentials(String service) -> bind(service, null, reply);
    }
  }

  private boolean known(Collection<String> names, CompletableFuture<Answer> reply) {
    for (String name : names) {
      if (!supervised.get().graph().services().containsKey(name)
          || supervised.get().isLeaving(name)) {
        reply.complete(new Answer.Refused("there is no service " + name));
        return false;
      }
    }
    if (supervised.get().isHalting()) {
      reply.complete(new Answer.Refused("the daemon is stopping"));
      return false;
    }
    return true;
  }

  private static String text(Collection<String> names) {
    return String.join(", ", names);
  }

  private void signal(ServiceRequest.SendSignal send, CompletableFuture<Answer> reply) {
    if (!known(List.of(send.service()), reply)) {
      return;
    }
    int sent = 0;
    for (ServiceInstance instance : supervised.get().instances(send.service())) {
      if (instance.runId() != null) {
        runs.signal(instance.runId(), send.signal());
        sent++;
      }
    }
    reply.complete(
        sent == 0
            ? new Answer.Refused(send.service() + " has no process")
            : new Answer.Done("SIG" + send.signal() + " to " + send.service(), null));
  }

  private void bind(String service, @Nullable String profile, CompletableFuture<Answer> reply) {
    if (!known(List.of(service), reply)) {
      return;
    }
    ServiceSpec spec = supervised.get().graph().services().get(service);
    String before = spec == null ? null : memory.profile(spec);
    memory.bind(service, profile);
    String after = spec == null ? null : memory.profile(spec);
    log.asked(profile == null ? "credentials_unbound" : "credentials_bound", service);
    String names = after == null ? "no credentials" : "credentials " + after;
    boolean restart = !Objects.equals(before, after) && supervised.get().isWanted(service);
    List<String> restarted = restart ? List.of(service) : List.of();
    supervisor.submit(
        new SupervisionEvent.RestartRequested(restarted), reply, service + " has " + names);
    supervisor.rebound(service);
  }
}
