package dev.kron.store;

import com.sun.management.OperatingSystemMXBean;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobState;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;

/**
 * Figures for docs/state.md, not a test: {@code java -cp … dev.kron.store.Measurements DIRECTORY
 * JOBS}, on the file system that is to be measured.
 */
final class Measurements {
  private Measurements() {}

  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    int jobs = Integer.parseInt(arguments[1]);
    StateSettings settings = StateSettings.standard(100, InstantSource.system());
    try (StateDirectory store =
        StateDirectory.open(directory, new LinuxDisk(), settings, "measurements")) {
      if (store.jobs().history(identity(jobs - 1)).isEmpty()) {
        fill(directory, jobs);
      }
      for (int round = 0; round < 3; round++) {
        load(store, jobs);
      }
      arrivals(store, jobs);
      for (int round = 0; round < 7; round++) {
        commit(store, 1000, round);
      }
    }
  }

  /** Straight to the files: durability is not what is measured here. */
  private static void fill(Path directory, int jobs) throws Exception {
    List<HistoryEntry> ten = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      ten.add(Samples.ended(i));
    }
    for (int i = 0; i < jobs; i++) {
      StateWriter file = StateWriter.write(new StateChange(state(i), ten), null, 100);
      Files.write(
          directory.resolve(JobStates.fileName(identity(i))),
          Arrays.copyOf(file.bytes(), file.length()));
    }
  }

  private static void load(StateDirectory store, int jobs) throws Exception {
    long cpu = cpuMillis();
    long start = System.nanoTime();
    LoadedStates loaded = store.load(UnaryOperator.identity());
    long millis = (System.nanoTime() - start) / 1_000_000;
    cpu = cpuMillis() - cpu;
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    long heap = (runtime.totalMemory() - runtime.freeMemory()) >> 20;
    System.out.printf(
        "load of %d (of %d) states: %d ms, CPU %d ms, heap afterwards %d MiB%n",
        loaded.states().size(), jobs, millis, cpu, heap);
  }

  /** On a busy machine the better figure. */
  private static long cpuMillis() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime()
        / 1_000_000;
  }

  private static void arrivals(StateDirectory store, int jobs) throws Exception {
    List<Arrival> all = new ArrayList<>();
    for (int i = 0; i < jobs; i++) {
      all.add(new Arrival(identity(i), "0123456789abcdef", Samples.NOMINAL, false));
    }
    long start = System.nanoTime();
    store.arrivals().append(all);
    System.out.printf("%d arrivals: %d ms%n", jobs, (System.nanoTime() - start) / 1_000_000);
  }

  private static void commit(StateDirectory store, int count, int round) throws Exception {
    CountDownLatch done = new CountDownLatch(count);
    long cpu = cpuMillis();
    long start = System.nanoTime();
    long[] first = new long[1];
    try (GroupCommit commit = new GroupCommit(store.jobs())) {
      commit.start();
      for (int i = 0; i < count; i++) {
        JobState state =
            Samples.withRuns(
                state(i), Samples.run("00%024d".formatted(i), Samples.NOMINAL + 60L * (round + 1)));
        commit.submit(
            new StateChange(state, List.of()),
            true,
            result -> {
              if (!(result instanceof CommitResult.Durable)) {
                throw new IllegalStateException(result.toString());
              }
              if (first[0] == 0) {
                first[0] = System.nanoTime() - start;
              }
              done.countDown();
            });
      }
      done.await();
    }
    System.out.printf(
        "%d intents durable: %d ms, the first after %d ms, CPU %d ms%n",
        count, (System.nanoTime() - start) / 1_000_000, first[0] / 1_000_000, cpuMillis() - cpu);
  }

  private static String identity(int i) {
    return "/etc/krond.d/generated.kron:job-number-" + i;
  }

  private static JobState state(int i) {
    return Samples.state(identity(i));
  }
}
