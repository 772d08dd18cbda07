package dev.kron.simulation.mutants;

import dev.kron.simulation.Simulation;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Plays histories in this JVM, up to the first that goes wrong, falls over or never ends. */
public final class RunHistories {
  private static final Duration ENDLESS = Duration.ofSeconds(60);

  private RunHistories() {}

  /** The first seed and the last; the last line printed says what was found. */
  public static void main(String... seeds) {
    var seed = new AtomicLong(Long.parseLong(seeds[0]));
    long last = Long.parseLong(seeds[1]);
    Thread.ofPlatform().daemon().start(() -> watch(seed));
    while (seed.get() <= last) {
      @Nullable String wrong = wrong(seed.get());
      if (wrong != null) {
        end(seed.get() + ": " + wrong.lines().findFirst().orElse(""));
      }
      seed.incrementAndGet();
    }
    Runtime.getRuntime().halt(0);
  }

  private static @Nullable String wrong(long seed) {
    try {
      return Simulation.violation(seed, Simulation.STEPS);
    } catch (RuntimeException | Error e) {
      return "falls over: " + e;
    }
  }

  private static void watch(AtomicLong seed) {
    try {
      long before = -1;
      for (long now = seed.get(); now != before; now = seed.get()) {
        before = now;
        new CountDownLatch(1).await(ENDLESS.toSeconds(), TimeUnit.SECONDS);
      }
      end(before + ": does not end");
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void end(String found) {
    System.out.println("\n" + Verdict.MARK + "seed " + found);
    System.out.flush();
    Runtime.getRuntime().halt(1);
  }
}
