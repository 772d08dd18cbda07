package dev.kron.daemon.services;

import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.loop.ServiceRequest;
import dev.kron.daemon.loop.Timers;
import dev.kron.service.InstanceId;
import dev.kron.service.Moment;
import dev.kron.service.ServiceEffect;
import dev.kron.service.ServiceEvent;
import dev.kron.service.ServiceInstance;
import dev.kron.service.ServiceSpec;
import dev.kron.service.Supervision;
import dev.kron.service.SupervisionEvent;
import dev.kron.service.SupervisionState;
import dev.kron.service.SupervisionStep;
import dev.kron.store.DiskException;
import dev.kron.store.StateManager;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The services and how they move. Only the loop's thread calls it, and nothing in it waits.
 *
 * <p>All that happens within one turn of the loop is worked out in one go and written as one: the
 * file is durable before any effect of it begins, and what happens while it is being written waits
 * for the next. A write that fails is a turn that did not happen; what became of the processes is
 * then found out from their directories, as after a restart.
 */
public final class Supervisor {
  private static final long PROBE_AGAIN_MILLIS = 1_000;

  private final Clocks clocks;
  private final ServiceRuns runs;
  private final ServiceEffects deeds;
  private final ServiceDesk desk;
  private final ServiceMemory memory;
  private final Errands errands;
  private final Consumer<ServiceInput> inbox;
  private final Runnable probeDisk;
  private final ServiceLog log;
  private final Supplier<String> runIds;
  private final Deque<Pending> queue = new ArrayDeque<>();
  private final Set<String> recovering = new HashSet<>();
  private final Set<String> rebound = new HashSet<>();
  private final List<String> surplusRuns = new ArrayList<>();

  /** The last reload that could not be written, until it is or a later one takes its place. */
  private @Nullable SupervisionEvent reloadLater;

  private SupervisionState supervised = SupervisionState.empty();
  private SupervisionState durable = SupervisionState.empty();
  private ServiceMemory.Facts durableFacts = ServiceMemory.Facts.NONE;
  private volatile View view = new View(SupervisionState.empty(), ServiceMemory.Facts.NONE);
  private @Nullable Batch writing;
  private boolean writable = true;

  /** Why the last write failed; null from the next one on that does not. */
  private @Nullable String trouble;

  /** Services that are wanted up and are not, since which moment of the boot clock. */
  private final Map<String, Long> downSince = new HashMap<>();

  private boolean halting;

  /** Something that waits for its turn; {@code reply} is told when what it means is durable. */
  private record Pending(
      SupervisionEvent event, @Nullable CompletableFuture<Answer> reply, @Nullable String answer) {}

  /** One instance before and after something happened. */
  private record Change(@Nullable ServiceInstance before, @Nullable ServiceInstance after) {}

  /** A turn on its way to the disk, with what may be done once it has arrived there. */
  private record Batch(
      Moment decided,
      SupervisionState after,
      ServiceMemory.Facts facts,
      List<Change> changes,
      List<ServiceEffect> effects,
      List<Pending> events,
      StateManager.@Nullable Snapshot snapshot) {

    List<ServiceEffect.Launch> launches() {
      return effects.stream()
          .filter(ServiceEffect.Launch.class::isInstance)
          .map(ServiceEffect.Launch.class::cast)
          .toList();
    }
  }

  Supervisor(
      Clocks clocks,
      Timers timers,
      ServiceRuns runs,
      Prober prober,
      ServiceMemory memory,
      Errands errands,
      Consumer<ServiceInput> inbox,
      Runnable probeDisk,
      ServiceLog log,
      Supplier<String> runIds) {
    this.clocks = clocks;
    this.runs = runs;
    this.memory = memory;
    this.errands = errands;
    this.inbox = inbox;
    this.probeDisk = probeDisk;
    this.log = log;
    this.runIds = runIds;
    this.deeds = new ServiceEffects(timers, runs, prober, memory, log, this::timeOut);
    this.desk = new ServiceDesk(() -> supervised, memory, runs, log, this);
  }

