package dev.kron.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Plays histories, one for each seed, until one goes wrong or all were played. Which seeds go
 * wrong, and how, depends on nothing but the seeds and the code: not on threads, the time, the
 * machine or its locale.
 */
public final class Simulation {
  /** Steps of an ordinary history; each has half as many to one and a half times as many. */
  public static final int STEPS = 24;

  /** Histories of one daemon on its machine. */
  public static final Script.Source DAEMON = Scenario::of;

  private static final Duration PROGRESS_EVERY = Duration.ofMillis(500);

  private final Script.Source source;
  private final long from;
  private final int steps;
  private final int threads;
  private final AtomicLong next;
  private final AtomicLong played = new AtomicLong();
  private final AtomicLong executions = new AtomicLong();

  /** Seeds before this one are still to be played. */
  private final AtomicLong end;

  /** Alarms by their seeds. */
  private final ConcurrentSkipListMap<Long, Alarm> alarms = new ConcurrentSkipListMap<>();

  private final AtomicReference<@Nullable Throwable> fault = new AtomicReference<>();

  /** Histories of one daemon on its machine. */
  public Simulation(long from, long seeds, int steps, int threads) {
    this(DAEMON, from, seeds, steps, threads);
  }

  /** Histories of whatever somebody draws. */
  public Simulation(Script.Source source, long from, long seeds, int steps, int threads) {
    this.source = source;
    this.from = from;
    this.steps = steps;
    this.threads = threads;
    this.next = new AtomicLong(from);
    this.end = new AtomicLong(from + seeds);
  }

  /**
   * A seed whose history goes wrong.
   *
   * @param message what happens in it, in one line
   */
  public record Alarm(long seed, Invariant invariant, String message) {}

  /**
   * A history that went wrong, in full.
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
   * The outcome of a simulation.
   *
   * @param histories that were played
   * @param executions of commands in them
   * @param failure of the lowest seed that went wrong; null: everything held in all of them
   * @param alarms all that were raised, by seed; only that of the failure where it ended the run
   */
  public record Outcome(
      long histories, long executions, @Nullable Failure failure, List<Alarm> alarms) {
    public Outcome {
      alarms = List.copyOf(alarms);
    }
  }

  /**
   * Plays histories until one goes wrong, and all with a lower seed.
   *
   * @param progress told now and then how many histories were played
   */
  public Outcome run(LongConsumer progress) throws InterruptedException {
    play(progress, false);
    var first = alarms.firstEntry();
    return outcome(first == null ? List.of() : List.of(first.getValue()));
  }

  /** The same, but plays all of them, however many go wrong. */
  public Outcome runAll(LongConsumer progress) throws InterruptedException {
    play(progress, true);
    return outcome(List.copyOf(alarms.values()));
  }

  private Outcome outcome(List<Alarm> raised) {
    return new Outcome(
        played.get(),
        executions.get(),
        raised.isEmpty() ? null : inFull(raised.getFirst()),
        raised);
  }

  private void play(LongConsumer progress, boolean keepGoing) throws InterruptedException {
    List<Thread> workers =
        IntStream.range(0, threads)
            .mapToObj(
                i ->
                    Thread.ofPlatform()
                        .daemon()
                        .name("simulation-" + i)
                        .start(() -> play(keepGoing)))
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
  }

  private void play(boolean keepGoing) {
    try {
      for (long seed = next.getAndIncrement(); seed < end.get(); seed = next.getAndIncrement()) {
        Script.Played result = source.of(seed, steps).play(false);
        played.incrementAndGet();
        executions.addAndGet(result.executions());
        Violation violation = result.violation();
        if (violation != null) {
          alarms.put(seed, new Alarm(seed, violation.invariant(), line(violation)));
          long failed = seed;
          if (!keepGoing) {
            end.updateAndGet(lowest -> Math.min(lowest, failed));
          }
        }
      }
    } catch (RuntimeException | Error e) {
      end.set(from); // nothing that comes now is worth anything
      fault.compareAndSet(null, e);
    }
  }

  private static String line(Violation violation) {
    return String.valueOf(violation.getMessage()).lines().findFirst().orElse("");
  }

  private Failure inFull(Alarm alarm) {
    Script script = source.of(alarm.seed(), steps);
    Script.Played result = script.play(false);
    Script shrunk = Shrinker.shrink(script, alarm.invariant());
    return new Failure(
        alarm.seed(),
        alarm.invariant(),
        String.valueOf(Objects.requireNonNull(result.violation()).getMessage()),
        shrunk.steps().stream().map(Object::toString).toList(),
        shrunk.play(true).trace().lines());
  }

  /** The violation in one history; null: none. */
  public static @Nullable String violation(long seed, int steps) {
    Violation violation = History.play(Scenario.of(seed, steps), false).violation();
    return violation == null ? null : violation.getMessage();
  }

  /** One history, line by line: the same for the same seed, byte for byte. */
  public static List<String> history(long seed, int steps) {
    return history(DAEMON, seed, steps);
  }

  /** The same of whatever somebody draws. */
  public static List<String> history(Script.Source source, long seed, int steps) {
    return source.of(seed, steps).play(true).trace().lines();
  }
}
