package dev.kron.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A keeper that has not claimed its run and reads from a pipe of ours: a line lets it begin, the
 * end of the pipe sends it away. The pipe ends by itself when this process dies.
 */
final class WaitingKeeper {

  private enum Turn {
    WAITING,
    RELEASED,
    OVER
  }

  private final AtomicReference<Turn> turn = new AtomicReference<>(Turn.WAITING);
  private final Run run;
  private final int handle;
  private final BiConsumer<Libc, ProcessIdentity> watched;
  private final BiConsumer<Run, ProcessIdentity> told;
  private volatile @Nullable ProcessIdentity identity;

  /**
   * A keeper that waits.
   *
   * @param watched called once it may begin; from then on its end matters
   * @param told called when it ends after that
   */
  WaitingKeeper(
      Run run,
      int handle,
      BiConsumer<Libc, ProcessIdentity> watched,
      BiConsumer<Run, ProcessIdentity> told) {
    this.run = run;
    this.handle = handle;
    this.watched = watched;
    this.told = told;
  }

  void is(ProcessIdentity keeper) {
    identity = keeper;
  }

  /** Called when the keeper is gone; the end of one that never began is not reported. */
  void ended(ProcessIdentity keeper) {
    if (turn.compareAndSet(Turn.WAITING, Turn.OVER)) {
      closeHandle();
    } else if (turn.get() == Turn.RELEASED) {
      told.accept(run, keeper);
    }
  }

  /** Lets the keeper begin; null if it is gone. */
  @Nullable ProcessIdentity release() {
    if (!turn.compareAndSet(Turn.WAITING, Turn.RELEASED)) {
      return null;
    }
    ProcessIdentity keeper = requireNonNull(identity);
    try (Libc libc = new Libc()) {
      watched.accept(libc, keeper);
      tell(libc, handle, keeper);
    }
    closeHandle();
    return keeper;
  }

  /**
   * Tells a keeper, or its gate, which process the keeper is. If that dies at this very moment, the
   * line is lost and its end is reported like any other.
   */
  static void tell(Libc libc, int handle, ProcessIdentity keeper) {
    byte[] line = (keeper.pid() + " " + keeper.startTicks() + "\n").getBytes(UTF_8);
    libc.write(handle, libc.arena().allocateFrom(ValueLayout.JAVA_BYTE, line));
  }

  void dismiss() {
    if (turn.compareAndSet(Turn.WAITING, Turn.OVER)) {
      closeHandle();
    }
  }

  private void closeHandle() {
    try (Libc libc = new Libc()) {
      libc.close(handle);
    }
  }
}