  /** All that can be seen of services, as of one moment; immutable. */
  public record View(SupervisionState supervised, ServiceMemory.Facts facts) {}

  /** What is durable of services; for any thread. */
  public View view() {
    return view;
  }

  /** Takes up what earlier daemons left; what is wanted up waits until that is settled. */
  void begin(ServiceRecovery.Found found) {
    supervised = found.supervised();
    durable = supervised;
    memory.restore(new ServiceMemory.Facts(found.facts(), found.bindings()));
    durableFacts = memory.facts();
    view = new View(durable, durableFacts);
    memory.forgetOthers(supervised.graph().services().keySet());
    rememberAll();
    noteWhoIsDown();
    recover(found.toRecover());
  }

  private void rememberAll() {
    Set<InstanceId> all = new LinkedHashSet<>();
    for (String service : supervised.graph().services().keySet()) {
      supervised.instances(service).forEach(instance -> all.add(instance.id()));
    }
    memory.remember(supervised, all, supervised.graph().services().keySet(), now());
  }

  /** Finds out what became of runs, then goes on. */
  private void recover(Map<InstanceId, String> toRecover) {
    recovering.clear();
    recovering.addAll(toRecover.values());
    toRecover.forEach(
        (id, runId) -> {
          ServiceSpec spec = supervised.graph().services().get(id.service());
          if (spec != null) {
            runs.recover(id, spec, runId, memory.keeper(id, runId));
          } else {
            recovering.remove(runId);
          }
        });
    if (recovering.isEmpty()) {
      recovered();
    }
  }

  /** Begins what is wanted up; a write that fails comes here again when writing works. */
  private void recovered() {
    submit(new SupervisionEvent.Recovered(), null, null);
    SupervisionEvent reload = reloadLater;
    if (reload != null) {
      reloadLater = null;
      submit(reload, null, null);
    }
  }

  public void handle(ServiceInput input) {
    switch (input) {
      case ServiceInput.Happened happened -> happened(happened);
      case ServiceInput.Saved saved -> saved(saved.failure());
    }
  }

  /** Something happened to a process of a service. */
  private void happened(ServiceInput.Happened happened) {
    InstanceId id = happened.instance();
    RunFacts told = happened.facts();
    RunFacts present = memory.find(id);
    if (told != null && present != null && present.runId().equals(told.runId())) {
      memory.put(id, told);
    }
    submit(new SupervisionEvent.Happened(id, happened.event()), null, null);
    String runId = runId(happened.event());
    if (runId != null && recovering.remove(runId)) {
      log.recovered(id, happened.event());
      if (recovering.isEmpty()) {
        recovered();
      }
    }
  }

  private static @Nullable String runId(ServiceEvent event) {
    return switch (event) {
      case ServiceEvent.ProcessSpawned spawned -> spawned.runId();
      case ServiceEvent.ProcessExited exited -> exited.runId();
      case ServiceEvent.SpawnFailed failed -> failed.runId();
      case ServiceEvent.NeverBegan neverBegan -> neverBegan.runId();
      case ServiceEvent.HealthCheckPassed _,
          ServiceEvent.HealthCheckFailed _,
          ServiceEvent.HealthCheckNotAsked _,
          ServiceEvent.StartRequested _,
          ServiceEvent.StopRequested _,
          ServiceEvent.DependencySatisfied _,
          ServiceEvent.DependencyFailed _,
          ServiceEvent.DependencyLost _,
          ServiceEvent.ConflictEnded _,
          ServiceEvent.Timeout _,
          ServiceEvent.Recovered _,
          ServiceEvent.Reconfigured _ ->
          null;
    };
  }

  /** What an operator asks. */
  public void asked(ServiceRequest request, CompletableFuture<Answer> reply) {
    desk.asked(request, reply);
  }

