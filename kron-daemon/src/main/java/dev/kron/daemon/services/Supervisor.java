package dev.kron.daemon.services;

import dev.kron.daemon.loop.Writability;
import dev.kron.daemon.services.ServiceTurns.Turn;
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceEffect;
import dev.kron.service.ServiceEvent;
import dev.kron.service.ServiceSpec;
import dev.kron.service.SupervisionEvent;
import dev.kron.store.StateManager;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The services and how they move. Only the loop's thread calls it, and nothing in it waits.
 *
 * <p>All that happens within one turn of the loop is worked out in one go and written as one: the
 * file is durable before any effect of it begins, and what happens while it is being written waits
 * for the next. A write that fails is a turn that did not happen; what became of the processes is
 * then found out from their directories, as after a restart.
 */
public final class Supervisor implements Writability.Listener {
  private static final String UNWRITABLE = "state cannot be written";

  private final ServiceStates states;
  private final ServiceQueue queue;
  private final ServiceTurns turns;
  private final ServiceEffects effects;
  private final ServiceSaver saver;
  private final Writability writability;
  private final ServiceLog log;
  private final Set<String> recovering = new HashSet<>();
  private @Nullable Writing writing;
  private boolean halting;

  /** Something happened that could not be written; what it was is found out again. */
  private boolean lost;

  /** Writing did not work on the way down, and is not tried again. */
  private boolean writesNoMore;

  private record Writing(Turn turn, StateManager.Snapshot snapshot) {}

  Supervisor(
      ServiceStates states,
      ServiceQueue queue,
      ServiceTurns turns,
      ServiceEffects effects,
      ServiceSaver saver,
      Writability writability,
      ServiceLog log) {
    this.states = states;
    this.queue = queue;
    this.turns = turns;
    this.effects = effects;
    this.saver = saver;
    this.writability = writability;
    this.log = log;
  }

  /** Takes up what earlier daemons left; what is wanted up waits until that is settled. */
  void begin(ServiceRecovery.Found found) {
    states.begin(found);
    recover(found.toRecover());
  }

