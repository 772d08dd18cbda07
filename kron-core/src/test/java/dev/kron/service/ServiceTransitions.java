package dev.kron.service;

import static dev.kron.service.ServiceInstance.NONE;
import static dev.kron.service.Specs.oneshot;
import static dev.kron.service.Specs.service;
import static dev.kron.service.Specs.target;

import dev.kron.service.Lifecycle.Restart;
import dev.kron.service.ServiceEvent.ConflictEnded;
import dev.kron.service.ServiceEvent.DependencyFailed;
import dev.kron.service.ServiceEvent.DependencyLost;
import dev.kron.service.ServiceEvent.DependencySatisfied;
import dev.kron.service.ServiceEvent.HealthCheckFailed;
import dev.kron.service.ServiceEvent.HealthCheckNotAsked;
import dev.kron.service.ServiceEvent.HealthCheckPassed;
import dev.kron.service.ServiceEvent.NeverBegan;
import dev.kron.service.ServiceEvent.ProcessExited;
import dev.kron.service.ServiceEvent.ProcessSpawned;
import dev.kron.service.ServiceEvent.ReadySignalled;
import dev.kron.service.ServiceEvent.Reconfigured;
import dev.kron.service.ServiceEvent.Recovered;
import dev.kron.service.ServiceEvent.ReloadRequested;
import dev.kron.service.ServiceEvent.SpawnFailed;
import dev.kron.service.ServiceEvent.StartRequested;
import dev.kron.service.ServiceEvent.StopRequested;
import dev.kron.service.ServiceEvent.Timeout;
import dev.kron.service.ServiceState.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What the machine does with one instance, as a table that is executed and drawn. */
final class ServiceTransitions {
  static final long NOW = 1_000_000;
  static final long EPOCH = 1_800_000_000_000L;
  private static final InstanceId ID = new InstanceId("web", 0);
  private static final ServiceSpec SIMPLE = service("web").make();
  private static final ServiceSpec CHECKED = service("web").checked().make();
  private static final ServiceSpec REPORTING = service("web").reporting().checked().make();
  private static final ServiceSpec ONESHOT = oneshot("web").make();
  private static final ServiceSpec TARGET = target("web").make();
  private static final ServiceSpec CODES =
      Specs.service("web").exitCodes(Set.of(75), Set.of(78)).make();
  private static final ServiceSpec NEVER = service("web").restart(Restart.NEVER).make();
  private static final ServiceSpec HOOKED = service("web").hooked().make();
  private static final ServiceSpec ALWAYS = service("web").restart(Restart.ALWAYS).make();

  /**
   * @param when what about the event or the instance decides
   * @param meaning what is done, "nothing" where the event is ignored, "written" where only the
   *     instance changes
   */
  record Transition(
      ServiceInstance from,
      ServiceContext around,
      ServiceEvent event,
      String when,
      Kind to,
      String meaning) {
    Kind kind() {
      return from.state().kind();
    }

    String eventName() {
      return event instanceof Timeout timeout
          ? "Timeout " + timeout.kind()
          : event.getClass().getSimpleName();
    }

    @Override
    public String toString() {
      return kind().text() + " " + eventName() + (when.isEmpty() ? "" : ", " + when);
    }
  }

  /** Every pair of a state and an event is in it; {@link ServiceTransitionsTest} sees to that. */
  static final List<Transition> ALL = new ServiceTransitions().all();

  private final List<Transition> table = new ArrayList<>();
  private ServiceInstance from = ServiceInstance.inactive(ID, SIMPLE);
  private ServiceSpec spec = SIMPLE;

  private ServiceTransitions() {}

  private List<Transition> all() {
    inactive();
    blocked();
    starting();
    running();
    stopping();
    exited();
    failed();
    beforeStart();
    reload();
    afterStop();
    return List.copyOf(table);
  }

  private void inactive() {
    from = instance(SIMPLE, new ServiceState.Inactive(), null);
    row(new StartRequested(), "nothing in its way", Kind.STARTING, "Launch");
    waiting(new StartRequested(), "something in its way", Kind.BLOCKED, "written");
    culprit(new StartRequested(), "what it requires has given up", Kind.FAILED, "Alert");
    of(TARGET).row(new StartRequested(), "a target", Kind.RUNNING, "written");
    of(SIMPLE).unwanted(new StopRequested(), "", Kind.INACTIVE, "nothing");
    ignoresProcesses("it has no process");
    ignoresDependencies("it waits for nobody");
    ignoresTimeouts();
    row(new ReloadRequested("re"), "it is not running", Kind.INACTIVE, "nothing");
    unwanted(new Recovered(), "not wanted up", Kind.INACTIVE, "nothing");
    row(new Recovered(), "wanted up", Kind.STARTING, "Launch");
    waiting(new Recovered(), "wanted up, something in its way", Kind.BLOCKED, "written");
    row(new Reconfigured(), "", Kind.INACTIVE, "nothing");
  }

