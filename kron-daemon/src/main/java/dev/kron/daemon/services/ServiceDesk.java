package dev.kron.daemon.services;

import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.ServiceRequest;
import dev.kron.daemon.loop.ServiceRequest.OneInstance;
import dev.kron.service.Hook;
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceEvent;
import dev.kron.service.ServiceInstance;
import dev.kron.service.ServiceSpec;
import dev.kron.service.ServiceState;
import dev.kron.service.SupervisionEvent;
import dev.kron.service.SupervisionEvent.InstanceRequested;
import dev.kron.service.SupervisionState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The desk where operators' requests become events of services. Used on the loop's thread only. */
final class ServiceDesk {
  private final ServiceStates states;
  private final ServiceQueue queue;
  private final ServiceRuns runs;
  private final Supplier<String> runIds;
  private final ServiceLog log;

  ServiceDesk(
      ServiceStates states,
      ServiceQueue queue,
      ServiceRuns runs,
      Supplier<String> runIds,
      ServiceLog log) {
    this.states = states;
    this.queue = queue;
    this.runs = runs;
    this.runIds = runIds;
    this.log = log;
  }

  /** Takes an operator's request. */
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
      case ServiceRequest.OneInstance(String service, int index, OneInstance.Act act) ->
          instance(new InstanceId(service, index), act, reply);
      case ServiceRequest.Scale scale -> scale(scale, reply);
      case ServiceRequest.SendSignal send -> signal(send, reply);
      case ServiceRequest.Reload(String service, Integer instance) ->
          reload(service, instance, reply);
      case ServiceRequest.BindCredentials(String service, String profile) ->
          bind(service, profile, reply);
      case ServiceRequest.UnbindCredentials(String service) -> bind(service, null, reply);
    }
  }

  private void instance(InstanceId id, OneInstance.Act act, CompletableFuture<Answer> reply) {
    if (!known(List.of(id.service()), reply)) {
      return;
    }
    int size = states.decided().size(id.service());
    if (id.index() >= size) {
      reply.complete(
          new Answer.Refused(
              "there is no "
                  + id
                  + (size == 1
                      ? ": " + id.service() + " has one instance"
                      : ": %s has %s instances, from 0".formatted(id.service(), size))));
      return;
    }
    log.asked(act.name().toLowerCase(Locale.ROOT) + "_requested", id);
    String doing =
        switch (act) {
          case START -> "starting ";
          case STOP -> "stopping ";
          case RESTART -> "restarting ";
        };
    var meant = InstanceRequested.Act.valueOf(act.name());
    queue.submit(new InstanceRequested(id, meant), reply, doing + id);
  }

  private void scale(ServiceRequest.Scale scale, CompletableFuture<Answer> reply) {
    String service = scale.service();
    if (!known(List.of(service), reply)) {
      return;
    }
    SupervisionState decided = states.decided();
    ServiceSpec spec = decided.graph().services().get(service);
    if (spec == null || spec.isTarget()) {
      reply.complete(new Answer.Refused(service + " is a target, which has no processes"));
      return;
    }
    String what = effect(decided, service, scale.instances());
    if (scale.dryRun()) {
      reply.complete(new Answer.Done(what, null));
      return;
    }
    log.scaled(service, scale.instances());
    queue.submit(
        new SupervisionEvent.ScaleRequested(service, scale.instances()),
        reply,
        service + " has " + count(scale.instances()) + ": " + what);
  }

  private static String count(int instances) {
    return instances == 1 ? "1 instance" : instances + " instances";
  }

  /** The starts and stops that a number of instances means, by name. */
  private static String effect(SupervisionState decided, String service, int instances) {
    int before = decided.size(service);
    List<String> changed = new ArrayList<>();
    for (int i = Math.min(before, instances); i < Math.max(before, instances); i++) {
      changed.add(new InstanceId(service, i).toString());
    }
    if (changed.isEmpty()) {
      return "nothing changes";
    }
    if (instances < before) {
      return "stop " + text(changed);
    }
    return decided.isWanted(service)
        ? "start " + text(changed)
        : text(changed) + " are started with " + service + ", which is to be down";
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
    Integer only = send.instance();
    String name = only == null ? send.service() : send.service() + "@" + only;
    for (ServiceInstance instance : states.decided().instances(send.service())) {
      if (instance.runId() != null
          && instance.hook() == null
          && (only == null || only == instance.id().index())) {
        runs.signal(instance.runId(), send.signal());
        sent++;
      }
    }
    reply.complete(
        sent == 0
            ? new Answer.Refused(name + " has no process")
            : new Answer.Done("SIG" + send.signal() + " to " + name, null));
  }

  /** Runs the reload commands of the instances that are meant and running. */
  private void reload(String service, @Nullable Integer only, CompletableFuture<Answer> reply) {
    if (!known(List.of(service), reply)) {
      return;
    }
    ServiceSpec spec = states.decided().graph().services().get(service);
    if (spec == null || !spec.hooks().has(Hook.RELOAD)) {
      reply.complete(
          new Answer.Refused(
              service
                  + " has no reload command: give it one with reload = \"…\" under [hooks], or say"
                  + " kron restart "
                  + service));
      return;
    }
    List<InstanceId> meant = new ArrayList<>();
    for (ServiceInstance instance : states.decided().instances(service)) {
      if (only == null ? isRunning(instance) : only == instance.id().index()) {
        String problem = reloadProblem(instance);
        if (problem != null) {
          reply.complete(new Answer.Refused(problem));
          return;
        }
        meant.add(instance.id());
      }
    }
    if (meant.isEmpty()) {
      reply.complete(new Answer.Refused(service + " is not running"));
      return;
    }
    log.asked("reload_requested", meant);
    String first = null;
    for (int i = 0; i < meant.size(); i++) {
      String runId = runIds.get();
      first = first == null ? runId : first;
      InstanceId id = meant.get(i);
      var event = new SupervisionEvent.Happened(id, new ServiceEvent.ReloadRequested(runId));
      if (i < meant.size() - 1) {
        queue.submit(event);
      } else {
        queue.submit(event, reply, "reloading " + joined(meant), meant.size() == 1 ? first : null);
      }
    }
  }

  private static String joined(List<InstanceId> instances) {
    return instances.stream().map(InstanceId::toString).collect(Collectors.joining(", "));
  }

  private static boolean isRunning(ServiceInstance instance) {
    return instance.state().kind() == ServiceState.Kind.RUNNING;
  }

  private static @Nullable String reloadProblem(ServiceInstance instance) {
    if (!isRunning(instance)) {
      return instance.id() + " is " + instance.state().name() + ", not running";
    }
    return instance.reloadRun() == null
        ? null
        : "the reload command of " + instance.id() + " is running already";
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