  /** A service has other credentials from now on: to be written down with the next turn. */
  void rebound(String service) {
    rebound.add(service);
  }

  /** The machine or container goes down with this daemon. */
  public void halt(long untilBootMillis) {
    halting = true;
    submit(new SupervisionEvent.Halted(untilBootMillis), null, null);
  }

  /** KILLs whatever is there, in no order, and waits for no disk: time is up. */
  public void killAll() {
    for (String service : supervised.graph().services().keySet()) {
      for (ServiceInstance instance : supervised.instances(service)) {
        if (instance.runId() != null) {
          runs.kill(instance.runId());
        }
      }
    }
  }

  /** Instances that have processes, or may have. */
  public List<String> left() {
    List<String> left = new ArrayList<>();
    for (String service : supervised.graph().services().keySet()) {
      for (ServiceInstance instance : supervised.instances(service)) {
        if (instance.runId() != null) {
          left.add(instance.id().toString());
        }
      }
    }
    return left;
  }

  /** What taking over these files would do. */
  public ServicePlan plan(ServiceReading reading) {
    return ServicePlan.between(supervised, memory, reading);
  }

  /** Takes over what the files say now. */
  public ServicePlan reload(ServiceReading reading) {
    ServicePlan plan = plan(reading);
    log.plan(plan);
    reloadLater = null; // else what was read before would come after this, and undo it
    submit(
        new SupervisionEvent.Reloaded(reading.specs(), Set.copyOf(plan.restarted())), null, null);
    return plan;
  }

  void submit(
      SupervisionEvent event, @Nullable CompletableFuture<Answer> reply, @Nullable String answer) {
    queue.add(new Pending(event, reply, answer));
  }

  /** Works out what has gathered, and sends it to the disk; at the end of every turn. */
  public void turn() {
    while (writing == null && !queue.isEmpty()) {
      if (!writable && !halting) {
        refuseAll("state cannot be written");
        return;
      }
      move();
    }
  }

  private void move() {
    Moment now = now();
    Set<InstanceId> changed = new LinkedHashSet<>();
    Set<String> services = new HashSet<>(rebound);
    rebound.clear();
    Set<String> removed = new LinkedHashSet<>();
    List<Change> changes = new ArrayList<>();
    List<ServiceEffect> effects = new ArrayList<>();
    List<Pending> events = new ArrayList<>();
    for (Pending pending = queue.poll(); pending != null; pending = next()) {
      SupervisionStep step = Supervision.step(supervised, pending.event(), now, runIds);
      changes(supervised, step, changes);
      removals(supervised, step, pending.event() instanceof SupervisionEvent.Reloaded, changes);
      supervised = step.supervised();
      changed.addAll(step.changed());
      services.addAll(step.wanted());
      removed.addAll(step.removed());
      if (pending.event() instanceof SupervisionEvent.Reloaded) {
        services.addAll(supervised.graph().services().keySet());
        changed.addAll(memory.all()); // those that are no more among them
      }
      gather(step.effects(), effects, now);
      events.add(pending);
    }
    intend(effects, now);
    memory.remember(supervised, changed, services, now);
    removed.forEach(memory::removeService);
    boolean dirty = memory.manager().isDirty();
    StateManager.Snapshot snapshot = dirty && writable ? memory.manager().snapshot() : null;
    var batch = new Batch(now, supervised, memory.facts(), changes, effects, events, snapshot);
    if (snapshot != null) {
      write(batch, snapshot);
    } else {
      arrived(batch);
    }
  }

  /** A reload goes with nothing before it: that was decided by the files as they were. */
  private @Nullable Pending next() {
    Pending next = queue.peek();
    return next != null && next.event() instanceof SupervisionEvent.Reloaded ? null : queue.poll();
  }

  private static void changes(SupervisionState before, SupervisionStep step, List<Change> changes) {
    for (InstanceId id : step.changed()) {
      changes.add(new Change(before.instance(id), step.supervised().instance(id)));
    }
  }

