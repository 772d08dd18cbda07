package dev.kron.daemon.runs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.runs.BoundedReads.UnansweredException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Files on a mount that does not answer until the test lets it. */
final class BoundedReadsTest {
  private static final Path DEAD = Path.of("/dead/app.env");

  private Duration patience = Duration.ofMinutes(1);
  private final BoundedReads reads = new BoundedReads(() -> patience);
  private final CountDownLatch answers = new CountDownLatch(1);
  private final CompletableFuture<Thread> reader = new CompletableFuture<>();

  private String hang() {
    reader.complete(Thread.currentThread());
    try {
      assertTrue(answers.await(60, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return "late";
  }

  @AfterEach
  void answer() {
    answers.countDown();
  }

  @Test
  void aFileThatDoesNotAnswerIsGivenUpAndNoOtherIs() throws Exception {
    patience = Duration.ofSeconds(1);
    var first = assertThrows(UnansweredException.class, () -> reads.read(DEAD, this::hang));
    assertEquals("/dead/app.env: did not answer within 1 s", first.getMessage());
    patience = Duration.ofMinutes(1);
    var second = assertThrows(UnansweredException.class, () -> reads.read(DEAD, () -> "unasked"));
    assertEquals("/dead/app.env: has not answered since an earlier start", second.getMessage());
    assertEquals("other", reads.read(DEAD.resolveSibling("x"), () -> "other"));

    answers.countDown();
    reader.join().join();
    assertEquals("now", reads.read(DEAD, () -> "now"));
  }

  @Test
  void aDaemonThatStopsWaitsForNoFile() {
    Thread.currentThread().interrupt();
    assertThrows(RejectedExecutionException.class, () -> reads.read(DEAD, this::hang));
    assertTrue(Thread.interrupted());
  }

  @Test
  void whatAReadThrowsIsNotTakenForSilence() {
    var broken = new IllegalArgumentException("broken");
    var thrown =
        assertThrows(
            IllegalStateException.class,
            () ->
                reads.read(
                    DEAD,
                    () -> {
                      throw broken;
                    }));
    assertSame(broken, thrown.getCause());
  }
}
