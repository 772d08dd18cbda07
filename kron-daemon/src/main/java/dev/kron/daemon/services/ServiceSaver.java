package dev.kron.daemon.services;

import dev.kron.daemon.loop.Errands;
import dev.kron.store.DiskException;
import dev.kron.store.StateManager;
import java.util.function.Consumer;

/**
 * The writer of the states of services, beside the loop. The result is {@link ServiceInput.Saved}.
 */
record ServiceSaver(Errands errands, Consumer<ServiceInput> inbox) {
  void save(StateManager.Snapshot snapshot) {
    errands.execute(
        Errands.Place.SAVE_SERVICES,
        () -> {
          try {
            snapshot.write();
            inbox.accept(new ServiceInput.Saved(null));
          } catch (DiskException e) {
            inbox.accept(new ServiceInput.Saved(String.valueOf(e.getMessage())));
          }
        },
        thrown -> inbox.accept(new ServiceInput.Saved(Errands.reason(thrown))));
  }
}