  private void blocked() {
    from = instance(SIMPLE, new ServiceState.Blocked(List.of("db"), List.of("batch")), null);
    waiting(new StartRequested(), "", Kind.BLOCKED, "nothing");
    unwanted(new StopRequested(), "", Kind.INACTIVE, "written");
    ignoresProcesses("it has no process");
    row(new DependencySatisfied("db"), "the last one", Kind.STARTING, "Launch");
    waiting(new DependencySatisfied("dns"), "not the last one", Kind.BLOCKED, "written");
    of(TARGET)
        .row(new DependencySatisfied("db"), "the last one, a target", Kind.RUNNING, "written");
    of(SIMPLE).culprit(new DependencyFailed("db"), "", Kind.FAILED, "Alert");
    waiting(new DependencyLost("dns"), "", Kind.BLOCKED, "written");
    row(new ConflictEnded("batch"), "the last one", Kind.STARTING, "Launch");
    waiting(new ConflictEnded("batch"), "not the last one", Kind.BLOCKED, "written");
    ignoresTimeouts();
    row(new ReloadRequested("re"), "it is not running", Kind.BLOCKED, "nothing");
    row(new Recovered(), "nothing in its way any more", Kind.STARTING, "Launch");
    waiting(new Reconfigured(), "something in its way", Kind.BLOCKED, "written");
  }

  private void starting() {
    from = due(instance(CHECKED, new ServiceState.Starting(null, EPOCH), "run"));
    of(CHECKED).row(new StartRequested(), "", Kind.STARTING, "nothing");
    unwanted(new StopRequested(), "", Kind.STOPPING, "Terminate, WakeAt");
    row(new ProcessSpawned("run", 7, 0), "with a check", Kind.STARTING, "Probe");
    of(ONESHOT).row(new ProcessSpawned("run", 7, 0), "a oneshot", Kind.STARTING, "written");
    of(SIMPLE)
        .row(new ProcessSpawned("run", 7, 0), "without a check", Kind.RUNNING, "WakeAt, WakeAt");
    of(CHECKED).row(new ProcessSpawned("old", 7, 0), "a late answer", Kind.STARTING, "nothing");
    row(new SpawnFailed("run", "not found"), "", Kind.FAILED, "Log, WakeAt");
    row(new NeverBegan("run"), "", Kind.STARTING, "Launch");
    halting(new NeverBegan("run"), "everything goes down", Kind.EXITED, "written");
    of(ONESHOT).row(exit(0), "0, a oneshot's success", Kind.EXITED, "written");
    of(CHECKED).row(exit(0), "0, before it was ready", Kind.EXITED, "written");
    row(exit(3), "not 0", Kind.FAILED, "Log, WakeAt");
    of(CODES).row(exit(75), "a code that is a success", Kind.EXITED, "written");
    of(CHECKED).row(signal(9), "a signal", Kind.FAILED, "Log, WakeAt");
    row(new ProcessExited("run", null, null), "nobody knows how", Kind.EXITED, "Log, WakeAt");
    row(new ReadySignalled("run"), "not asked for", Kind.STARTING, "nothing");
    row(new HealthCheckPassed("run"), "", Kind.RUNNING, "WakeAt, WakeAt");
    row(new HealthCheckFailed("run", 1), "not ready yet", Kind.STARTING, "WakeAt");
    row(new HealthCheckNotAsked("run"), "asked later", Kind.STARTING, "WakeAt");
    ignoresDependencies("it was let through");
    row(timeout(TimeoutKind.START), "", Kind.FAILED, "Terminate, WakeAt, Log");
    row(timeout(TimeoutKind.STOP), "an older wait", Kind.STARTING, "nothing");
    ignoresHooks("it is not running", "an older wait");
    from = probing(from);
    row(timeout(TimeoutKind.HEALTH_CHECK), "", Kind.STARTING, "Probe");
    row(timeout(TimeoutKind.RESTART_DELAY), "an older wait", Kind.STARTING, "nothing");
    row(timeout(TimeoutKind.UPTIME), "an older wait", Kind.STARTING, "nothing");
    row(timeout(TimeoutKind.STABLE), "an older wait", Kind.STARTING, "nothing");
    row(new Recovered(), "", Kind.STARTING, "WakeAt");
    from = instance(CHECKED, new ServiceState.Starting(null, EPOCH), "run");
    row(new ProcessSpawned("run", 7, 0), "its time begins", Kind.STARTING, "WakeAt, Probe");
    row(new Recovered(), "its process is to come", Kind.STARTING, "nothing");
    from = due(instance(CHECKED, new ServiceState.Starting(7, EPOCH), "run"));
    of(SIMPLE).row(new Reconfigured(), "it has no check any more", Kind.RUNNING, "WakeAt, WakeAt");
    of(REPORTING).row(new ProcessSpawned("run", 7, 0), "it reports", Kind.STARTING, "Listen");
    row(new ProcessSpawned("run", 7, 1, true), "found again", Kind.STARTING, "Listen");
    row(new ReadySignalled("run"), "", Kind.RUNNING, "WakeAt, WakeAt");
    row(new ReadySignalled("old"), "a late answer", Kind.STARTING, "nothing");
    row(timeout(TimeoutKind.START), "it never reported", Kind.FAILED, "Terminate, WakeAt, Log");
    row(new Recovered(), "it reports", Kind.STARTING, "WakeAt, Listen");
    row(new Reconfigured(), "it reports", Kind.STARTING, "nothing");
    from = adopted(from);
    row(
        timeout(TimeoutKind.START),
        "its report may have been missed",
        Kind.RUNNING,
        "WakeAt, WakeAt");
    from = due(instance(CHECKED, new ServiceState.Starting(7, EPOCH), "run"));
    of(TARGET).row(new Reconfigured(), "a target now", Kind.STOPPING, "Terminate, WakeAt");
    row(new Recovered(), "a target now", Kind.STOPPING, "Terminate, WakeAt");
  }

