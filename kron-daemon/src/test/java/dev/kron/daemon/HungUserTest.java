package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kron.job.HistoryEntry;
import dev.kron.process.LinuxProcesses;
import dev.kron.process.SystemUsers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Twenty jobs of a user whose files do not answer, and a job of the daemon's own beside them. */
final class HungUserTest {
  private static final int HUNG = 20;

  /** What files may take to answer; those of the job beside them have to, on a busy machine too. */
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  @TempDir Path directory;
  private final CountDownLatch answers = new CountDownLatch(1);

  private void touch(String path) {
    if (path.startsWith("/dead/")) {
      try {
        assertTrue(answers.await(60, TimeUnit.SECONDS));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Test
  void nobodyElseWaitsForThem() throws Exception {
    var users = new SystemUsers();
    assumeTrue(users.mayBecomeOthers(), "needs root");
    assumeTrue(users.user("daemon").isPresent(), "needs a user called daemon");
    try (var daemon =
        new TestDaemon(directory, "2026-03-01T00:00:30Z")
            .with(exits -> LinuxProcesses.open(exits, PATIENCE, this::touch))) {
      var lines = new ArrayList<String>();
      for (int i = 0; i < HUNG; i++) {
        lines.add("* * * * * name=hung" + i + " user=daemon command=/dead/tool" + i);
      }
      lines.add("* * * * * name=root command=/bin/true");
      daemon.write(lines.toArray(String[]::new)).start();
      daemon.passUntil("2026-03-01T00:01:00Z");
      assertEquals(0, daemon.awaitEntries("root", 1).exitCode());

      for (int i = 0; i < HUNG; i++) {
        HistoryEntry entry = daemon.awaitEntries("hung" + i, 1);
        assertEquals("exec", entry.stage());
        String reason = String.valueOf(entry.reason());
        assertTrue(
            reason.contains("did not answer within 3 s") || reason.contains("has not answered"),
            reason);
      }
      daemon.passUntil("2026-03-01T00:02:00Z");
      assertEquals(0, daemon.awaitEntries("root", 2).exitCode());
      for (int i = 0; i < HUNG; i++) {
        String reason = String.valueOf(daemon.awaitEntries("hung" + i, 2).reason());
        assertTrue(reason.contains("has not answered since an earlier start"), reason);
      }
    } finally {
      answers.countDown();
    }
  }
}
