package dev.kron.scheduler.testkit;

import dev.kron.cluster.Terms;
import dev.kron.scheduler.DeclarativeScheduler;
import dev.kron.scheduler.Registration;
import dev.kron.scheduler.SchedulerEvent;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Several instances of a program that share their tasks, in time that a test moves by hand, on a
 * database that is simulated: instances are killed, frozen and cut off without any process.
 *
 * <pre>{@code
 * var cluster = ClusterTestKit.startingAt(ZonedDateTime.parse("2026-01-01T00:00Z"));
 * var a = cluster.start("a", tasks);
 * var b = cluster.start("b", tasks);
 * a.kill();
 * cluster.advance(Duration.ofMinutes(5));       // b takes up what a was running
 * }</pre>
 *
 * <p>A lease lasts 30 s here, and its grace 10 s. Not for use by several threads.
 */
public final class ClusterTestKit {
  private static final Terms TERMS = new Terms(Duration.ofSeconds(30), Duration.ofSeconds(10));

  private final ManualClock clock;
  private final ZoneId zone;
  private final SimulatedTables tables;
  private final Map<String, Duration> durations = new HashMap<>();
  private final List<Instance> instances = new ArrayList<>();

  private ClusterTestKit(ZonedDateTime start) {
    clock = new ManualClock(start.toInstant(), start.getZone());
    zone = start.getZone();
    tables = new SimulatedTables(TERMS, clock);
  }

  /** A cluster whose clock shows the given time, with cron expressions meant in its zone. */
  public static ClusterTestKit startingAt(ZonedDateTime start) {
    return new ClusterTestKit(start);
  }

  /** One process of the cluster. */
  public final class Instance {
    private final String name;
    private final SimulatedMembership membership = new SimulatedMembership(tables, clock);
    private final ManualDriver driver;
    private final List<SchedulerEvent> events = new ArrayList<>();
    private final DeclarativeScheduler scheduler;
    private boolean frozen;

    private Instance(String name) {
      this.name = name;
      driver =
          new ManualDriver(
              clock, ClusterTestKit.this::durationOf, name, ClusterTestKit.this::passUntil);
      scheduler =
          DeclarativeScheduler.builder(membership)
              .name("cluster")
              .zone(zone)
              .driver(driver)
              .listener(events::add)
              .build();
    }

    public DeclarativeScheduler scheduler() {
      return scheduler;
    }

    public String name() {
      return name;
    }

    /** All events here, in order. */
    public List<SchedulerEvent> events() {
      return List.copyOf(events);
    }

    /** Whether a run of a task is under way here. */
    public boolean runs(String taskName) {
      return driver.runs(taskName);
    }

    /** Whether time passes for it. */
    public boolean isFrozen() {
      return frozen;
    }

    /** Stops the scheduler. Time passes, for all, until the runs in flight have ended. */
    public void stop() {
      scheduler.stop();
      instances.remove(this);
    }

    /** The process dies. */
    public void kill() {
      driver.die();
      instances.remove(this);
    }

    /**
     * The instance stands still until {@link #thaw}, as if the process were stopped by a signal.
     */
    public void freeze() {
      frozen = true;
    }

    public void thaw() {
      frozen = false;
      settle();
    }

    /** The database cannot be reached from here until {@link #reconnect}. */
    public void cutOff() {
      membership.cut(true);
    }

    public void reconnect() {
      membership.cut(false);
    }

    /** The next write reaches the database, and its answer does not come back. */
    public void loseNextAnswer() {
      membership.loseNextAnswer();
    }
  }

  private Duration durationOf(String taskName) {
    return durations.getOrDefault(taskName, Duration.ZERO);
  }

  /** Starts an instance under a name that no other one has or had, and initializes it. */
  public Instance start(String name, List<Registration> registrations) {
    Instance instance = new Instance(name);
    instances.add(instance);
    try {
      instance.scheduler.initialize(registrations);
    } catch (RuntimeException refused) {
      instances.remove(instance);
      throw refused;
    }
    settle();
    return instance;
  }

  /** The instances that have neither stopped nor been killed. */
  public List<Instance> instances() {
    return List.copyOf(instances);
  }

  public ManualClock clock() {
    return clock;
  }

  /** Lets the runs of a task last that long; its callback takes effect when the run begins. */
  public void lasts(String taskName, Duration duration) {
    durations.put(taskName, duration);
  }

  /** Sets the database's clock, as far as leases are concerned, ahead of the true one. */
  public void databaseClockIsAheadBy(Duration duration) {
    tables.clockIsOffBy(duration.toMillis());
  }

  /** Lets time pass, for all instances. */
  public void advance(Duration duration) {
    passUntil(clock.elapsedMillis() + duration.toMillis());
  }

  private void passUntil(long elapsedMillis) {
    settle();
    while (true) {
      long next = Long.MAX_VALUE;
      for (Instance instance : instances) {
        if (!instance.frozen) {
          next = Math.min(next, instance.membership.nextElapsedMillis());
          next = Math.min(next, instance.driver.nextElapsedMillis());
        }
      }
      if (next > elapsedMillis) {
        break;
      }
      clock.passUntil(Math.max(next, clock.elapsedMillis() + 1));
      settle();
    }
    clock.passUntil(elapsedMillis);
  }

  private void settle() {
    for (Instance instance : instances()) {
      if (!instance.frozen) {
        instance.membership.tick();
        instance.driver.settle();
      }
    }
  }
}