  private void running() {
    from = instance(SIMPLE, new ServiceState.Running(7, EPOCH), "run");
    of(SIMPLE).row(new StartRequested(), "", Kind.RUNNING, "nothing");
    unwanted(new StopRequested(), "", Kind.STOPPING, "Terminate, WakeAt");
    row(new StopRequested(), "wanted up: a restart", Kind.STOPPING, "Terminate, WakeAt");
    row(new ProcessSpawned("run", 8, 0), "adopted", Kind.RUNNING, "written");
    row(new SpawnFailed("run", "not found"), "found out late", Kind.FAILED, "Log, WakeAt");
    row(new NeverBegan("run"), "found out late", Kind.STARTING, "Launch");
    row(exit(0), "0", Kind.EXITED, "written");
    of(ALWAYS).row(exit(0), "0, restart always", Kind.EXITED, "Log, WakeAt");
    of(CODES).row(exit(75), "a code that is a success", Kind.EXITED, "written");
    row(exit(78), "a code that is not restarted", Kind.FAILED, "Alert");
    of(SIMPLE).row(exit(3), "not 0", Kind.FAILED, "Log, WakeAt");
    row(signal(11), "a signal", Kind.FAILED, "Log, WakeAt");
    halting(new StopRequested(), "everything goes down", Kind.STOPPING, "Terminate, WakeAt");
    row(new ProcessExited("run", null, null), "nobody knows how", Kind.EXITED, "Log, WakeAt");
    of(NEVER).row(exit(3), "not 0, restart never", Kind.FAILED, "Alert");
    of(SIMPLE).unwanted(exit(3), "not 0, not wanted up", Kind.FAILED, "written");
    row(new ProcessExited("old", 1, null), "told twice", Kind.RUNNING, "nothing");
    ServiceInstance plain = from;
    from = restarted(from, 10);
    row(exit(3), "not 0, the eleventh time", Kind.FAILED, "Log, Alert");
    from = plain;
    of(REPORTING).row(new ReadySignalled("run"), "said before", Kind.RUNNING, "nothing");
    row(new Recovered(), "it reports", Kind.RUNNING, "Listen, Probe");
    of(CHECKED).row(new HealthCheckPassed("run"), "", Kind.RUNNING, "WakeAt");
    row(new HealthCheckFailed("run", 1), "not the last attempt", Kind.RUNNING, "WakeAt");
    row(new HealthCheckNotAsked("run"), "asked later", Kind.RUNNING, "WakeAt");
    row(new HealthCheckNotAsked("old"), "a late answer", Kind.RUNNING, "nothing");
    row(new HealthCheckFailed("run", 3), "another passed since", Kind.RUNNING, "nothing");
    from = plain.toBuilder(plain.state()).failedProbes(2).build();
    row(new HealthCheckFailed("run", 3), "the last attempt", Kind.FAILED, "Terminate, WakeAt, Log");
    from = plain;
    of(SIMPLE).row(new DependencySatisfied("db"), "", Kind.RUNNING, "nothing");
    culprit(new DependencyFailed("db"), "has a process", Kind.RUNNING, "nothing");
    waiting(new DependencyLost("db"), "has a process", Kind.RUNNING, "nothing");
    row(new ConflictEnded("batch"), "", Kind.RUNNING, "nothing");
    row(timeout(TimeoutKind.START), "an older wait", Kind.RUNNING, "nothing");
    row(timeout(TimeoutKind.STOP), "an older wait", Kind.RUNNING, "nothing");
    row(timeout(TimeoutKind.RESTART_DELAY), "an older wait", Kind.RUNNING, "nothing");
    ignoresHooks("it has no reload command", "an older wait");
    from = up(restarted(plain, 3));
    row(timeout(TimeoutKind.UPTIME), "up for long enough", Kind.RUNNING, "written");
    row(new Recovered(), "", Kind.RUNNING, "WakeAt");
    from = stable(plain);
    row(timeout(TimeoutKind.STABLE), "it has stayed up", Kind.RUNNING, "written");
    from = probing(plain);
    of(CHECKED).row(timeout(TimeoutKind.HEALTH_CHECK), "", Kind.RUNNING, "Probe");
    row(new Recovered(), "with a check", Kind.RUNNING, "Probe");
    of(SIMPLE).row(new Reconfigured(), "it has no check any more", Kind.RUNNING, "written");
    from = plain;
    of(CHECKED).row(new Reconfigured(), "it has a check now", Kind.RUNNING, "Probe");
    from = instance(TARGET, new ServiceState.Running(null, EPOCH), null);
    of(TARGET).unwanted(new StopRequested(), "a target", Kind.INACTIVE, "written");
    waiting(new StopRequested(), "a target, something in its way", Kind.BLOCKED, "written");
    culprit(new DependencyFailed("db"), "a target", Kind.FAILED, "written");
    waiting(new DependencyLost("db"), "a target", Kind.BLOCKED, "written");
  }

