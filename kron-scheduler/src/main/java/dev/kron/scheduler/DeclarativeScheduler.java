package dev.kron.scheduler;

import dev.kron.scheduler.SchedulerEvent.SchedulerInitializationFailed;
import dev.kron.scheduler.SchedulerEvent.SchedulerInitializationStarted;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks that are declared as data, by POSIX cron expressions, and remembers what ran.
 *
 * <pre>{@code
 * var scheduler = DeclarativeScheduler.create(FileTaskStore.at(Path.of("state/tasks.json")));
 * scheduler.initialize(List.of(
 *     new Registration("cleanup", "0 3 * * *", Cleanup::run, Duration.ofMinutes(5))));
 * ...
 * scheduler.stop();
 * }</pre>
 *
 * <p>For maintainers: {@link SchedulerLifecycle} holds the state that any thread may ask about,
 * {@link SchedulerLoop} everything else, touched by one thread only; {@link TaskTable} and {@link
 * Task} decide, {@link TaskStore} remembers, and a {@link SchedulerDriver} turns the loop. An
 * intent is durable before its callback begins, and an end is durable before anybody is told, so a
 * process may be killed between any two instructions: what was interrupted runs once more, what
 * succeeded does not.
 */
public final class DeclarativeScheduler implements Scheduler {
  private static final Duration LEAST_PATIENCE = Duration.ofSeconds(1);

  private final CheckedRegistrations.Owner owner;
  private final Clock hostClock;
  private final SafeClock clock;
  private final SchedulerDriver driver;
  private final Inside inside = new Inside();
  private final EventPublisher events;
  private final SchedulerLifecycle lifecycle = new SchedulerLifecycle();
  private final SchedulerLoop loop;

  private DeclarativeScheduler(Builder builder) {
    String name = builder.name;
    // Instances that share tasks mean the same second.
    String salt = builder.shared == null ? builder.instance : "";
    owner = new CheckedRegistrations.Owner(name, salt, builder.zone);
    hostClock = builder.clock;
    clock = new SafeClock(hostClock);
    SchedulerDriver byHand = builder.driver;
    driver = byHand == null ? new ThreadDriver(clock, name, builder.executor) : byHand;
    events = new EventPublisher(name, builder.listeners, inside, byHand == null);
    String identifier = driver.newIdentifier();
    Initializer initializer = builder.initializer(clock, identifier, inside);
    loop = new SchedulerLoop(initializer, clock, events, lifecycle, driver);
  }

  /** A scheduler with the system's clock and zone. */
  public static DeclarativeScheduler create(TaskStore store) {
    return builder(store).build();
  }

  /** One of any number of instances that share their tasks, with the store's clock. */
  public static DeclarativeScheduler create(SharedTaskStore store) {
    return builder(store).build();
  }

  public static Builder builder(TaskStore store) {
    return new Builder(Objects.requireNonNull(store, "store"), null);
  }

  /** Begins one of any number of instances that share their tasks. */
  public static Builder builder(SharedTaskStore store) {
    return new Builder(null, Objects.requireNonNull(store, "store"));
  }

  /** The choices for a scheduler. */
  public static final class Builder {
    private final @Nullable TaskStore store;
    private final @Nullable SharedTaskStore shared;
    private Clock clock;
    private ZoneId zone = ZoneId.systemDefault();
    private String name = "kron-scheduler";
    private String instance = "";
    private final List<SchedulerListener> listeners = new ArrayList<>();
    private final List<RunInterceptor> interceptors = new ArrayList<>();
    private @Nullable Executor executor;
    private @Nullable SchedulerDriver driver;

    private Builder(@Nullable TaskStore store, @Nullable SharedTaskStore shared) {
      this.store = store;
      this.shared = shared;
      clock = shared == null ? Clock.systemUTC() : shared.clock();
    }

    private Initializer initializer(SafeClock safeClock, String identifier, Inside inside) {
      var means = new Initializer.Means(safeClock, identifier, name, interceptors, inside);
      return shared == null
          ? new ExclusiveInitializer(Objects.requireNonNull(store), means)
          : new SharedInitializer(shared, means);
    }

    /** The clock that tells what time it is. The clock's own zone is not looked at. */
    public Builder clock(Clock chosen) {
      clock = Objects.requireNonNull(chosen, "clock");
      return this;
    }

    /** The zone in which cron expressions are meant; the system's if not chosen. */
    public Builder zone(ZoneId chosen) {
      zone = Objects.requireNonNull(chosen, "zone");
      return this;
    }

