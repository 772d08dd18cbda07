package dev.kron.daemon;

import dev.kron.config.ConfigFiles.Configuration;
import dev.kron.daemon.Input.Asked;
import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Background;
import dev.kron.daemon.loop.Request;
import dev.kron.daemon.loop.ServiceRequest;
import dev.kron.job.JobState;
import dev.kron.store.DiskException;
import dev.kron.store.LockHeldException;
import dev.kron.store.StateDirectory;
import dev.kron.store.StateRefusedException;
import dev.kron.store.StateSettings;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The whole daemon without threads: its owner says when each part gets its turn. The simulator uses
 * it; the parts are those that {@link Daemon} runs.
 */
public final class HandDrivenDaemon {
  private final World world;
  private final StateDirectory directory;

  private HandDrivenDaemon(World world, StateDirectory directory) {
    this.world = world;
    this.directory = directory;
  }

  /**
   * Starts a daemon, with the state that is in its directory.
   *
   * @param configuration what the files say, now and at each reload; valid now
   */
  public static HandDrivenDaemon start(
      Settings settings,
      Ports ports,
      Background background,
      StateSettings stateSettings,
      Supplier<Configuration> configuration,
      PrintStream log)
      throws LockHeldException, StateRefusedException, DiskException {
    StateDirectory directory =
        StateDirectory.open(settings.state(), ports.disk(), stateSettings, "a simulation");
    var world = new World(settings, ports, background, directory, configuration, log, log);
    try {
      Configuration files = configuration.get();
      world.begin(files);
    } catch (StateRefusedException | DiskException e) {
      world.close();
      directory.close();
      throw e;
    } catch (IOException e) {
      throw new IllegalArgumentException("a simulation has no control socket", e);
    }
    return new HandDrivenDaemon(world, directory);
  }

  /** One turn of the loop; null: it goes on, otherwise the daemon is done with this exit code. */
  public @Nullable Integer turn() {
    return world.turn();
  }

  /** Whether the loop has something to do at once. */
  public boolean hasInputs() {
    return world.hasInputs();
  }

  /** How long the loop has nothing to do unless something comes in. */
  public long nanosToWait() {
    return world.nanosToWait();
  }

  /** What the thread that watches the clocks does twice a second. */
  public void watchTheClocks() {
    world.lookAtTheClocks();
  }

  /** Writes what waits to be written; returns the number of jobs. */
  public int commit() {
    return world.commit();
  }

  /** Whether something waits to be written. */
  public boolean hasUncommitted() {
    return world.hasUncommitted();
  }

  /** Does the chores that a daemon does about once a minute. */
  public void keepHouse() {
    world.keepHouse();
  }

  /** The durable state of each job, as the loop knows it. */
  public Map<String, JobState> states() {
    return world.states();
  }

  public CompletableFuture<Answer> reload() {
    return ask(new Request.Reload());
  }

  public CompletableFuture<Answer> suspend(String identity) {
    return ask(new Request.Suspend(identity));
  }

  public CompletableFuture<Answer> resume(String identity) {
    return ask(new Request.Resume(identity));
  }

  public CompletableFuture<Answer> runNow(String identity) {
    return ask(new Request.Trigger(identity));
  }

  /** Ends all runs of a job. */
  public CompletableFuture<Answer> endRuns(String identity) {
    return ask(new Request.EndRuns(identity, null, "the operator", null));
  }

  public CompletableFuture<Answer> forget(String identity) {
    return ask(new Request.Forget(identity));
  }

  public CompletableFuture<Answer> stop() {
    return ask(Request.Stop.LEAVE_JOBS);
  }

  public CompletableFuture<Answer> stopWhenJobsHaveEnded() {
    return ask(Request.Stop.WAIT_FOR_JOBS);
  }

  public CompletableFuture<Answer> stopWithJobs() {
    return ask(Request.Stop.END_JOBS);
  }

  public CompletableFuture<Answer> startService(String name) {
    return ask(new ServiceRequest.Start(List.of(name)));
  }

  public CompletableFuture<Answer> stopService(String name) {
    return ask(new ServiceRequest.Stop(List.of(name)));
  }

  public CompletableFuture<Answer> restartService(String name) {
    return ask(new ServiceRequest.Restart(List.of(name)));
  }

  public CompletableFuture<Answer> scaleService(String name, int instances) {
    return ask(new ServiceRequest.Scale(name, instances, false));
  }

  private CompletableFuture<Answer> ask(Request request) {
    var reply = new CompletableFuture<Answer>();
    world.post(new Asked(request, reply));
    return reply;
  }

  /** Leaves in order, once a turn has given an exit code. */
  public void close() {
    world.close();
    directory.close();
  }
}