  private void stopping() {
    from = due(instance(SIMPLE, new ServiceState.Stopping(7, EPOCH), "run"));
    of(SIMPLE).row(new StartRequested(), "begins when it is gone", Kind.STOPPING, "nothing");
    unwanted(new StopRequested(), "", Kind.STOPPING, "nothing");
    unwanted(new ProcessSpawned("run", 8, 0), "", Kind.STOPPING, "written");
    unwanted(new SpawnFailed("run", "not found"), "", Kind.EXITED, "written");
    unwanted(new NeverBegan("run"), "", Kind.EXITED, "written");
    unwanted(exit(0), "any way", Kind.EXITED, "written");
    unwanted(signal(15), "any way", Kind.EXITED, "written");
    row(exit(0), "wanted up: a restart", Kind.STARTING, "Launch");
    halting(exit(0), "everything goes down", Kind.EXITED, "written");
    unwanted(new ReadySignalled("run"), "", Kind.STOPPING, "nothing");
    unwanted(new HealthCheckPassed("run"), "", Kind.STOPPING, "nothing");
    of(CHECKED).unwanted(new HealthCheckFailed("run", 3), "", Kind.STOPPING, "nothing");
    unwanted(new HealthCheckNotAsked("run"), "", Kind.STOPPING, "nothing");
    of(SIMPLE);
    ignoresDependencies("it was let through");
    unwanted(timeout(TimeoutKind.START), "an older wait", Kind.STOPPING, "nothing");
    unwanted(timeout(TimeoutKind.STOP), "for the stop signal", Kind.STOPPING, "Kill, WakeAt");
    unwanted(timeout(TimeoutKind.HEALTH_CHECK), "an older wait", Kind.STOPPING, "nothing");
    ignoresHooks("it is not running", "an older wait");
    unwanted(timeout(TimeoutKind.RESTART_DELAY), "an older wait", Kind.STOPPING, "nothing");
    unwanted(timeout(TimeoutKind.UPTIME), "an older wait", Kind.STOPPING, "nothing");
    unwanted(timeout(TimeoutKind.STABLE), "an older wait", Kind.STOPPING, "nothing");
    unwanted(new Recovered(), "", Kind.STOPPING, "Terminate, WakeAt");
    unwanted(new Reconfigured(), "", Kind.STOPPING, "nothing");
    from = killed(from);
    unwanted(timeout(TimeoutKind.STOP), "for KILL: StopTimeout", Kind.FAILED, "Log, Kill, WakeAt");
  }

  private void exited() {
    from = instance(SIMPLE, new ServiceState.Exited(0, EPOCH), null);
    of(SIMPLE).row(new StartRequested(), "nothing in its way", Kind.STARTING, "Launch");
    waiting(new StartRequested(), "something in its way", Kind.BLOCKED, "written");
    unwanted(new StopRequested(), "", Kind.EXITED, "nothing");
    ignoresProcesses("it has no process");
    ignoresDependencies("it waits for nobody");
    row(timeout(TimeoutKind.START), "an older wait", Kind.EXITED, "nothing");
    row(timeout(TimeoutKind.STOP), "an older wait", Kind.EXITED, "nothing");
    row(timeout(TimeoutKind.HEALTH_CHECK), "an older wait", Kind.EXITED, "nothing");
    ignoresHooks("it is not running", "an older wait");
    row(timeout(TimeoutKind.UPTIME), "an older wait", Kind.EXITED, "nothing");
    row(timeout(TimeoutKind.STABLE), "an older wait", Kind.EXITED, "nothing");
    row(timeout(TimeoutKind.RESTART_DELAY), "none is to come", Kind.EXITED, "nothing");
    row(new Recovered(), "", Kind.EXITED, "nothing");
    row(new Reconfigured(), "", Kind.EXITED, "nothing");
    from = inBackoff(from);
    row(timeout(TimeoutKind.RESTART_DELAY), "nothing in its way", Kind.STARTING, "Launch");
    waiting(timeout(TimeoutKind.RESTART_DELAY), "something in its way", Kind.BLOCKED, "written");
    unwanted(new StopRequested(), "to be restarted", Kind.EXITED, "written");
    halting(new StopRequested(), "everything goes down", Kind.EXITED, "nothing");
    halting(timeout(TimeoutKind.RESTART_DELAY), "everything goes down", Kind.EXITED, "nothing");
    row(new Recovered(), "its wait is over", Kind.STARTING, "Launch");
    unwanted(new Recovered(), "not wanted up", Kind.EXITED, "WakeAt");
  }

