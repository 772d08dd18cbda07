package dev.kron.daemon.services;

import dev.kron.daemon.loop.Writability;
import dev.kron.daemon.services.ServiceStates.LiveRun;
import dev.kron.daemon.services.ServiceTurns.Turn;
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceEffect;
import dev.kron.service.ServiceEvent;
import dev.kron.service.ServiceSpec;
import dev.kron.service.SupervisionEvent;
import dev.kron.service.TimeoutKind;
import dev.kron.store.StateManager;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The services and how they move. Only the loop's thread calls it, and nothing in it waits.
 *
 * <p>All events of one turn of the loop are decided together and written at once. The file is
 * durable before any effect begins; events that come while it is being written wait for the next
 * turn. If a write fails, the turn did not happen, and what became of the processes is found out
 * from their directories, as after a restart.
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

  /**
   * Whether an event could not be written, so that the fate of the processes has to be found out
   * again.
   */
  private boolean lost;

  /** Whether a write failed while everything goes down; then no other is tried. */
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

  /**
   * Begins with what earlier daemons left; services are started once the fate of their runs is
   * known.
   */
  void begin(ServiceRecovery.Found found) {
    states.begin(found);
    recover(states.runs());
    recoverAlerts();
  }

  /** Takes up the alerts that are owed and that nobody has in hand. */
  private void recoverAlerts() {
    states.memory().alerted().forEach(id -> effects.alert(states.decided(), id));
  }

  /** Finds out what became of runs, then goes on. */
  private void recover(List<LiveRun> toRecover) {
    recovering.clear();
    toRecover.forEach(run -> recovering.add(run.runId()));
    for (LiveRun run : toRecover) {
      ServiceSpec spec = states.decided().graph().services().get(run.instance().service());
      if (spec != null) {
        effects.recover(run, spec);
      } else {
        recovering.remove(run.runId());
      }
    }
    if (recovering.isEmpty()) {
      recovered();
    }
  }

  /** Starts what is wanted up. After a failed write this is called again once writing works. */
  private void recovered() {
    queue.submit(new SupervisionEvent.Recovered());
    queue.submitRefusedReload();
  }

  public void handle(ServiceInput input) {
    switch (input) {
      case ServiceInput.Happened happened -> happened(happened);
      case ServiceInput.Signalled(InstanceId instance, TimeoutKind kind, long atBootNanos) ->
          effects.signalled(instance, kind, atBootNanos);
      case ServiceInput.AlertOver(InstanceId instance, String runId) ->
          queue.settled(instance, runId);
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
          ServiceEvent.ReloadRequested _,
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

  /** Brings everything down: the machine or container ends with this daemon. */
  public void halt(long untilBootMillis) {
    halting = true;
    writesNoMore |= !writability.isWritable();
    queue.submit(new SupervisionEvent.Halted(untilBootMillis));
    if (lost) {
      lost = false;
      recover(states.runs()); // some may have ended while that could not be written
    }
  }

  /** Sends KILL to all services, in no order and without a write: the time is up. */
  public void killAll() {
    states.runs().forEach(run -> effects.kill(run.runId()));
  }

  /** The changes that a reload with these files would make. */
  public ServicePlan plan(ServiceReading reading) {
    return ServicePlan.between(states.decided(), states.memory(), reading);
  }

  /** Applies the files as they are now. */
  public ServicePlan reload(ServiceReading reading) {
    ServicePlan plan = plan(reading);
    log.plan(plan);
    queue.reload(new SupervisionEvent.Reloaded(reading.specs(), Set.copyOf(plan.differing())));
    return plan;
  }

  /**
   * Decides the waiting events and sends the result to the disk; called at the end of every turn of
   * the loop.
   */
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
      // The write comes first: it takes longest and needs no processor.
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
   * @param durable whether the turn is on disk; if not, the daemon goes down without it
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
    for (ServiceEffect effect : turn.effects()) {
      // What is not owed on disk could be told twice.
      if (durable || !(effect instanceof ServiceEffect.Alert)) {
        effects.perform(turn.after(), effect, late);
      }
    }
    states.showWhatIsDurable();
    for (ServiceQueue.Pending pending : turn.events()) {
      if (durable) {
        pending.done();
      } else {
        pending.refuse(UNWRITABLE);
      }
    }
  }

  /** Drops a launch whose intent could not be written while everything goes down. */
  private void forgo(ServiceEffect.Launch launch) {
    effects.forgo(List.of(launch));
    // Not reported as never begun: that would launch it again and again.
    var failed = new ServiceEvent.SpawnFailed(launch.runId(), UNWRITABLE);
    queue.submit(new SupervisionEvent.Happened(launch.instance(), failed));
  }

  /**
   * A turn could not be written, so it did not happen, and nothing begins until writing works
   * again. Stops are performed all the same while everything goes down: no process is started then,
   * and the directories record how each ended.
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

  /**
   * The disk takes writes again. Events that could not be written are found out from the
   * directories.
   */
  @Override
  public void writableAgain() {
    if (lost && !halting) {
      lost = false;
      states.rememberAll();
      states.memory().manager().markDirty();
      recover(states.runs());
      recoverAlerts();
    }
  }

  /** Whether all decisions are written or being written. */
  public boolean isWriting() {
    return !writesNoMore;
  }

  /** Whether events wait for the next turn only. */
  public boolean hasWork() {
    return writing == null && !queue.isEmpty();
  }

  /** Nothing is on its way to the disk. */
  public boolean quiet() {
    return writing == null && queue.isEmpty();
  }

  /** Whether no service has a process left. */
  public boolean isAtRest() {
    return states.decided().isAtRest();
  }

  /** Instances that have processes, or may have. */
  public List<String> left() {
    Set<String> left = new LinkedHashSet<>();
    for (LiveRun run : states.runs()) {
      if (effects.mayBeThere(run.runId())) {
        left.add(run.instance().toString());
      }
    }
    return List.copyOf(left);
  }

  /** The exit code of a service that has ended for good; null while it may go on. */
  public @Nullable Integer exitCode(String service) {
    return ServiceExit.of(states.durable(), service);
  }
}
