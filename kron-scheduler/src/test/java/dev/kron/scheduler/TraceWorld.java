package dev.kron.scheduler;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.scheduler.SchedulerEvent.TaskRunCompleted;
import dev.kron.scheduler.SchedulerEvent.TaskRunFailed;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A world with a clock, a store that fails and a process that dies, in which callers call,
 * callbacks last and fail, all in an order drawn from one seed. Calls also come while the store is
 * at work, which is when concurrent callers arrive.
 */
final class TraceWorld implements SchedulerDriver, TaskStore {
  private static final String[] ZONES = {
    "UTC", "Europe/Paris", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"
  };
  private static final String[] STARTS = {
    "2026-03-29T00:40:00Z", "2026-10-25T00:20:00Z", "2026-03-08T06:40:00Z", "2026-11-01T05:20:00Z",
    "2026-04-04T14:20:00Z", "2026-10-03T15:10:00Z", "2026-02-27T22:00:00Z", "2026-12-31T23:58:00Z"
  };
  private static final String[] EXPRESSIONS = {
    "* * * * *",
    "0,15,30,45 * * * *",
    "30 2 * * *",
    "0-59 1-3 * * *",
    "0 0 1 * 1",
    "7 * * * *",
    "30 1 * * 0",
    "59 23 31 12 *",
    "15 2 29 2 *"
  };
  private static final long[] RETRY_SECONDS = {0, 1, 59, 60, 300, 7200};

  private final RandomGenerator random;
  private final ZoneId zone;
  private final TraceModel model;
  private long nowMillis;
  private long latestMillis;

  private MemoryTaskStore durable = MemoryTaskStore.create();
  private TaskStore.@Nullable Session held;
  private boolean storeBroken;
  private boolean crashed;
  private boolean lastStopCouldNotWrite;

  private DeclarativeScheduler scheduler;
  private @Nullable Loop loop;
  private final List<Run> runs = new ArrayList<>();
  private SchedulerLifecycle.@Nullable Initialization initialization;
  private boolean initializedBroken;
  private final List<CompletableFuture<@Nullable Void>> stops = new ArrayList<>();
  private boolean stopCalled;
  private SchedulerEvent.@Nullable TaskEvent lastStarted;
  private final List<TaskRequest> requests = new ArrayList<>();
  private boolean calm;
  private @Nullable AssertionError broken;
  private final List<String> trace = new ArrayList<>();

  TraceWorld(RandomGenerator random) {
    this.random = random;
    zone = ZoneId.of(pick(ZONES));
    nowMillis = Instant.parse(pick(STARTS)).toEpochMilli() + random.nextInt(120_000);
    latestMillis = nowMillis;
    model = new TraceModel(zone);
    scheduler = newScheduler();
  }

  private DeclarativeScheduler newScheduler() {
    return DeclarativeScheduler.builder(this)
        .clock(new WorldClock())
        .zone(zone)
        .driver(this)
        .listener(this::heard)
        .build();
  }

  private void note(String what) {
    trace.add(Instant.ofEpochMilli(nowMillis).atZone(zone).toLocalDateTime() + " " + what);
  }

  /** What happened last, for whoever has to understand a failure. */
  String lastLines() {
    return String.join("\n", trace.subList(Math.max(0, trace.size() - 60), trace.size()));
  }

  private <T> T pick(T[] from) {
    return from[random.nextInt(from.length)];
  }

  /** Does one thing, drawn at random. */
  void step() {
    switch (random.nextInt(20)) {
      case 0, 1 -> callInitialize();
      case 2 -> callInitializeInvalid();
      case 3 -> callStop();
      case 4 -> {
        if (random.nextInt(3) == 0) {
          crash();
        }
      }
      case 5 -> setClock();
      case 6 -> storeBroken = random.nextInt(3) == 0;
      case 7 -> callControl();
      case 8, 9, 10 -> endARun();
      case 11, 12, 13, 14 -> pass();
      case 15, 16 -> turn();
      default -> settle();
    }
  }

  /** The end of a trace: everything heals, everybody waits, and every rule must come true. */
  void end() {
    calm = true;
    storeBroken = false;
    endAllRuns();
    callInitialize();
    endAllRuns();
    callStop();
    endAllRuns();
    assertTrue(stops.isEmpty(), "L3: stop does not return although nothing runs");
    assertTrue(initialization == null, "L2: initialize does not end");
    for (TaskState task : durable.contents()) { // an orphan that is paused waits to be resumed
      assertTrue(task.runningUnder() == null || task.pausedAt() != null, "left running");
    }
  }

  private void endAllRuns() {
    settle();
    while (!runs.isEmpty()) {
      endARun();
    }
    settle();
    runs.forEach(run -> run.ended(null));
    runs.clear();
    settle();
  }

  // --- callers

