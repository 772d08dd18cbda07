package dev.kron.simulation;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Plays histories, one for each seed, until one goes wrong. Which seeds go wrong, and how, depends
 * on nothing but the seeds and the code: not on threads, the time or the machine.
 */
public final class Simulation {
  /** Steps of an ordinary history; each has half as many to one and a half times as many. */
  public static final int STEPS = 24;

  private static final Duration PROGRESS_EVERY = Duration.ofMillis(500);

  private final long from;
  private final int steps;
  private final int threads;
  private final AtomicLong next;
  private final AtomicLong played = new AtomicLong();
  private final AtomicLong executions = new AtomicLong();

  /** The lowest seed that is known to go wrong: those before it are still to be played. */
  private final AtomicLong end;

  private final AtomicReference<@Nullable Failure> failure = new AtomicReference<>();
  private final AtomicReference<@Nullable Throwable> fault = new AtomicReference<>();

  public Simulation(long from, long seeds, int steps, int threads) {
    this.from = from;
    this.steps = steps;
    this.threads = threads;
    this.next = new AtomicLong(from);
    this.end = new AtomicLong(from + seeds);
  }

  /**
   * A history that went wrong.
   *
   * @param message what happened, in the whole history
   * @param shrunk the steps of the shortest history found that violates the same invariant
   * @param history that history, line by line
   */
  public record Failure(
      long seed, Invariant invariant, String message, List<String> shrunk, List<String> history) {
    public Failure {
      shrunk = List.copyOf(shrunk);
      history = List.copyOf(history);
    }
  }

  /**
   * What came of it.
   *
   * @param histories that were played
   * @param executions of commands in them
   * @param failure of the lowest seed that went wrong; null: everything held in all of them
   */
  public record Outcome(long histories, long executions, @Nullable Failure failure) {}

  /**
   * Plays them all.
   *
   * @param progress told now and then how many histories were played
   */
  public Outcome run(LongConsumer progress) throws InterruptedException {
    List<Thread> workers =
        IntStream.range(0, threads)
            .mapToObj(i -> Thread.ofPlatform().daemon().name("simulation-" + i).start(this::play))
            .toList();
    for (Thread worker : workers) {
      while (!worker.join(PROGRESS_EVERY)) {
        progress.accept(played.get());
      }
    }
    Throwable thrown = fault.get();
    if (thrown != null) {
      throw new IllegalStateException("the simulator itself failed", thrown);
    }
    return new Outcome(played.get(), executions.get(), failure.get());
  }

  private void play() {
    try {
      for (long seed = next.getAndIncrement(); seed < end.get(); seed = next.getAndIncrement()) {
        History.Result result = History.play(Scenario.of(seed, steps), false);
        played.incrementAndGet();
        executions.addAndGet(result.executions());
        Violation violation = result.violation();
        if (violation != null) {
          long failed = seed;
          end.updateAndGet(lowest -> Math.min(lowest, failed));
          keep(seed, result, violation);
        }
      }
    } catch (RuntimeException | Error e) {
      end.set(from); // nothing that comes now is worth anything
      fault.compareAndSet(null, e);
    }
  }

  private void keep(long seed, History.Result result, Violation violation) {
    Scenario shrunk = Shrinker.shrink(result.scenario(), violation.invariant());
    var found =
        new Failure(
            seed,
            violation.invariant(),
            String.valueOf(violation.getMessage()),
            shrunk.steps().stream().map(Step::toString).toList(),
            History.play(shrunk, true).trace().lines());
    failure.accumulateAndGet(
        found,
        (before, now) ->
            before != null && now != null && before.seed() < now.seed() ? before : now);
  }

  /** What goes wrong in one history; null: nothing. */
  public static @Nullable String violation(long seed, int steps) {
    Violation violation = History.play(Scenario.of(seed, steps), false).violation();
    return violation == null ? null : violation.getMessage();
  }

  /** One history, line by line: the same for the same seed, byte for byte. */
  public static List<String> history(long seed, int steps) {
    return History.play(Scenario.of(seed, steps), true).trace().lines();
  }
}