  /** Finds out what became of runs, then goes on. */
  private void recover(Map<InstanceId, String> toRecover) {
    recovering.clear();
    recovering.addAll(toRecover.values());
    toRecover.forEach(
        (id, runId) -> {
          ServiceSpec spec = states.decided().graph().services().get(id.service());
          if (spec != null) {
            effects.recover(id, spec, runId);
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
    queue.submit(new SupervisionEvent.Recovered());
    queue.submitRefusedReload();
  }

  public void handle(ServiceInput input) {
    switch (input) {
      case ServiceInput.Happened happened -> happened(happened);
      case ServiceInput.Waited(ServiceEffect.WakeAt wake) -> queue.timeOut(wake);
      case ServiceInput.Saved saved -> saved(saved.failure());
    }
  }

  /** Something happened to a process of a service. */
  private void happened(ServiceInput.Happened happened) {
    InstanceId id = happened.instance();
    RunFacts told = happened.facts();
    RunFacts present = states.memory().find(id);
    if (told != null && present != null && present.runId().equals(told.runId())) {
      states.memory().put(id, told);
    }
    queue.submit(new SupervisionEvent.Happened(id, happened.event()));
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
      case ServiceEvent.ReadySignalled _,
          ServiceEvent.HealthCheckPassed _,
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

  /** The machine or container goes down with this daemon. */
  public void halt(long untilBootMillis) {
    halting = true;
    writesNoMore |= !writability.isWritable();
    queue.submit(new SupervisionEvent.Halted(untilBootMillis));
    if (lost) {
      lost = false;
      recover(states.runs()); // some may have ended while that could not be written
    }
  }

  /** KILLs whatever is there, in no order, and waits for no disk: time is up. */
  public void killAll() {
    states.runs().values().forEach(effects::kill);
  }

  /** What taking over these files would do. */
  public ServicePlan plan(ServiceReading reading) {
    return ServicePlan.between(states.decided(), states.memory(), reading);
  }

  /** Takes over what the files say now. */
  public ServicePlan reload(ServiceReading reading) {
    ServicePlan plan = plan(reading);
    log.plan(plan);
    queue.reload(new SupervisionEvent.Reloaded(reading.specs(), Set.copyOf(plan.differing())));
    return plan;
  }

  /** Works out what has gathered, and sends it to the disk; at the end of every turn. */
  public void turn() {
    while (writing == null && !queue.isEmpty()) {
      if (!writability.isWritable() && !halting) {
        lost = true;
        queue.refuseAll(UNWRITABLE);
        return;
      }
      move();
    }
  }

  private void move() {
    Turn turn = turns.next();
    StateManager manager = states.memory().manager();
    if (!manager.isDirty()) {
      arrived(turn, true);
    } else if (writesNoMore) {
      arrived(turn, false);
    } else {
      writing = new Writing(turn, manager.snapshot());
      // First what takes longest and needs no processor.
      saver.save(writing.snapshot());
      effects.prepare(turn.after(), turn.launches());
    }
  }

  /** A turn came back from the disk. */
  private void saved(@Nullable String failure) {
    Writing written = writing;
    writing = null;
    if (written == null) {
      return;
    }
    if (failure == null) {
      states.memory().manager().written(written.snapshot());
      List<String> surplus = turns.takeSurplusRuns();
      arrived(written.turn(), true);
      surplus.forEach(effects::drop);
    } else {
      failed(written.turn(), failure);
    }
  }

  /**
   * @param durable whether it is on disk; otherwise the daemon goes down without one
   */
  private void arrived(Turn turn, boolean durable) {
    states.arrived(turn.after(), turn.facts());
    if (durable) {
      effects.launch(turn.after(), turn.launches());
    } else {
      turn.launches().forEach(this::forgo);
    }
    turn.changes().forEach(change -> log.changed(change.before(), change.after()));
    long late = states.now().bootMillis() - turn.decided().bootMillis();
    turn.effects().forEach(effect -> effects.perform(turn.after(), effect, late));
    states.showWhatIsDurable();
    for (ServiceQueue.Pending pending : turn.events()) {
      if (durable) {
        pending.done();
      } else {
        pending.refuse(UNWRITABLE);
      }
    }
  }

  /** Going down without a disk: the intent of this one is nowhere. */
  private void forgo(ServiceEffect.Launch launch) {
    effects.forgo(List.of(launch));
    // Not as one that never began: that would be begun again, and again.
    var failed = new ServiceEvent.SpawnFailed(launch.runId(), UNWRITABLE);
    queue.submit(new SupervisionEvent.Happened(launch.instance(), failed));
  }

  /**
   * The turn did not happen; nothing is begun until writing works again. Only who goes down with
   * everything does so all the same: no process is started then, and how each ended is on record in
   * its directory.
   */
  private void failed(Turn turn, String reason) {
    if (halting) {
      writability.failed(reason);
      writesNoMore = true;
      arrived(turn, false);
      return;
    }
    lost = true;
    states.undo();
    turns.takeSurplusRuns();
    effects.forgo(turn.launches());
    turn.events().forEach(pending -> queue.refuse(pending, reason));
    queue.refuseAll(reason);
    writability.failed(reason);
  }

  @Override
  public void unwritable() {
    writesNoMore |= halting;
  }

  /** Events of the time in which nothing could be written are found out from the directories. */
  @Override
  public void writableAgain() {
    if (lost && !halting) {
      lost = false;
      states.rememberAll();
      states.memory().manager().markDirty();
      recover(states.runs());
    }
  }

  /** Everything that it has decided is written, or will be. */
  public boolean isWriting() {
    return !writesNoMore;
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
    return states.decided().isAtRest();
  }

  /** Instances that have processes, or may have. */
  public List<String> left() {
    List<String> left = new ArrayList<>();
    states
        .runs()
        .forEach(
            (id, runId) -> {
              if (effects.mayBeThere(runId)) {
                left.add(id.toString());
              }
            });
    return left;
  }

  /** How a service ended for good, null while it may go on. */
  public @Nullable Integer exitCode(String service) {
    return ServiceExit.of(states.durable(), service);
  }
}