  private void failed() {
    from = instance(SIMPLE, failure(new FailureReason.ExitCode(1)), null);
    of(SIMPLE).row(new StartRequested(), "nothing in its way", Kind.STARTING, "Launch");
    waiting(new StartRequested(), "something in its way", Kind.BLOCKED, "written");
    unwanted(new StopRequested(), "", Kind.FAILED, "nothing");
    row(new DependencySatisfied("db"), "failed by itself", Kind.FAILED, "nothing");
    culprit(new DependencyFailed("db"), "", Kind.FAILED, "nothing");
    waiting(new DependencyLost("db"), "", Kind.FAILED, "nothing");
    row(new ConflictEnded("batch"), "", Kind.FAILED, "nothing");
    row(timeout(TimeoutKind.START), "an older wait", Kind.FAILED, "nothing");
    row(timeout(TimeoutKind.HEALTH_CHECK), "an older wait", Kind.FAILED, "nothing");
    ignoresHooks("it is not running", "an older wait");
    row(timeout(TimeoutKind.UPTIME), "an older wait", Kind.FAILED, "nothing");
    row(timeout(TimeoutKind.STABLE), "an older wait", Kind.FAILED, "nothing");
    row(timeout(TimeoutKind.RESTART_DELAY), "given up", Kind.FAILED, "nothing");
    row(new Recovered(), "given up", Kind.FAILED, "nothing");
    row(new Reconfigured(), "", Kind.FAILED, "nothing");
    from = inBackoff(from);
    row(timeout(TimeoutKind.RESTART_DELAY), "nothing in its way", Kind.STARTING, "Launch");
    waiting(timeout(TimeoutKind.RESTART_DELAY), "something in its way", Kind.BLOCKED, "written");
    unwanted(new StopRequested(), "to be restarted", Kind.FAILED, "written");
    halting(new StopRequested(), "everything goes down", Kind.FAILED, "nothing");
    row(new Recovered(), "its wait is over", Kind.STARTING, "Launch");
    from = instance(SIMPLE, failure(new FailureReason.DependencyFailed("db")), null);
    row(new DependencySatisfied("db"), "that was why", Kind.STARTING, "Launch");
    row(new Reconfigured(), "requires it no more", Kind.STARTING, "Launch");
    row(new Recovered(), "requires it no more", Kind.STARTING, "Launch");
    culprit(new Reconfigured(), "requires it still", Kind.FAILED, "nothing");
    unwanted(new Reconfigured(), "requires it no more, not wanted up", Kind.FAILED, "nothing");
    from = due(instance(SIMPLE, failure(new FailureReason.StartTimeout()), "run"));
    row(new StartRequested(), "its process is still to go", Kind.FAILED, "written");
    row(new ProcessSpawned("run", 8, 0), "it is being ended", Kind.FAILED, "nothing");
    row(new ReadySignalled("run"), "it is being ended", Kind.FAILED, "nothing");
    row(new HealthCheckPassed("run"), "it is being ended", Kind.FAILED, "nothing");
    of(CHECKED).row(new HealthCheckFailed("run", 1), "it is being ended", Kind.FAILED, "nothing");
    row(new HealthCheckNotAsked("run"), "it is being ended", Kind.FAILED, "nothing");
    of(SIMPLE).row(timeout(TimeoutKind.STOP), "", Kind.FAILED, "Kill, WakeAt");
    row(new Recovered(), "its process is still to go", Kind.FAILED, "Terminate, WakeAt");
    from = waitingToGo(from);
    row(exit(0), "the wait begins", Kind.FAILED, "WakeAt");
    row(new SpawnFailed("run", "not found"), "the wait begins", Kind.FAILED, "WakeAt");
    row(new NeverBegan("run"), "the wait begins", Kind.FAILED, "WakeAt");
    from = due(instance(SIMPLE, failure(new FailureReason.StopTimeout()), "run"));
    unwanted(exit(137), "gone at last", Kind.FAILED, "written");
    row(exit(137), "gone at last, wanted up", Kind.STARTING, "Launch");
    row(new NeverBegan("run"), "gone at last, wanted up", Kind.STARTING, "Launch");
    row(new SpawnFailed("run", "not found"), "gone at last, wanted up", Kind.STARTING, "Launch");
    halting(exit(137), "gone at last, everything goes down", Kind.FAILED, "written");
  }