  private void callInitialize() {
    List<Registration> registrations = new ArrayList<>();
    for (String name : List.of("a", "b", "c", "d")) {
      if (random.nextInt(4) > 0) {
        Duration retry = Duration.ofSeconds(RETRY_SECONDS[random.nextInt(RETRY_SECONDS.length)]);
        registrations.add(new Registration(name, pick(EXPRESSIONS), () -> {}, retry));
      }
    }
    note("initialize " + registrations);
    boolean inProgress = initialization != null;
    boolean refused = inProgress || (model.active() && !stopCalled);
    try {
      initialization = scheduler.requestInitialize(registrations);
      assertFalse(refused, "S6: an initialization was accepted while active");
      initializedBroken = false;
    } catch (SchedulerAlreadyActiveException alreadyActive) {
      assertTrue(refused, "S5: a valid list was refused: " + alreadyActive);
      assertEquals(inProgress ? "initializing" : "running", alreadyActive.currentState());
    }
  }

  private void callInitializeInvalid() {
    List<Registration> registrations =
        List.of(
            new Registration("a", "* * * * *", () -> {}, Duration.ZERO),
            random.nextBoolean()
                ? new Registration("a", "* * * * *", () -> {}, Duration.ZERO)
                : new Registration("b", "*/5 * * * *", () -> {}, Duration.ZERO));
    List<TaskState> before = durable.contents();
    assertThrows(
        SchedulerException.class,
        () -> scheduler.requestInitialize(registrations),
        "S4: a list that is not valid was accepted");
    assertEquals(before, durable.contents(), "S4: an invalid list changed what is remembered");
  }

  private void callStop() {
    note("stop");
    stops.add(scheduler.requestStop());
    if (initialization == null || model.active()) {
      stopCalled = model.active();
    }
    noticeCompletions();
  }

  private void callControl() {
    TaskRequest.Kind kind = pick(TaskRequest.Kind.values());
    String name = pick(new String[] {"a", "b", "c", "d", "nobody"});
    note(kind + " " + name);
    requests.add(scheduler.ask(kind, name));
  }

  /** Whoever asked for something is answered. */
  private void noticeAnswers(boolean all) {
    for (TaskRequest request : List.copyOf(requests)) {
      if (request.answer.isDone()) {
        requests.remove(request);
      } else {
        assertFalse(all, "nobody answers " + request.kind + " " + request.taskName);
      }
    }
  }

  private void noticeCompletions() {
    noticeAnswers(false);
    SchedulerLifecycle.Initialization called = initialization;
    if (called != null && called.done.isDone()) {
      initialization = null;
      if (called.done.isCompletedExceptionally()) {
        assertTrue(initializedBroken, "S5: a valid list failed with " + called.done);
      }
    }
    stops.removeIf(CompletableFuture::isDone);
  }

  // --- time

  private void pass() {
    long millis =
        switch (random.nextInt(8)) {
          case 0 -> random.nextInt(1000);
          case 1, 2 -> random.nextInt(90_000);
          case 3, 4 -> 60_000 - Math.floorMod(nowMillis, 60_000L);
          case 5, 6 -> random.nextInt(20 * 60_000);
          default ->
              random.nextInt(9) > 0 ? random.nextInt(7_200_000) : random.nextInt(200_000_000);
        };
    moveClock(nowMillis + millis);
  }

  private void setClock() {
    if (storeBroken) {
      return; // ends that cannot be told yet are judged by the time of their event
    }
    settle();
    long millis =
        switch (random.nextInt(5)) {
          case 0, 1 -> -random.nextInt(2 * 3_600_000);
          case 2 -> -random.nextInt(200_000_000);
          case 3 -> random.nextInt(7_200_000);
          default -> random.nextInt(100_000_000);
        };
    moveClock(nowMillis + millis);
    turn(); // a driver looks again within a second
  }

  private void moveClock(long toMillis) {
    long from = nowMillis;
    nowMillis = toMillis;
    note("is the time");
    if (toMillis >= from) {
      model.clockMoved(from, toMillis);
      latestMillis = Math.max(latestMillis, toMillis);
    } else {
      boolean noticeable = latestMillis - toMillis >= 60_000;
      model.clockSetBack(toMillis, noticeable);
      latestMillis = noticeable ? toMillis : latestMillis;
    }
  }

  // --- the process

  private void crash() {
    crashed = false;
    note("crash, remembering " + durable.contents());
    Set<String> asked = new HashSet<>();
    requests.forEach(request -> asked.add(request.taskName));
    model.crashed(durable.contents(), lastStopCouldNotWrite, asked);
    lastStopCouldNotWrite = false;
    durable = MemoryTaskStore.of(durable.contents());
    held = null;
    loop = null;
    runs.clear();
    stops.clear();
    initialization = null;
    stopCalled = false;
    requests.clear();
    scheduler = newScheduler();
  }

  private void turn() {
    Loop turning = loop;
    if (turning == null) {
      return;
    }
    if (turning.turn() == Loop.FINISHED) {
      loop = null;
    }
    if (broken != null) {
      throw broken;
    }
    if (crashed) {
      crash();
    }
    noticeCompletions();
  }

