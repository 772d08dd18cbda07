package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Request;
import dev.kron.daemon.loop.ServiceRequest;
import dev.kron.store.Disk;
import dev.kron.store.LinuxDisk;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A daemon that is told to leave while something is on its way to the disk. */
class LeavingDaemonTest {
  @TempDir Path directory;
  private final CountDownLatch held = new CountDownLatch(1);
  private final CountDownLatch letGo = new CountDownLatch(1);
  private volatile boolean holds;

  /** A disk that takes its time for one write. */
  private Disk slow() {
    var real = new LinuxDisk();
    return (Disk)
        Proxy.newProxyInstance(
            Disk.class.getClassLoader(),
            new Class<?>[] {Disk.class},
            (proxy, method, arguments) -> {
              if (holds && method.getName().equals("rename")) {
                held.countDown();
                letGo.await();
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void whatIsBeingWrittenOfAServiceIsAnsweredBeforeItLeaves() throws Exception {
    try (var daemon = new TestDaemon(directory, "2026-03-01T00:00:30Z").on(slow())) {
      daemon
          .service("web", "[service]", "exec = \"sleep 100\"")
          .start()
          .awaitState("web", "running");
      holds = true;
      var asked = new FutureTask<>(() -> daemon.ask(new ServiceRequest.Stop(List.of("web"))));
      Thread.ofVirtual().start(asked);
      held.await(20, TimeUnit.SECONDS);
      assertInstanceOf(Answer.Done.class, daemon.ask(Request.Stop.LEAVE_JOBS));
      letGo.countDown();
      assertInstanceOf(Answer.Done.class, asked.get(20, TimeUnit.SECONDS));
      assertEquals(0, daemon.awaitEnd());
    }
  }
}