  /** {@code before_start} is a process of the instance, before the service's own. */
  private void beforeStart() {
    from = instance(HOOKED, new ServiceState.Inactive(), null);
    of(HOOKED).row(new StartRequested(), "with before_start", Kind.STARTING, "Launch");
    from = hook(new ServiceState.Starting(null, EPOCH), Hook.BEFORE_START, NONE, NONE);
    row(new ProcessSpawned("run", 7, 0), "before_start", Kind.STARTING, "WakeAt");
    row(exit(0), "before_start has done its work", Kind.STARTING, "Launch");
    halting(exit(0), "before_start, everything goes down", Kind.EXITED, "written");
    row(exit(3), "before_start, not 0", Kind.FAILED, "Log, WakeAt");
    row(signal(9), "before_start, a signal", Kind.FAILED, "Log, WakeAt");
    row(new ProcessExited("run", null, null), "before_start", Kind.FAILED, "Log, WakeAt");
    row(new SpawnFailed("run", "not found"), "before_start", Kind.FAILED, "Log, WakeAt");
    row(new NeverBegan("run"), "before_start", Kind.STARTING, "Launch");
    unwanted(new StopRequested(), "before_start", Kind.STOPPING, "Terminate, WakeAt");
    row(new Reconfigured(), "before_start", Kind.STARTING, "nothing");
    from = hook(new ServiceState.Starting(7, EPOCH), Hook.BEFORE_START, NOW, NONE);
    row(timeout(TimeoutKind.HOOK), "before_start", Kind.FAILED, "Terminate, WakeAt, Log");
    row(timeout(TimeoutKind.START), "before_start, an older wait", Kind.STARTING, "nothing");
    row(new Recovered(), "before_start goes on", Kind.STARTING, "WakeAt");
    from = hook(new ServiceState.Stopping(7, EPOCH), Hook.BEFORE_START, NOW, NONE);
    unwanted(exit(0), "of before_start", Kind.EXITED, "written");
    unwanted(new ProcessSpawned("run", 8, 0), "of before_start", Kind.STOPPING, "written");
    var late = new FailureReason.HookFailed("before_start", "not done within 1000 ms");
    from = hook(failure(late), Hook.BEFORE_START, NOW, 1_000);
    row(timeout(TimeoutKind.STOP), "before_start", Kind.FAILED, "Kill, WakeAt");
    row(exit(137), "of before_start, the wait begins", Kind.FAILED, "WakeAt");
  }

  /** The reload command runs beside the process. */
  private void reload() {
    from = instance(HOOKED, new ServiceState.Running(7, EPOCH), "run");
    of(HOOKED).row(new ReloadRequested("re"), "", Kind.RUNNING, "Launch");
    from = reloading(NONE);
    row(new ReloadRequested("again"), "one runs already", Kind.RUNNING, "nothing");
    row(new ProcessSpawned("re", 9, 0), "the reload command", Kind.RUNNING, "WakeAt");
    row(new SpawnFailed("re", "not found"), "the reload command", Kind.RUNNING, "Log");
    row(new NeverBegan("re"), "the reload command", Kind.RUNNING, "Log");
    row(new ProcessExited("re", 0, null), "the reload command", Kind.RUNNING, "Log");
    row(new ProcessExited("re", 3, null), "the reload command", Kind.RUNNING, "Log");
    unwanted(new StopRequested(), "with a reload", Kind.STOPPING, "Terminate, Terminate, WakeAt");
    row(exit(3), "with a reload, which is dropped", Kind.FAILED, "Kill, Log, Launch, Log");
    from = reloading(NOW);
    row(timeout(TimeoutKind.RELOAD), "", Kind.RUNNING, "Log, Terminate, WakeAt");
    row(timeout(TimeoutKind.RELOAD_STOP), "", Kind.RUNNING, "Kill, WakeAt");
    row(new Recovered(), "a reload goes on", Kind.RUNNING, "WakeAt");
  }

