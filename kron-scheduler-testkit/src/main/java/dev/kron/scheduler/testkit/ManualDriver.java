package dev.kron.scheduler.testkit;

import dev.kron.scheduler.SchedulerDriver;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.PriorityQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Drives a scheduler by hand, on the thread of the test: same calls, same order, same outcome,
 * every time. A callback is executed at the moment its run begins; how long the run lasts is up to
 * the test, and costs no real time.
 */
final class ManualDriver implements SchedulerDriver {
  /** More turns than this without any time passing are a loop that would never end. */
  private static final int MAX_TURNS_AT_ONCE = 100_000;

  private final ManualClock clock;
  private final Function<String, Duration> durations;
  private final Deque<Run> begun = new ArrayDeque<>();
  private final PriorityQueue<Ending> endings =
      new PriorityQueue<>(
          Comparator.comparingLong(Ending::elapsedMillis).thenComparingLong(Ending::order));
  private final @Nullable LongConsumer world;
  private final String identifier;
  private long endingsSoFar;
  private @Nullable Loop loop;
  private boolean woken;
  private boolean dead;
  private long wakeMillis;

  private record Ending(long elapsedMillis, long order, Run run, @Nullable Throwable failure) {}

  /**
   * @param process how many processes there were, this one included
   */
  ManualDriver(ManualClock clock, Function<String, Duration> durations, int process) {
    this(clock, durations, "process-" + process, null);
  }

  /**
   * @param world lets time pass for all who live in it; null if this driver is alone in it
   */
  ManualDriver(
      ManualClock clock,
      Function<String, Duration> durations,
      String identifier,
      @Nullable LongConsumer world) {
    this.clock = clock;
    this.durations = durations;
    this.identifier = identifier;
    this.world = world;
  }

  @Override
  public void drive(Loop driven) {
    loop = driven;
    woken = true;
  }

  @Override
  public void wake() {
    woken = true;
  }

  @Override
  public void begin(Run run) {
    begun.add(run);
  }

  @Override
  public void await(CompletionStage<?> done) {
    settle();
    while (!done.toCompletableFuture().isDone()) {
      long next = world == null ? nextEnding() : nextElapsedMillis();
      if (next == Long.MAX_VALUE) {
        throw new IllegalStateException("This wait would never end: nothing is running");
      }
      waitUntil(next);
    }
  }

  private long nextEnding() {
    Ending next = endings.peek();
    return next == null ? Long.MAX_VALUE : next.elapsedMillis();
  }

  private void waitUntil(long elapsedMillis) {
    if (world == null) {
      passUntil(elapsedMillis);
    } else {
      world.accept(elapsedMillis);
    }
  }

  @Override
  public boolean await(CompletionStage<?> done, Duration limit) {
    settle();
    long until = clock.elapsedMillis() + limit.toMillis();
    while (!done.toCompletableFuture().isDone()) {
      long next = nextElapsedMillis();
      if (next > until) {
        waitUntil(until);
        return done.toCompletableFuture().isDone();
      }
      waitUntil(next);
    }
    return true;
  }

  /** A run that is interrupted ends there and then, as a callback does that waits for something. */
  @Override
  public void interrupt(Run run) {
    for (Ending ending : endings) {
      if (ending.run().equals(run)) {
        endings.remove(ending);
        ending.run().ended(new InterruptedException("interrupted at " + clock.instant()));
        return;
      }
    }
    run.interrupt();
  }

  @Override
  public String newIdentifier() {
    return identifier;
  }

  @Override
  public long nanoTime() {
    return TimeUnit.MILLISECONDS.toNanos(clock.elapsedMillis());
  }

  int inFlight() {
    return endings.size() + begun.size();
  }

  /** The scheduler does what can be done without any time passing. */
  void settle() {
    for (int turns = 0; turnOnce(); turns++) {
      if (turns > MAX_TURNS_AT_ONCE) {
        throw new IllegalStateException(
            "The scheduler never comes to rest: a task with a retry delay of zero keeps failing at "
                + clock.instant());
      }
    }
  }

  /** One step; whether there may be another one to do now. */
  boolean turnOnce() {
    Run run = begun.poll();
    if (run != null) {
      execute(run);
      return true;
    }
    Ending ending = endings.peek();
    if (ending != null && ending.elapsedMillis() <= clock.elapsedMillis()) {
      endings.poll();
      ending.run().ended(ending.failure());
      return true;
    }
    if (loop == null || !(woken || wakeMillis <= clock.millis())) {
      return false;
    }
    woken = false;
    wakeMillis = loop.turn();
    if (wakeMillis == Loop.FINISHED) {
      loop = null;
    }
    return loop != null;
  }

  private void execute(Run run) {
    Throwable failure = null;
    try {
      run.execute();
    } catch (Throwable thrown) {
      failure = thrown;
    }
    if (dead) {
      return; // the callback itself brought the crash about
    }
    long ends = clock.elapsedMillis() + durations.apply(run.taskName()).toMillis();
    endings.add(new Ending(ends, endingsSoFar++, run, failure));
  }

  /** Lets time pass, from one thing that happens to the next. */
  void passUntil(long elapsedMillis) {
    settle();
    while (true) {
      long next = nextElapsedMillis();
      if (next > elapsedMillis) {
        break;
      }
      clock.passUntil(next);
      settle();
    }
    clock.passUntil(elapsedMillis);
  }

  /** Whether a run of the task is under way. */
  boolean runs(String taskName) {
    return endings.stream()
        .anyMatch(
            ending ->
                ending.run().taskName().equals(taskName)
                    && ending.elapsedMillis() > clock.elapsedMillis());
  }

  /** When there is something to do next, in time that passes. */
  long nextElapsedMillis() {
    long wake = loop == null ? Long.MAX_VALUE : clock.elapsedAt(wakeMillis);
    Ending ending = endings.peek();
    return ending == null ? wake : Math.min(wake, ending.elapsedMillis());
  }

  /** The process dies: nothing that was under way goes on. */
  void die() {
    dead = true;
    loop = null;
    begun.clear();
    endings.clear();
  }

  /** The wall clock was set: a scheduler in production looks again within a second. */
  void clockWasSet() {
    woken = true;
    settle();
  }
}