  /** Removed services are reported even if they had already ended. */
  private static void removals(
      SupervisionState before, SupervisionStep step, boolean reloaded, List<Change> changes) {
    Set<String> services = reloaded ? before.graph().services().keySet() : step.removed();
    for (String service : services) {
      for (ServiceInstance instance : before.instances(service)) {
        if (step.supervised().instance(instance.id()) == null
            && !step.changed().contains(instance.id())) {
          changes.add(new Change(instance, null));
        }
      }
    }
  }

  /** A wait that is over before it began need not wait for the disk twice. */
  private void gather(List<ServiceEffect> from, List<ServiceEffect> effects, Moment now) {
    for (ServiceEffect effect : from) {
      if (effect instanceof ServiceEffect.WakeAt wake && wake.bootMillis() <= now.bootMillis()) {
        timeOut(wake);
      } else {
        effects.add(effect);
      }
    }
  }

  private void timeOut(ServiceEffect.WakeAt wake) {
    var timeout = new ServiceEvent.Timeout(wake.kind());
    submit(new SupervisionEvent.Happened(wake.instance(), timeout), null, null);
  }

  /**
   * Whatever is to be launched is known by its run from here on; the run before it is not needed.
   */
  private void intend(List<ServiceEffect> effects, Moment now) {
    for (ServiceEffect effect : effects) {
      if (effect instanceof ServiceEffect.Launch launch) {
        ServiceSpec spec = supervised.graph().services().get(launch.instance().service());
        String profile = spec == null ? null : memory.profile(spec);
        RunFacts old =
            memory.put(
                launch.instance(), RunFacts.intended(launch.runId(), now.epochMillis(), profile));
        if (old != null) {
          surplusRuns.add(old.runId());
        }
      }
    }
  }

  private void write(Batch batch, StateManager.Snapshot snapshot) {
    writing = batch;
    // First what takes longest and needs no processor.
    errands.execute(
        Errands.Place.SAVE_SERVICES,
        () -> {
          try {
            snapshot.write();
            inbox.accept(new ServiceInput.Saved(null));
          } catch (DiskException e) {
            inbox.accept(new ServiceInput.Saved(String.valueOf(e.getMessage())));
          }
        },
        thrown -> inbox.accept(new ServiceInput.Saved(Errands.reason(thrown))));
    deeds.prepare(batch.after(), batch.launches());
  }

  /** A turn came back from the disk. */
  private void saved(@Nullable String failure) {
    Batch batch = writing;
    writing = null;
    if (batch == null) {
      return;
    }
    if (failure == null) {
      if (trouble != null) {
        trouble = null;
        log.persistenceRestored();
      }
      if (batch.snapshot() != null) {
        memory.manager().written(batch.snapshot());
      }
      List<String> surplus = List.copyOf(surplusRuns);
      surplusRuns.clear();
      arrived(batch);
      surplus.forEach(runs::drop);
    } else {
      failed(batch, failure);
    }
  }

  private void arrived(Batch batch) {
    durable = batch.after();
    durableFacts = batch.facts();
    if (writable) {
      deeds.launch(durable, batch.launches());
    } else {
      batch.launches().forEach(this::forgo);
    }
    batch.changes().forEach(change -> log.changed(change.before(), change.after()));
    long late = now().bootMillis() - batch.decided().bootMillis();
    batch.effects().forEach(effect -> deeds.perform(durable, effect, late));
    view = new View(durable, durableFacts);
    noteWhoIsDown();
    for (Pending pending : batch.events()) {
      CompletableFuture<Answer> reply = pending.reply();
      if (reply != null) {
        reply.complete(
            writable
                ? new Answer.Done(String.valueOf(pending.answer()), null)
                : new Answer.Refused("state cannot be written"));
      }
    }
  }