  /** {@code after_stop} is a process of the instance, after the service's own. */
  private void afterStop() {
    from = instance(HOOKED, new ServiceState.Running(7, EPOCH), "run");
    of(HOOKED).row(exit(0), "0, with after_stop", Kind.EXITED, "Launch");
    row(exit(3), "not 0, with after_stop", Kind.FAILED, "Launch, Log");
    from = due(instance(HOOKED, new ServiceState.Stopping(7, EPOCH), "run"));
    unwanted(exit(0), "with after_stop", Kind.EXITED, "Launch");
    row(exit(0), "wanted up, with after_stop", Kind.EXITED, "Launch");
    halting(exit(0), "everything goes down, with after_stop", Kind.EXITED, "Launch");
    unwanted(new SpawnFailed("run", "not found"), "with after_stop", Kind.EXITED, "written");
    from = due(instance(HOOKED, failure(new FailureReason.StartTimeout()), "run"));
    row(exit(137), "with after_stop", Kind.FAILED, "Launch");
    from = hook(new ServiceState.Exited(0, EPOCH), Hook.AFTER_STOP, NONE, 0);
    row(new ProcessSpawned("run", 7, 0), "after_stop", Kind.EXITED, "WakeAt");
    row(exit(0), "after_stop has done its work, to begin anew", Kind.STARTING, "Launch");
    row(exit(3), "after_stop failed, to begin anew", Kind.STARTING, "Log, Launch");
    row(new NeverBegan("run"), "after_stop", Kind.EXITED, "Launch");
    from = hook(new ServiceState.Exited(0, EPOCH), Hook.AFTER_STOP, NONE, NONE);
    row(new StartRequested(), "begins when after_stop is done", Kind.EXITED, "written");
    unwanted(exit(0), "after_stop has done its work", Kind.EXITED, "written");
    unwanted(exit(3), "after_stop failed", Kind.EXITED, "Log");
    unwanted(new SpawnFailed("run", "not found"), "after_stop", Kind.EXITED, "Log");
    from = hook(new ServiceState.Exited(0, EPOCH), Hook.AFTER_STOP, NOW, NONE);
    row(timeout(TimeoutKind.HOOK), "after_stop", Kind.EXITED, "Log, Terminate, WakeAt");
    row(timeout(TimeoutKind.STOP), "after_stop", Kind.EXITED, "Kill, WakeAt");
    row(new Recovered(), "after_stop goes on", Kind.EXITED, "WakeAt");
    from = hook(failure(new FailureReason.ExitCode(3)), Hook.AFTER_STOP, NONE, 1_000);
    row(new ProcessSpawned("run", 7, 0), "after_stop", Kind.FAILED, "WakeAt");
    row(exit(0), "after_stop has done its work, the wait begins", Kind.FAILED, "WakeAt");
    row(new NeverBegan("run"), "after_stop", Kind.FAILED, "Launch");
    from = hook(failure(new FailureReason.ExitCode(3)), Hook.AFTER_STOP, NOW, 1_000);
    row(timeout(TimeoutKind.HOOK), "after_stop", Kind.FAILED, "Log, Terminate, WakeAt");
  }

  private static ServiceInstance hook(
      ServiceState state, Hook hook, long stepUntil, long restartDelay) {
    return ServiceInstance.builder(ID, state)
        .runId("run")
        .hook(hook)
        .nextDelayMillis(HOOKED.lifecycle().restartDelayMillis())
        .stepUntil(stepUntil)
        .restartDelayMillis(restartDelay)
        .build();
  }

  private static ServiceInstance reloading(long until) {
    return ServiceInstance.builder(ID, new ServiceState.Running(7, EPOCH))
        .runId("run")
        .nextDelayMillis(HOOKED.lifecycle().restartDelayMillis())
        .reloadRun("re")
        .reloadUntil(until)
        .build();
  }

  private void ignoresHooks(String request, String when) {
    Kind kind = from.state().kind();
    row(new ReloadRequested("re"), request, kind, "nothing");
    for (TimeoutKind timeout :
        List.of(TimeoutKind.HOOK, TimeoutKind.RELOAD, TimeoutKind.RELOAD_STOP)) {
      row(timeout(timeout), when, kind, "nothing");
    }
  }

  private void ignoresProcesses(String when) {
    Kind kind = from.state().kind();
    waiting(new ProcessSpawned("run", 7, 0), when, kind, "nothing");
    waiting(new SpawnFailed("run", "not found"), when, kind, "nothing");
    waiting(new NeverBegan("run"), when, kind, "nothing");
    waiting(exit(0), when, kind, "nothing");
    waiting(new ReadySignalled("run"), when, kind, "nothing");
    waiting(new HealthCheckPassed("run"), when, kind, "nothing");
    waiting(new HealthCheckFailed("run", 1), when, kind, "nothing");
    waiting(new HealthCheckNotAsked("run"), when, kind, "nothing");
  }

  private void ignoresDependencies(String when) {
    Kind kind = from.state().kind();
    row(new DependencySatisfied("db"), when, kind, "nothing");
    culprit(new DependencyFailed("db"), when, kind, "nothing");
    waiting(new DependencyLost("db"), when, kind, "nothing");
    row(new ConflictEnded("batch"), when, kind, "nothing");
  }

