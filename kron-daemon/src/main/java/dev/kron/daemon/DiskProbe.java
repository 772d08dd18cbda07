package dev.kron.daemon;

import dev.kron.daemon.loop.Errands;
import dev.kron.store.DiskException;
import dev.kron.store.StateDirectory;
import java.util.function.Consumer;

/**
 * The probe that finds out beside the loop whether state can be written. The result is {@link
 * Input.Probed}. On a full disk, history that is kept for pictures is dropped to make room.
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