  /** Going down without a disk: the intent of this one is nowhere. */
  private void forgo(ServiceEffect.Launch launch) {
    deeds.forgo(List.of(launch));
    // Not as one that never began: that would be begun again, and again.
    var failed = new ServiceEvent.SpawnFailed(launch.runId(), "state cannot be written");
    submit(new SupervisionEvent.Happened(launch.instance(), failed), null, null);
  }

  /**
   * The turn did not happen; nothing is begun until writing works again. Only who goes down with
   * everything does so all the same: no process is started then, and how each ended is on record in
   * its directory.
   */
  private void failed(Batch batch, String reason) {
    boolean again = trouble != null;
    trouble = reason;
    if (!again) {
      log.persistenceFailed(reason);
    }
    if (halting) {
      writable = false;
      arrived(batch);
      return;
    }
    supervised = durable;
    memory.restore(durableFacts);
    surplusRuns.clear();
    deeds.forgo(batch.launches());
    for (Pending pending : batch.events()) {
      refuse(pending, reason);
    }
    refuseAll(reason);
    if (writable) {
      writable = false;
      if (again) {
        errands.after( // elsewhere on the disk it may be well
            PROBE_AGAIN_MILLIS, Errands.Place.PROBE_DISK, probeDisk, thrown -> probeDisk.run());
      } else {
        probeDisk.run();
      }
    }
  }

  /** Nothing is begun until writing works again. */
  public void unwritable(String reason) {
    if (writable && !halting) {
      writable = false;
      log.persistenceFailed(reason);
      probeDisk.run();
    }
  }

  private void refuseAll(String reason) {
    for (Pending pending = queue.poll(); pending != null; pending = queue.poll()) {
      refuse(pending, reason);
    }
  }

  private void refuse(Pending pending, String reason) {
    if (pending.event() instanceof SupervisionEvent.Reloaded reloaded) {
      reloadLater = reloaded; // what the files say holds, and was told to be so
    }
    CompletableFuture<Answer> reply = pending.reply();
    if (reply != null) {
      reply.complete(new Answer.Refused(reason));
    }
  }

  public boolean writable() {
    return writable;
  }

  /** Why state cannot be written; null where it can. */
  public @Nullable String trouble() {
    return trouble;
  }

  private void noteWhoIsDown() {
    long now = now().bootMillis();
    downSince.keySet().retainAll(durable.wanted());
    for (String service : durable.wanted()) {
      if (durable.isUp(service)) {
        downSince.remove(service);
      } else {
        downSince.putIfAbsent(service, now);
      }
    }
  }

  /** Services that are wanted up and are not, and for how long. */
  public Map<String, Long> downMillis() {
    long now = now().bootMillis();
    Map<String, Long> down = new HashMap<>();
    downSince.forEach((service, since) -> down.put(service, now - since));
    return down;
  }

  /** Something waits for a turn, and for nothing else. */
  public boolean hasWork() {
    return writing == null && !queue.isEmpty();
  }

  /** Nothing is on its way to the disk. */
  public boolean quiet() {
    return writing == null && queue.isEmpty();
  }

  /** Nothing of any service is there any more. */
  public boolean isAtRest() {
    return supervised.isAtRest();
  }

  /** How a service ended for good, null while it may go on. */
  public @Nullable Integer exitCode(String service) {
    return ServiceExit.of(durable, service);
  }

  /** Writing works again: what happened meanwhile is found out from the directories. */
  public void writableAgain() {
    if (writable || halting) {
      return;
    }
    writable = true;
    rememberAll();
    memory.manager().markDirty();
    Map<InstanceId, String> toRecover = new LinkedHashMap<>();
    for (String service : supervised.graph().services().keySet()) {
      for (ServiceInstance instance : supervised.instances(service)) {
        if (instance.runId() != null) {
          toRecover.put(instance.id(), instance.runId());
        }
      }
    }
    recover(toRecover);
  }

  private Moment now() {
    return new Moment(clocks.wallMillis(), clocks.bootNanos() / 1_000_000L);
  }
}
