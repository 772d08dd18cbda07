package dev.kron.daemon.warmup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.jobs.JobLaunches;
import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.log.Faults;
import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.loop.SystemClocks;
import dev.kron.daemon.loop.Workers;
import dev.kron.daemon.runs.Executions;
import dev.kron.daemon.runs.Launches;
import dev.kron.daemon.runs.Outputs;
import dev.kron.process.LinuxProcesses;
import dev.kron.process.SystemLog;
import dev.kron.process.SystemUsers;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RehearsalTest {
  @Test
  void goesThroughBothWaysToBeginAndLeavesNothing(@TempDir Path place) throws Exception {
    var clocks = new SystemClocks();
    var ended = new CountDownLatch(2);
    var users = new SystemUsers();
    var launches = new Launches(users, Map.of("PATH", "/usr/bin:/bin"));
    var log =
        new EventLog(
            OutputStream.nullOutputStream(),
            EventLog.Format.TEXT,
            EventLog.Level.INFO,
            clocks::wallTime);
    try (var processes = LinuxProcesses.open((run, keeper, status) -> ended.countDown());
        var outputs =
            new Outputs(
                line -> {},
                line -> {},
                new SystemLog(SystemLog.SOCKET, ZoneOffset.UTC),
                clocks,
                log,
                new Errands(new Workers(), new Faults(), log))) {
      new Rehearsal(
              place,
              clocks,
              processes,
              new JobLaunches(launches, new Executions(users)),
              outputs,
              new SplittableRandom(1))
          .play();
      assertTrue(ended.await(60, TimeUnit.SECONDS));
    }
    log.close();
    try (var left = Files.list(place)) {
      assertEquals(List.of(), left.toList());
    }
  }
}
