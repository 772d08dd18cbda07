package dev.kron.daemon.services;

import dev.kron.daemon.loop.Answer;
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceEffect;
import dev.kron.service.ServiceEvent;
import dev.kron.service.SupervisionEvent;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The events of services that wait for the next turn. Used on the loop's thread only. */
final class ServiceQueue {
  private final Deque<Pending> queue = new ArrayDeque<>();
  private final Set<String> rebound = new HashSet<>();
  private final List<Settled> settled = new ArrayList<>();

  /** The last reload that could not be written, until it is written or replaced by a later one. */
  private @Nullable SupervisionEvent refusedReload;

  /** An alert that is over; the next turn writes that it is not owed any more. */
  record Settled(InstanceId instance, String runId) {}

  /** An event that waits for its turn; {@code reply} is told when what it means is durable. */
  record Pending(
      SupervisionEvent event,
      @Nullable CompletableFuture<Answer> reply,
      @Nullable String answer,
      @Nullable String runId) {

    void refuse(String reason) {
      if (reply != null) {
        reply.complete(new Answer.Refused(reason));
      }
    }

    void done() {
      if (reply != null) {
        reply.complete(new Answer.Done(String.valueOf(answer), runId));
      }
    }
  }

  void submit(SupervisionEvent event) {
    queue.add(new Pending(event, null, null, null));
  }

  /**
   * @param answer what is replied once it is durable
   */
  void submit(SupervisionEvent event, CompletableFuture<Answer> reply, String answer) {
    submit(event, reply, answer, null);
  }

  /**
   * @param runId the run that it starts, or null
   */
  void submit(
      SupervisionEvent event,
      CompletableFuture<Answer> reply,
      String answer,
      @Nullable String runId) {
    queue.add(new Pending(event, reply, answer, runId));
  }

  /** A wait of an instance is over. */
  void timeOut(ServiceEffect.WakeAt wake) {
    var timeout = new ServiceEvent.Timeout(wake.kind());
    submit(new SupervisionEvent.Happened(wake.instance(), timeout));
  }

  /** Adds a reload. It replaces one that could not be written, which would undo it. */
  void reload(SupervisionEvent.Reloaded reloaded) {
    refusedReload = null;
    submit(reloaded);
  }

  /** A service has other credentials from now on; the next turn writes that. */
  void rebound(String service) {
    rebound.add(service);
  }

  Set<String> takeRebound() {
    Set<String> taken = new HashSet<>(rebound);
    rebound.clear();
    return taken;
  }

  void settled(InstanceId instance, String runId) {
    settled.add(new Settled(instance, runId));
  }

  List<Settled> takeSettled() {
    List<Settled> taken = List.copyOf(settled);
    settled.clear();
    return taken;
  }

  boolean isEmpty() {
    return queue.isEmpty() && settled.isEmpty();
  }

  @Nullable Pending poll() {
    return queue.poll();
  }

  /**
   * The next event of the present turn; null at its end. A reload begins a turn of its own, since
   * the events before it belong to the files as they were.
   */
  @Nullable Pending pollWithin() {
    Pending next = queue.peek();
    return next != null && next.event() instanceof SupervisionEvent.Reloaded ? null : queue.poll();
  }

  void refuseAll(String reason) {
    settled.clear(); // what is owed is looked at again once writing works
    for (Pending pending = queue.poll(); pending != null; pending = queue.poll()) {
      refuse(pending, reason);
    }
  }

  void refuse(Pending pending, String reason) {
    if (pending.event() instanceof SupervisionEvent.Reloaded reloaded) {
      refusedReload = reloaded; // the operator was told that the new files hold
    }
    pending.refuse(reason);
  }

  /** Tries the reload again that could not be written. */
  void submitRefusedReload() {
    SupervisionEvent reload = refusedReload;
    if (reload != null) {
      refusedReload = null;
      submit(reload);
    }
  }
}