    /** The scheduler's name, in logs, in its threads' names, and where windows spread. */
    public Builder name(String chosen) {
      name = Objects.requireNonNull(chosen, "name");
      return this;
    }

    /**
     * Which of the schedulers of that name it is, for example the name of the host: tasks with a
     * window start at other seconds in other instances. The same from one start of the program to
     * the next, where there is such a name.
     */
    public Builder instance(String chosen) {
      instance = Objects.requireNonNull(chosen, "instance");
      return this;
    }

    /** Adds somebody who is told what happens. */
    public Builder listener(SchedulerListener chosen) {
      listeners.add(Objects.requireNonNull(chosen, "listener"));
      return this;
    }

    /** Adds something that stands around every callback; the first one is outermost. */
    public Builder interceptor(RunInterceptor chosen) {
      interceptors.add(Objects.requireNonNull(chosen, "interceptor"));
      return this;
    }

    /**
     * The executor of the callbacks; a virtual thread each, named after the task, if not chosen. It
     * must not execute them on the calling thread; one that rejects a callback lets the run fail,
     * and one that drops it without a word leaves it running for ever. How many run at a time is
     * its business: while it lets the caller wait, later callbacks wait with it, and nothing else
     * does.
     */
    public Builder executor(Executor chosen) {
      executor = Objects.requireNonNull(chosen, "executor");
      return this;
    }

    /** The factory of the callbacks' threads, one each; instead of {@link #executor}. */
    public Builder threadFactory(ThreadFactory chosen) {
      Objects.requireNonNull(chosen, "threadFactory");
      return executor(callback -> chosen.newThread(callback).start());
    }

    /** The driver that turns the scheduler; a thread if not chosen. */
    public Builder driver(SchedulerDriver chosen) {
      driver = Objects.requireNonNull(chosen, "driver");
      return this;
    }

    public DeclarativeScheduler build() {
      return new DeclarativeScheduler(this);
    }
  }

