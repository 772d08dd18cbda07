package dev.kron.daemon;

import dev.kron.daemon.loop.Errands;
import dev.kron.store.DiskException;
import dev.kron.store.StateDirectory;
import java.util.function.Consumer;

/**
 * Finds out beside the loop whether state can be written; comes back as {@link Input.Probed}. On a
 * full disk what is kept for pictures makes room for it.
 */
record DiskProbe(
    StateDirectory directory, PastRecorder past, Errands errands, Consumer<Input> inbox)
    implements Runnable {
  @Override
  public void run() {
    errands.execute(
        Errands.Place.PROBE_DISK,
        () -> {
          try {
            probe();
            inbox.accept(new Input.Probed(null));
          } catch (DiskException e) {
            inbox.accept(new Input.Probed(String.valueOf(e.getMessage())));
          }
        },
        thrown -> inbox.accept(new Input.Probed(Errands.reason(thrown))));
  }

  private void probe() throws DiskException {
    try {
      directory.probe();
    } catch (DiskException e) {
      if (e.reason() != DiskException.Reason.NO_SPACE || !past.giveWay()) {
        throw e;
      }
      directory.probe();
    }
  }
}
