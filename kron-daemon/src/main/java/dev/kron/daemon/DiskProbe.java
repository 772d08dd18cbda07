package dev.kron.daemon;

import dev.kron.daemon.loop.Errands;
import dev.kron.store.DiskException;
import dev.kron.store.StateDirectory;
import java.util.function.Consumer;

/** Finds out beside the loop whether state can be written; comes back as {@link Input.Probed}. */
record DiskProbe(StateDirectory directory, Errands errands, Consumer<Input> inbox)
    implements Runnable {
  @Override
  public void run() {
    errands.execute(
        Errands.Place.PROBE_DISK,
        () -> {
          try {
            directory.probe();
            inbox.accept(new Input.Probed(null));
          } catch (DiskException e) {
            inbox.accept(new Input.Probed(String.valueOf(e.getMessage())));
          }
        },
        thrown -> inbox.accept(new Input.Probed(Errands.reason(thrown))));
  }
}
