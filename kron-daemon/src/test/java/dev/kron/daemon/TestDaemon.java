package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import dev.kron.config.ConfigFiles.Configuration;
import dev.kron.config.Diagnostic;
import dev.kron.daemon.Input.Asked;
import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Request;
import dev.kron.daemon.services.HookOutput;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobState;
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceInstance;
import dev.kron.service.SupervisionState;
import dev.kron.store.DiskException;
import dev.kron.store.StateDirectory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A daemon in this process, on clocks that the test moves and with real processes: write krontabs,
 * start, let time pass, look at the record.
 */
public final class TestDaemon extends TestDaemonSetup<TestDaemon> implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  final ByteArrayOutputStream out = new ByteArrayOutputStream();
  final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private @Nullable StateDirectory state;
  private @Nullable World world;
  private @Nullable Thread thread;
  private final AtomicReference<@Nullable Integer> exitCode = new AtomicReference<>();

  public TestDaemon(Path directory, String start) throws IOException {
    super(directory, start);
  }

  @Override
  TestDaemon self() {
    return this;
  }

  /** What the daemon does for itself now and then, now. */
  public void keepHouse() {
    running().keepHouse();
  }

  /** The port of the control API, where it has one. */
  public int port() {
    return running().port();
  }

  /** What the control API can do: method, path, authority, parameters. */
  public List<String> operations() {
    return running().operations();
  }

  boolean hasEnded() {
    return exitCode.get() != null;
  }

  /** Waits until the daemon has left by itself; its exit code. */
  public int awaitEnd() throws Exception {
    await("the daemon to stop", () -> exitCode.get() != null);
    release();
    return java.util.Objects.requireNonNull(exitCode.get());
  }

  SupervisionState supervised() {
    return running().services().view().supervised();
  }

  /** The credentials that are bound to a service by command. */
  @Nullable String binding(String service) {
    return running().services().view().facts().bindings().get(service);
  }

  /** The state of a service, in the words that people read. */
  public String state(String service) {
    return supervised().state(service).name();
  }

  ServiceInstance instance(String service, int index) {
    return supervised().instances(service).get(index);
  }

  /** The last reload of a service's first instance that has ended. */
  HookOutput.@Nullable Reloaded lastReload(String service) {
    return running().services().lastReload(new InstanceId(service, 0));
  }

  int pid(String service) {
    return java.util.Objects.requireNonNull(instance(service, 0).state().pid());
  }

  public TestDaemon awaitState(String service, String state) {
    await(service + " to be " + state, () -> state(service).equals(state));
    return this;
  }

  /** Starts a daemon, which must come up. */
  public TestDaemon start() throws Exception {
    StateDirectory opened = openState();
    World started = build(opened, out, err);
    Configuration read = read();
    assertEquals(List.of(), read.diagnostics().stream().filter(Diagnostic::isError).toList());
    try {
      started.begin(read);
    } catch (IOException e) {
      started.close();
      opened.close();
      throw e;
    }
    exitCode.set(null);
    thread =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  try {
                    exitCode.set(started.loop());
                  } catch (InterruptedException e) {
                    // Abandoned by the test.
                  }
                });
    world = started;
    state = opened;
    return this;
  }

  /** Lets time pass, a second at a time, as the daemon sees it. */
  public TestDaemon pass(Duration time) {
    for (long seconds = time.toSeconds(); seconds > 0; seconds--) {
      clocks.pass(Duration.ofSeconds(1));
      nudge();
    }
    return this;
  }

  /** Lets time pass up to a moment. */
  public TestDaemon passUntil(String instant) {
    return pass(Duration.between(clocks.now(), Instant.parse(instant)));
  }

  /** Sets the wall clock. */
  public TestDaemon setClock(String instant) {
    clocks.set(instant);
    nudge();
    return this;
  }

  /**
   * Waits until the loop has looked at the clocks. It does so after each round of inputs, so a
   * second answer to something that concerns nobody means that it has, after the first.
   */
  private void nudge() {
    try {
      ask(new Request.Suspend("nobody"));
      ask(new Request.Suspend("nobody"));
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private World running() {
    World present = world;
    if (present == null) {
      throw new IllegalStateException("start the daemon first");
    }
    return present;
  }

  public Answer ask(Request request) throws Exception {
    var reply = new CompletableFuture<Answer>();
    running().post(new Asked(request, reply));
    return reply.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  /** Stops the daemon as SIGTERM does; its exit code. */
  public int stop() throws Exception {
    return stop(Request.Stop.LEAVE_JOBS);
  }

  public int stop(Request.Stop how) throws Exception {
    ask(how);
    await("the daemon to stop", () -> exitCode.get() != null);
    release();
    return java.util.Objects.requireNonNull(exitCode.get());
  }

  private void release() throws InterruptedException {
    World present = world;
    world = null;
    if (present != null) {
      present.close();
    }
    Thread waiting = thread;
    if (waiting != null) {
      waiting.interrupt();
      waiting.join();
    }
    if (state != null) {
      state.close();
    }
  }

  /** The history of a job, as it is on disk. */
  public List<HistoryEntry> history(String name) {
    try {
      return stateDirectory().jobs().history(identity(name));
    } catch (DiskException e) {
      throw new AssertionError(e);
    }
  }

  public JobState job(String name) {
    try {
      return stateDirectory()
          .jobs()
          .find(identity(name))
          .orElseGet(() -> JobState.unseen(identity(name)));
    } catch (DiskException e) {
      throw new AssertionError(e);
    }
  }

  private StateDirectory stateDirectory() {
    StateDirectory present = state;
    if (present == null) {
      throw new IllegalStateException("start the daemon first");
    }
    return present;
  }

  /** Waits until the history of a job has an entry that fits, and returns it. */
  public HistoryEntry awaitEntry(String name, String what, Predicate<HistoryEntry> fits) {
    await(name + ": " + what, () -> history(name).stream().anyMatch(fits));
    return history(name).stream().filter(fits).findFirst().orElseThrow();
  }

  public HistoryEntry awaitEntries(String name, int count) {
    await(count + " entries of " + name, () -> history(name).size() >= count);
    return history(name).get(count - 1);
  }

  /** Waits for a condition, bounded; the log is in the message of a failure. */
  public void await(String what, Condition condition) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    synchronized (this) {
      while (!condition.isMet()) {
        if (System.nanoTime() > deadline) {
          fail("not within " + PATIENCE.toSeconds() + " s: " + what + "\n" + log());
        }
        try {
          wait(5);
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      }
    }
  }

  /**
   * What the daemon has said so far, all of it: what happened in a turn of the loop may be seen
   * before the turn has logged it, and a thread of its own writes it down.
   */
  public String log() {
    World present = world;
    if (present != null && exitCode.get() == null) {
      endOfTurn(present);
    }
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (present != null && !present.hasWrittenItsLog() && System.nanoTime() < deadline) {
      LockSupport.parkNanos(200_000);
    }
    return err.toString(StandardCharsets.UTF_8);
  }

  /** Waits until the loop has ended the turn it is in; a loop that is held up is not waited for. */
  private void endOfTurn(World present) {
    var reply = new CompletableFuture<Answer>();
    present.post(new Asked(new Request.Suspend("nobody"), reply));
    try {
      reply.get(2, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      // The test sees what is there.
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    if (world != null) {
      try {
        stop(Request.Stop.END_JOBS);
        TestProcesses.awaitStragglers(directory);
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
  }
}