  private void ignoresTimeouts() {
    for (TimeoutKind kind : TimeoutKind.values()) {
      row(timeout(kind), "an older wait", from.state().kind(), "nothing");
    }
  }

  private ServiceTransitions of(ServiceSpec other) {
    spec = other;
    return this;
  }

  private void row(ServiceEvent event, String when, Kind to, String meaning) {
    add(event, when, to, meaning, around(true, List.of(), null));
  }

  private void unwanted(ServiceEvent event, String when, Kind to, String meaning) {
    add(event, when, to, meaning, around(false, List.of(), null));
  }

  private void waiting(ServiceEvent event, String when, Kind to, String meaning) {
    add(event, when, to, meaning, around(true, List.of("dns"), null));
  }

  private void culprit(ServiceEvent event, String when, Kind to, String meaning) {
    add(event, when, to, meaning, around(true, List.of(), "db"));
  }

  private void halting(ServiceEvent event, String when, Kind to, String meaning) {
    var halt = new Halt(true, 4_000);
    var around =
        new ServiceContext(
            spec, false, List.of(), List.of(), null, new Moment(EPOCH, NOW), () -> "new", halt);
    add(event, when, to, meaning, around);
  }

  private void add(
      ServiceEvent event, String when, Kind to, String meaning, ServiceContext around) {
    table.add(new Transition(from, around, event, when, to, meaning));
  }

  private ServiceContext around(boolean wanted, List<String> waitingOn, @Nullable String culprit) {
    return new ServiceContext(
        spec, wanted, waitingOn, List.of(), culprit, new Moment(EPOCH, NOW), () -> "new", null);
  }

  private static ProcessExited exit(int code) {
    return new ProcessExited("run", code, null);
  }

  private static ProcessExited signal(int number) {
    return new ProcessExited("run", null, number);
  }

  private static Timeout timeout(TimeoutKind kind) {
    return new Timeout(kind);
  }

  private static ServiceState failure(FailureReason reason) {
    return new ServiceState.Failed(reason, EPOCH);
  }

  private static ServiceInstance instance(
      ServiceSpec spec, ServiceState state, @Nullable String runId) {
    return ServiceInstance.builder(ID, state)
        .runId(runId)
        .nextDelayMillis(spec.lifecycle().restartDelayMillis())
        .build();
  }

  private static ServiceInstance due(ServiceInstance of) {
    return changed(of, of.restartCount(), of.restartDelayMillis(), NONE, NOW, false, NONE, NONE);
  }

  private static ServiceInstance killed(ServiceInstance of) {
    return changed(of, of.restartCount(), NONE, NONE, NOW, true, NONE, NONE);
  }

  private static ServiceInstance probing(ServiceInstance of) {
    return changed(of, of.restartCount(), NONE, NONE, of.stepUntil(), false, NOW, NONE);
  }

  private static ServiceInstance restarted(ServiceInstance of, int times) {
    return changed(of, times, NONE, NONE, NONE, false, NONE, NONE);
  }

  private static ServiceInstance up(ServiceInstance of) {
    return changed(of, of.restartCount(), NONE, NONE, NONE, false, NONE, NOW);
  }

  private static ServiceInstance stable(ServiceInstance of) {
    return ServiceInstance.builder(of.id(), of.state())
        .runId(of.runId())
        .nextDelayMillis(of.nextDelayMillis())
        .stableAt(NOW)
        .build();
  }

  private static ServiceInstance adopted(ServiceInstance of) {
    return ServiceInstance.builder(of.id(), of.state())
        .runId(of.runId())
        .nextDelayMillis(of.nextDelayMillis())
        .stepUntil(NOW)
        .adopted(true)
        .build();
  }

  private static ServiceInstance inBackoff(ServiceInstance of) {
    return changed(of, 1, 1_000, NOW, NONE, false, NONE, NONE);
  }

  private static ServiceInstance waitingToGo(ServiceInstance of) {
    return changed(of, 1, 1_000, NONE, NOW, false, NONE, NONE);
  }

  private static ServiceInstance changed(
      ServiceInstance of,
      int restarts,
      long restartDelay,
      long restartAt,
      long stepUntil,
      boolean killed,
      long probeAt,
      long uptimeAt) {
    return ServiceInstance.builder(of.id(), of.state())
        .runId(of.runId())
        .restartCount(restarts)
        .nextDelayMillis(of.nextDelayMillis())
        .restartDelayMillis(restartDelay)
        .restartAt(restartAt)
        .stepUntil(stepUntil)
        .killed(killed)
        .probeAt(probeAt)
        .uptimeAt(uptimeAt)
        .build();
  }

  /** What a step does, in the words of the table. */
  static String meaning(InstanceStep step) {
    if (step.effects().isEmpty()) {
      return step.changed() ? "written" : "nothing";
    }
    return step.effects().stream()
        .map(effect -> effect.getClass().getSimpleName())
        .collect(Collectors.joining(", "));
  }
}