  @Override
  public void initialize(List<Registration> registrations) {
    SchedulerLifecycle.Initialization initialization = requestInitialize(registrations);
    boolean interrupted = false;
    while (true) {
      try {
        driver.await(initialization.done);
        break;
      } catch (InterruptedException cause) {
        if (lifecycle.withdraw(initialization)) {
          Thread.currentThread().interrupt();
          throw new SchedulerInterruptedException("initialize", cause);
        }
        interrupted = true; // it is under way and will end soon
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    events.flush();
    rethrow(initialization.done);
  }

  @Override
  public void stop() {
    inside.refuse("stop");
    CompletableFuture<@Nullable Void> stopped = requestStop();
    try {
      driver.await(stopped);
    } catch (InterruptedException cause) {
      Thread.currentThread().interrupt();
      throw new SchedulerInterruptedException("stop", cause);
    }
    events.flush();
    rethrow(stopped);
  }

  /**
   * Stops as {@link #stop()} does, but waits only so long for the callbacks that are running; then
   * interrupts those that are left and waits as long again, at least a second, for them to end.
   *
   * @return who was interrupted, and who has not even ended then
   */
  public StopReport stop(Duration patience) {
    Objects.requireNonNull(patience, "patience");
    inside.refuse("stop");
    CompletableFuture<@Nullable Void> stopped = requestStop();
    List<String> interrupted = new ArrayList<>();
    List<String> stillRunning = new ArrayList<>();
    try {
      if (!driver.await(stopped, patience)) {
        for (TaskRun run : loop.runsInProgress()) {
          interrupted.add(run.taskName());
          loop.interrupt(run);
        }
        Duration again = patience.compareTo(LEAST_PATIENCE) < 0 ? LEAST_PATIENCE : patience;
        if (!driver.await(stopped, again)) {
          loop.runsInProgress().forEach(run -> stillRunning.add(run.taskName()));
          return new StopReport(interrupted, stillRunning);
        }
      }
    } catch (InterruptedException cause) {
      Thread.currentThread().interrupt();
      throw new SchedulerInterruptedException("stop", cause);
    }
    events.flush();
    rethrow(stopped);
    return new StopReport(interrupted, stillRunning);
  }

  /** The scheduler's name. */
  public String name() {
    return owner.name();
  }

  /** The clock that the scheduler reads. */
  public Clock clock() {
    return hostClock;
  }

  /**
   * All tasks as they are now, in the order of their registration; none if the scheduler is neither
   * running nor stopping. May be called by any thread, callbacks and listeners included.
   */
  public List<TaskView> tasks() {
    return loop.views();
  }

  /**
   * The reason why state cannot be written at present, or not be read where it is shared: what
   * cannot be written does not start. Null if all is well. May be called by any thread.
   */
  public @Nullable Throwable storeFailure() {
    return loop.storeFailure();
  }

  /**
   * Starts a task at once, whether it is due or not, paused or not. Returns when that is durable
   * and the callback is about to begin.
   *
   * @return whether it did; false if the task is running already
   * @throws TaskNotFoundException if no such task is registered
   * @throws SchedulerNotActiveException if the scheduler is not running
   * @throws TaskStoreException if it could not be written; nothing was started then
   */
  public boolean runNow(String taskName) {
    return request(TaskRequest.Kind.RUN_NOW, taskName, "runNow");
  }

  /**
   * Lets a task start no more until it is resumed, in later processes too. Returns when that is
   * durable; a run in progress goes on.
   *
   * @return whether it did; false if the task was paused already
   * @throws TaskNotFoundException if no such task is registered
   * @throws SchedulerNotActiveException if the scheduler is not running
   * @throws TaskStoreException if it could not be written; the task is not paused then
   */
  public boolean pause(String taskName) {
    return request(TaskRequest.Kind.PAUSE, taskName, "pause");
  }

  /**
   * Lets a task that was paused start again. What it missed meanwhile runs once, at once, as after
   * any absence. Returns when that is durable.
   *
   * @return whether it did; false if the task was not paused
   * @throws TaskNotFoundException if no such task is registered
   * @throws SchedulerNotActiveException if the scheduler is not running
   * @throws TaskStoreException if it could not be written; the task is still paused then
   */
  public boolean resume(String taskName) {
    return request(TaskRequest.Kind.RESUME, taskName, "resume");
  }

  private boolean request(TaskRequest.Kind kind, String taskName, String operation) {
    inside.refuseListeners(operation);
    TaskRequest request = ask(kind, Objects.requireNonNull(taskName, "taskName"));
    try {
      driver.await(request.answer);
    } catch (InterruptedException cause) {
      Thread.currentThread().interrupt();
      throw new SchedulerInterruptedException(operation, cause);
    }
    rethrow(request.answer);
    return request.answer.join();
  }

  /** The part of {@link #runNow}, {@link #pause} and {@link #resume} that does not wait. */
  TaskRequest ask(TaskRequest.Kind kind, String taskName) {
    return loop.request(kind, taskName);
  }

  /** The number of events that listeners were not told because they did not keep up. */
  public long droppedEvents() {
    return events.dropped();
  }

  /** The part of {@link #initialize} that does not wait. */
  SchedulerLifecycle.Initialization requestInitialize(@Nullable List<Registration> registrations) {
    CheckedRegistrations checked;
    try {
      clock.require();
      checked = CheckedRegistrations.check(registrations, owner);
    } catch (SchedulerException invalid) {
      throw refuse(invalid);
    } catch (Throwable unexpected) {
      throw refuse(
          new SchedulerFailureException(
              "Cannot initialize scheduler: the registrations could not be looked at: "
                  + SafeLog.describe(unexpected),
              unexpected));
    }
    SchedulerLifecycle.Initialization initialization =
        new SchedulerLifecycle.Initialization(checked);
    if (lifecycle.begin(initialization, inside)) {
      events.publish(new SchedulerInitializationStarted(clock.instant()));
      drive();
    }
    return initialization;
  }

  private void drive() {
    try {
      driver.drive(loop);
    } catch (Throwable noThread) {
      SchedulerException failure =
          new SchedulerFailureException(
              "Cannot initialize scheduler: it could not be set going: "
                  + SafeLog.describe(noThread),
              noThread);
      events.publish(new SchedulerInitializationFailed(clock.instant(), failure));
      lifecycle.failed(failure);
    }
  }

  /** A list that is not valid never gets as far as the loop. */
  private SchedulerException refuse(SchedulerException invalid) {
    if (lifecycle.beginInvalid()) {
      events.publish(new SchedulerInitializationStarted(clock.instant()));
      events.publish(new SchedulerInitializationFailed(clock.instant(), invalid));
      lifecycle.failed(invalid);
    }
    return invalid;
  }

  /** The part of {@link #stop} that does not wait. */
  CompletableFuture<@Nullable Void> requestStop() {
    CompletableFuture<@Nullable Void> stopped = lifecycle.requestStop();
    driver.wake();
    return stopped;
  }

  private static void rethrow(CompletableFuture<?> done) {
    if (done.isCompletedExceptionally()) {
      throw (SchedulerException) done.exceptionNow();
    }
  }
}
