package dev.kron.process;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A launch whose keeper waits; where none does, starting it is an ordinary launch. */
final class PreparedLaunch implements Prepared {

  private final Launch launch;
  private final @Nullable WaitingKeeper keeper;
  private final Function<Launch, LaunchResult> otherwise;

  PreparedLaunch(
      Launch launch, @Nullable WaitingKeeper keeper, Function<Launch, LaunchResult> otherwise) {
    this.launch = launch;
    this.keeper = keeper;
    this.otherwise = otherwise;
  }

  @Override
  public LaunchResult start() {
    ProcessIdentity released = keeper == null ? null : keeper.release();
    return released == null ? otherwise.apply(launch) : new LaunchResult.Launched(released);
  }

  @Override
  public void discard() {
    if (keeper != null) {
      keeper.dismiss();
    }
  }
}