  private void settle() {
    for (int i = 0; i < 8; i++) {
      turn();
    }
    if (storeBroken || loop == null) {
      return;
    }
    nowMillisPassesPauseOfStore();
    for (int i = 0; i < 8; i++) {
      turn();
    }
    if (storeBroken || crashed) {
      return;
    }
    noticeAnswers(true);
    if (!stopCalled) {
      model.assertNothingObliged(nowMillis);
    }
    if (!model.anythingRuns() && runs.isEmpty()) {
      assertTrue(stops.isEmpty(), "L3: stop does not return although nothing runs");
      assertTrue(initialization == null, "L2: initialize does not end");
    }
  }

  private void nowMillisPassesPauseOfStore() {
    moveClock(nowMillis + 1001);
  }

  private void endARun() {
    if (!runs.isEmpty()) {
      Run run = runs.remove(random.nextInt(runs.size()));
      run.ended(random.nextInt(3) == 0 ? new IOException("as drawn") : null);
    }
  }

  private void heard(SchedulerEvent event) {
    note("event " + event);
    if (!crashed) {
      keepErrors(() -> judge(event));
    }
  }

  /**
   * The scheduler protects itself against listeners and drivers that throw: remember it instead.
   */
  private void keepErrors(Runnable check) {
    try {
      check.run();
    } catch (AssertionError error) {
      broken = broken == null ? error : broken;
    }
  }

  private void judge(SchedulerEvent event) {
    switch (event) {
      case TaskRunCompleted completed ->
          model.succeeded(completed.taskName(), completed.at(), nowMillis);
      case TaskRunFailed failed ->
          model.failed(failed.taskName(), requireNonNull(failed.retryAt()), failed.at(), nowMillis);
      case SchedulerEvent.SchedulerInitializationCompleted ignored -> initialized();
      case SchedulerEvent.SchedulerStopped ignored -> {
        model.stopped();
        stopCalled = false;
      }
      case SchedulerEvent.TaskRetryStarted retry -> lastStarted = retry;
      case SchedulerEvent.TaskRunStarted run -> lastStarted = run;
      case SchedulerEvent.TaskPaused paused -> model.paused(paused.taskName(), true);
      case SchedulerEvent.TaskResumed resumed -> model.paused(resumed.taskName(), false);
      default -> {}
    }
  }

  private void initialized() {
    SchedulerLifecycle.Initialization called = initialization;
    if (called == null) {
      throw new AssertionError("initialized, but nobody asked for it");
    }
    model.initialized(called.registrations.registrations(), nowMillis);
    stopCalled = !stops.isEmpty();
  }

  // --- driver

  @Override
  public void drive(Loop driven) {
    loop = driven;
  }

  @Override
  public void wake() {}

  @Override
  public void begin(Run run) {
    if (!crashed) {
      keepErrors(() -> model.started(requireNonNull(lastStarted), stopCalled, nowMillis));
      runs.add(run);
    }
  }

  @Override
  public void await(CompletionStage<?> done) {
    throw new AssertionError("nobody waits here");
  }

  // --- store

  @Override
  public Session open() {
    return new FailingSession(held == null ? durable.open() : held);
  }

  /** Where concurrent callers, disk errors and the end of the process come in. */
  private final class FailingSession implements Session {
    private final Session session;

    FailingSession(Session session) {
      this.session = session;
      held = session;
    }

    private void disturb() throws IOException {
      if (crashed || storeBroken) {
        initializedBroken = true;
        throw new IOException("no space left on device, as drawn");
      }
      switch (calm ? 3 : random.nextInt(40)) {
        case 0 -> keepErrors(TraceWorld.this::callStop);
        case 1 -> keepErrors(TraceWorld.this::callInitialize);
        case 2 -> keepErrors(TraceWorld.this::callInitializeInvalid);
        default -> {}
      }
    }

    private void maybeCrash() {
      if (!calm && random.nextInt(60) == 0) {
        crashed = true;
        throw new AssertionError("the process dies here");
      }
    }

    @Override
    public List<TaskState> load() throws IOException {
      disturb();
      return session.load();
    }

    @Override
    public void replaceAll(Collection<TaskState> tasks) throws IOException {
      disturb();
      maybeCrash();
      session.replaceAll(tasks);
      maybeCrash();
    }

    @Override
    public void update(Collection<TaskState> changed) throws IOException {
      disturb();
      maybeCrash();
      session.update(changed);
      maybeCrash();
    }

    @Override
    public void close() throws IOException {
      if (storeBroken) {
        lastStopCouldNotWrite = true;
      }
      session.close();
      held = null;
    }
  }

  /** The world's time. */
  private final class WorldClock extends Clock {
    @Override
    public Instant instant() {
      return Instant.ofEpochMilli(nowMillis);
    }

    @Override
    public long millis() {
      return nowMillis;
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId other) {
      return this;
    }
  }
}
