package dev.kron.daemon;

import dev.kron.daemon.Input.Asked;
import dev.kron.daemon.loop.EventLoop;
import dev.kron.daemon.loop.Request;
import dev.kron.process.OwnSignals;
import dev.kron.process.Signal;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Signals become requests to the daemon. */
final class Stopping {
  private static final int INIT = 1;

  private Stopping() {}

  static void onSignals(EventLoop<Input> loop) {
    on(Signal.HUP, loop, Request.Reload::new);
    on(Signal.TERM, loop, Stopping::how);
    on(Signal.INT, loop, Stopping::how);
  }

  private static void on(Signal signal, EventLoop<Input> loop, Supplier<Request> request) {
    OwnSignals.on(
        signal,
        Runnable::run,
        () -> loop.post(new Asked(request.get(), new CompletableFuture<>())));
  }

  /**
   * Jobs go on without the daemon, unless everything ends with it: as PID 1 of a container, or when
   * the machine goes down and would kill them without a record.
   */
  private static Request how() {
    boolean all =
        ProcessHandle.current().pid() == INIT || new SystemShutdown(Path.of("/run")).isUnderWay();
    return all ? Request.Stop.END_JOBS : Request.Stop.LEAVE_JOBS;
  }
}
