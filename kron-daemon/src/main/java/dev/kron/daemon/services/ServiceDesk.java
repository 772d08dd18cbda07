package dev.kron.daemon.services;

import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.ServiceRequest;
import dev.kron.service.ServiceInstance;
import dev.kron.service.ServiceSpec;
import dev.kron.service.SupervisionEvent;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Where operators ask for services; what is asked becomes events. For the loop's thread. */
final class ServiceDesk {
  private final ServiceStates states;
  private final ServiceQueue queue;
  private final ServiceRuns runs;
  private final ServiceLog log;

  ServiceDesk(ServiceStates states, ServiceQueue queue, ServiceRuns runs, ServiceLog log) {
    this.states = states;
    this.queue = queue;
    this.runs = runs;
    this.log = log;
  }

  /** What an operator asks. */
  void asked(ServiceRequest request, CompletableFuture<Answer> reply) {
    switch (request) {
      case ServiceRequest.Start(List<String> names) -> {
        if (known(names, reply)) {
          log.asked("start_requested", names);
          queue.submit(
              new SupervisionEvent.StartRequested(names), reply, "starting " + text(names));
        }
      }
      case ServiceRequest.Stop(List<String> names) -> {
        if (known(names, reply)) {
          log.asked("stop_requested", names);
          List<String> all = states.decided().graph().stoppedWith(names);
          queue.submit(new SupervisionEvent.StopRequested(names), reply, "stopping " + text(all));
        }
      }
      case ServiceRequest.Restart(List<String> names) -> {
        if (known(names, reply)) {
          log.asked("restart_requested", names);
          queue.submit(
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
      if (!states.decided().graph().services().containsKey(name)
          || states.decided().isLeaving(name)) {
        reply.complete(new Answer.Refused("there is no service " + name));
        return false;
      }
    }
    if (states.decided().isHalting()) {
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
    for (ServiceInstance instance : states.decided().instances(send.service())) {
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
    ServiceSpec spec = states.decided().graph().services().get(service);
    String before = spec == null ? null : states.memory().profile(spec);
    states.memory().bind(service, profile);
    String after = spec == null ? null : states.memory().profile(spec);
    log.asked(profile == null ? "credentials_unbound" : "credentials_bound", service);
    String names = after == null ? "no credentials" : "credentials " + after;
    boolean restart = !Objects.equals(before, after) && states.decided().isWanted(service);
    List<String> restarted = restart ? List.of(service) : List.of();
    queue.submit(
        new SupervisionEvent.RestartRequested(restarted), reply, service + " has " + names);
    queue.rebound(service);
  }
}
