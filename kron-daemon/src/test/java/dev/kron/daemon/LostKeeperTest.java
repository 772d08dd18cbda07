package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.job.HistoryEntry;
import dev.kron.job.Outcome;
import dev.kron.process.Exits;
import dev.kron.process.Launch;
import dev.kron.process.LinuxProcesses;
import dev.kron.process.Prepared;
import dev.kron.process.Processes;
import dev.kron.process.Run;
import dev.kron.process.RunStatus;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keepers that are gone before they have claimed their runs. */
final class LostKeeperTest {
  @TempDir Path directory;

  private TestDaemon daemon(int lost) throws Exception {
    return new TestDaemon(directory, "2026-05-04T11:59:58Z")
        .with(exits -> losing(lost, exits))
        .write(
            "0 12 * * * name=job shell=true command=\"echo ran >>%s\""
                .formatted(directory.resolve("evidence")))
        .start()
        .pass(Duration.ofSeconds(3));
  }

  @Test
  void theRunMayHaveBegunAndIsNotStartedOnceMore() throws Exception {
    try (var daemon = daemon(1)) {
      HistoryEntry entry = daemon.awaitEntries("job", 1);
      assertEquals(Outcome.EXECUTED, entry.outcome());
      assertNull(entry.exitCode());
      assertTrue(String.valueOf(entry.reason()).contains("its record is gone or was never made"));
      assertTrue(Files.notExists(directory.resolve("evidence")));
    }
  }

  /**
   * The system's processes, but the first few keepers find the claim of a run that is not theirs,
   * and leave.
   */
  private Processes losing(int count, Exits exits) {
    var left = new AtomicInteger(count);
    Map<Path, Run> decoys = new ConcurrentHashMap<>();
    var real =
        LinuxProcesses.open(
            (run, keeper, status) -> {
              Run meant = decoys.get(run.directory());
              exits.ended(
                  meant == null ? run : meant,
                  keeper,
                  meant == null ? status : new RunStatus.Unclaimed());
            });
    return (Processes)
        Proxy.newProxyInstance(
            Processes.class.getClassLoader(),
            new Class<?>[] {Processes.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("launch") && left.getAndDecrement() > 0) {
                Launch launch = (Launch) arguments[0];
                Path other = Files.createTempDirectory(directory, "decoy");
                decoys.put(other, launch.run());
                Run decoy = new Run(launch.run().id(), other);
                Prepared prepared = real.prepare(aimedAt(decoy, launch));
                assertTrue(real.forestall(decoy));
                return prepared.start();
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static Launch aimedAt(Run run, Launch launch) {
    return launch.toBuilder().run(run).build();
  }
}
