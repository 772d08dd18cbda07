package dev.kron.scheduler.testkit;

import dev.kron.scheduler.DeclarativeScheduler;
import dev.kron.scheduler.MemoryTaskStore;
import dev.kron.scheduler.Registration;
import dev.kron.scheduler.SchedulerEvent;
import dev.kron.scheduler.SchedulerEvent.TaskRetryStarted;
import dev.kron.scheduler.SchedulerEvent.TaskRunStarted;
import dev.kron.scheduler.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * A scheduler whose time a test moves by hand.
 *
 * <pre>{@code
 * var kit = SchedulerTestKit.startingAt(ZonedDateTime.parse("2026-01-01T00:00+01:00[Europe/Paris]"));
 * kit.initialize(List.of(new Registration("report", "0 6 * * 1", report, Duration.ofMinutes(5))));
 * kit.advance(Duration.ofDays(365));
 * assertEquals(52, kit.starts("report").size());
 * }</pre>
 *
 * <p>It is the scheduler that runs in production, on another clock and another driver. Everything
 * happens on the calling thread, in an order that is the same every time. Not for use by several
 * threads.
 */
public final class SchedulerTestKit {
  private final ManualClock clock;
  private final ZoneId zone;
  private final UnaryOperator<DeclarativeScheduler.Builder> choices;
  private final Map<String, Duration> durations = new HashMap<>();
  private final List<SchedulerEvent> events = new ArrayList<>();
  private MemoryTaskStore store = MemoryTaskStore.create();
  private int processes = 1;
  private ManualDriver driver;
  private DeclarativeScheduler scheduler;

  private SchedulerTestKit(
      Instant start, ZoneId zone, UnaryOperator<DeclarativeScheduler.Builder> choices) {
    this.zone = zone;
    this.choices = choices;
    clock = new ManualClock(start, zone);
    driver = new ManualDriver(clock, this::durationOf, processes);
    scheduler = newScheduler();
  }

  /** A kit whose clock shows the given time, with cron expressions meant in its zone. */
  public static SchedulerTestKit startingAt(ZonedDateTime start) {
    return startingAt(start, builder -> builder);
  }

  /**
   * The same with a scheduler about which more was chosen: its name, its instance, listeners, which
   * are told at once and on the calling thread here.
   */
  public static SchedulerTestKit startingAt(
      ZonedDateTime start, UnaryOperator<DeclarativeScheduler.Builder> choices) {
    return new SchedulerTestKit(start.toInstant(), start.getZone(), choices);
  }

  private DeclarativeScheduler newScheduler() {
    return choices
        .apply(DeclarativeScheduler.builder(store))
        .clock(clock)
        .zone(zone)
        .driver(driver)
        .listener(events::add)
        .build();
  }

  private Duration durationOf(String taskName) {
    return durations.getOrDefault(taskName, Duration.ZERO);
  }

  /** The scheduler under test; after {@link #crash} another one. */
  public DeclarativeScheduler scheduler() {
    return scheduler;
  }

  /** The clock that it uses, for the code under test. */
  public ManualClock clock() {
    return clock;
  }

  /** Initializes the scheduler, and runs what is due at once. */
  public void initialize(List<Registration> registrations) {
    scheduler.initialize(registrations);
    driver.settle();
  }

  /** Stops the scheduler. Time passes until the runs in flight have ended. */
  public void stop() {
    scheduler.stop();
  }

  /** Lets the runs of a task last that long; its callback takes effect when the run begins. */
  public void lasts(String taskName, Duration duration) {
    durations.put(taskName, duration);
  }

  /** Lets time pass. */
  public void advance(Duration duration) {
    driver.passUntil(clock.elapsedMillis() + duration.toMillis());
  }

  /** Lets time pass until the clock shows the given time, which must not be in the past. */
  public void advanceTo(Instant instant) {
    if (instant.isBefore(clock.instant())) {
      throw new IllegalArgumentException(
          "Time does not pass backwards, from "
              + clock.instant()
              + " to "
              + instant
              + "; setClock() sets the clock");
    }
    driver.passUntil(clock.elapsedAt(instant.toEpochMilli()));
  }

  /** Sets the clock, forward or back, as an administrator would. No time passes. */
  public void setClock(Instant instant) {
    clock.set(instant);
    driver.clockWasSet();
  }

  /**
   * The process dies: runs in flight are cut off, and only what was durable is remembered. The next
   * {@link #initialize} is that of a new process.
   */
  public void crash() {
    driver.die();
    store = MemoryTaskStore.of(store.contents());
    driver = new ManualDriver(clock, this::durationOf, ++processes);
    scheduler = newScheduler();
  }

  /** All events so far, in order. */
  public List<SchedulerEvent> events() {
    return List.copyOf(events);
  }

  /** Forgets what happened so far. */
  public void clearEvents() {
    events.clear();
  }

  /** When the task was started, retries included, in order. */
  public List<Instant> starts(String taskName) {
    List<Instant> starts = new ArrayList<>();
    for (SchedulerEvent event : events) {
      if ((event instanceof TaskRunStarted run && run.taskName().equals(taskName))
          || (event instanceof TaskRetryStarted retry && retry.taskName().equals(taskName))) {
        starts.add(event.at());
      }
    }
    return starts;
  }

  /** The state that is remembered of a task; empty if it is not known. */
  public Optional<TaskState> state(String taskName) {
    return store.contents().stream().filter(task -> task.name().equals(taskName)).findFirst();
  }

  /** The number of runs in flight. */
  public int inFlight() {
    return driver.inFlight();
  }
}
