package dev.kron.daemon.services;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.log.Faults;
import dev.kron.daemon.loop.Background;
import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.loop.SystemClocks;
import dev.kron.daemon.loop.Workers;
import dev.kron.service.LogLimits;
import dev.kron.service.ServiceGraph;
import dev.kron.service.ServiceSpec;
import dev.kron.service.SupervisionState;
import dev.kron.service.Wanted;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Logs of several services that are due for rotation at the same time. */
final class ServiceLogLanesTest {
  /** More than there are threads that services share. */
  private static final int SLOW = 20;

  @TempDir Path directory;
  private final CountDownLatch end = new CountDownLatch(1);
  private final Semaphore begun = new Semaphore(0);
  private final Semaphore done = new Semaphore(0);

  /** The daemon's own threads, on which every rotation but the last one takes until the end. */
  private final class SlowWorkers implements Background {
    private final Background workers = new Workers();
    private int count;

    @Override
    public void execute(Runnable task) {
      workers.execute(task);
    }

    @Override
    public void execute(String lane, Runnable task) {
      boolean slow = count++ < SLOW;
      workers.execute(
          lane,
          () -> {
            begun.release();
            if (slow) {
              await();
            }
            task.run();
            done.release();
          });
    }

    private void await() {
      try {
        assertTrue(end.await(60, TimeUnit.SECONDS));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void after(long millis, Runnable task) {
      workers.after(millis, task);
    }

    @Override
    public boolean byHand() {
      return false;
    }

    @Override
    public RandomGenerator random() {
      return workers.random();
    }

    @Override
    public void close() {
      workers.close();
    }
  }

  @Test
  void aLogThatIsLongToRotateHoldsUpNoOther() throws Exception {
    List<ServiceSpec> specs =
        IntStream.rangeClosed(0, SLOW)
            .mapToObj(
                i ->
                    ServiceSpec.builder("s" + i, ServiceSpec.Type.SIMPLE, List.of("/bin/true"))
                        .log(new LogLimits(10, 2))
                        .build())
            .toList();
    for (ServiceSpec spec : specs) {
      Files.writeString(log(spec.name()), "more than ten bytes\n");
    }
    SupervisionState supervised =
        SupervisionState.of(ServiceGraph.of(specs), Map.of(), Wanted.allOf(Set.of("s0")), Set.of());
    try (var events =
            new EventLog(
                OutputStream.nullOutputStream(),
                EventLog.Format.TEXT,
                EventLog.Level.INFO,
                () -> Instant.EPOCH);
        var errands = new Errands(new SlowWorkers(), new Faults(), events)) {
      var logs =
          new ServiceLogs(
              () -> supervised,
              id -> log(id.service()),
              this::log,
              errands,
              new SystemClocks(),
              events);
      logs.look();
      logs.look(); // what is being rotated is not begun once more
      assertTrue(begun.tryAcquire(SLOW + 1, 30, TimeUnit.SECONDS), "some wait for others");
      assertTrue(done.tryAcquire(1, 30, TimeUnit.SECONDS), "the last one waits for others");
      end.countDown();
      assertTrue(done.tryAcquire(SLOW, 30, TimeUnit.SECONDS));
      assertEquals(0, begun.availablePermits());
    }
  }

  private Path log(String name) {
    return directory.resolve(name + ".log");
  }
}
