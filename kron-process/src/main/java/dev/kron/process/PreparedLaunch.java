package dev.kron.process;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A launch whose keeper waits; if there is none, its start is an ordinary launch. */
final class PreparedLaunch implements Prepared {

  private final Launch launch;
  private final @Nullable WaitingKeeper keeper;
  private final Otherwise otherwise;

  /** An ordinary launch. */
  interface Otherwise {
    LaunchResult launch(Launch launch) throws IOException;
  }

  PreparedLaunch(Launch launch, @Nullable WaitingKeeper keeper, Otherwise otherwise) {
    this.launch = launch;
    this.keeper = keeper;
    this.otherwise = otherwise;
  }

  @Override
  public LaunchResult start() throws IOException {
    ProcessIdentity released = keeper == null ? null : keeper.release();
    return released == null ? otherwise.launch(launch) : new LaunchResult.Launched(released);
  }

  @Override
  public void discard() {
    if (keeper != null) {
      keeper.dismiss();
    }
  }
}
