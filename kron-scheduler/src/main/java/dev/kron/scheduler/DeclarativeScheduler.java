package dev.kron.scheduler;

import dev.kron.scheduler.SchedulerEvent.SchedulerInitializationFailed;
import dev.kron.scheduler.SchedulerEvent.SchedulerInitializationStarted;
import java.time.Clock;
import java.time.ZoneId;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
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
 * <p>For maintainers: {@link Lifecycle} holds the state that any thread may ask about, {@link
 * SchedulerLoop} everything else, touched by one thread only; {@link TaskTable} and {@link Task}
 * decide, {@link TaskStore} remembers, and a {@link SchedulerDriver} turns the loop. An intent is
 * durable before its callback begins, and an end is durable before anybody is told, so a process
 * may be killed between any two instructions: what was interrupted runs once more, what succeeded
 * does not.
 */
public final class DeclarativeScheduler implements Scheduler {
  private final ZoneId zone;
  private final SafeClock clock;
  private final SchedulerDriver driver;
  private final Inside inside = new Inside();
  private final EventPublisher events;
  private final Lifecycle lifecycle = new Lifecycle();
  private final SchedulerLoop loop;

  private DeclarativeScheduler(Builder builder) {
    zone = builder.zone;
    clock = new SafeClock(builder.clock);
    driver = builder.driver == null ? new ThreadDriver(clock) : builder.driver;
    events = new EventPublisher(builder.listener, inside);
    String identifier = UUID.randomUUID().toString();
    Initializer initializer = new Initializer(builder.store, clock, identifier, inside);
    loop = new SchedulerLoop(initializer, clock, driver, events, lifecycle);
  }

  /** A scheduler with the system's clock and zone. */
  public static DeclarativeScheduler create(TaskStore store) {
    return builder(store).build();
  }

  public static Builder builder(TaskStore store) {
    return new Builder(Objects.requireNonNull(store, "store"));
  }

  /** What may be chosen about a scheduler. */
  public static final class Builder {
    private final TaskStore store;
    private Clock clock = Clock.systemUTC();
    private ZoneId zone = ZoneId.systemDefault();
    private SchedulerListener listener = event -> {};
    private @Nullable SchedulerDriver driver;

    private Builder(TaskStore store) {
      this.store = store;
    }

    /** What time it is. The clock's own zone is not looked at. */
    public Builder clock(Clock chosen) {
      clock = Objects.requireNonNull(chosen, "clock");
      return this;
    }

    /** The zone in which cron expressions are meant; the system's if not chosen. */
    public Builder zone(ZoneId chosen) {
      zone = Objects.requireNonNull(chosen, "zone");
      return this;
    }

    /** Who is told what happens. */
    public Builder listener(SchedulerListener chosen) {
      listener = Objects.requireNonNull(chosen, "listener");
      return this;
    }

    /** Who turns the scheduler; a thread if not chosen. */
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
    Lifecycle.Initialization initialization = requestInitialize(registrations);
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
    rethrow(stopped);
  }

  /** The part of {@link #initialize} that does not wait. */
  Lifecycle.Initialization requestInitialize(@Nullable List<Registration> registrations) {
    CheckedRegistrations checked;
    try {
      clock.require();
      checked = CheckedRegistrations.check(registrations, zone);
    } catch (SchedulerException invalid) {
      throw refuse(invalid);
    } catch (Throwable unexpected) {
      throw refuse(
          new SchedulerFailureException(
              "Cannot initialize scheduler: the registrations could not be looked at: "
                  + SafeLog.describe(unexpected),
              unexpected));
    }
    Lifecycle.Initialization initialization = new Lifecycle.Initialization(checked);
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

  private static void rethrow(CompletableFuture<@Nullable Void> done) {
    if (done.isCompletedExceptionally()) {
      throw (SchedulerException) done.exceptionNow();
    }
  }
}
