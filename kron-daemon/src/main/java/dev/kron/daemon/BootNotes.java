package dev.kron.daemon;

import dev.kron.daemon.jobs.BootPeriods;
import dev.kron.daemon.jobs.Jobs;
import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.loop.Writability;
import dev.kron.store.BootRecord.Presence;
import dev.kron.store.DiskException;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The note of a boot that could not be written at the start; it is written once the disk allows it.
 */
final class BootNotes implements Writability.Listener {
  private final BootPeriods boots;
  private final Jobs jobs;
  private final Errands errands;
  private final Consumer<Input> inbox;

  BootNotes(BootPeriods boots, Jobs jobs, Errands errands, Consumer<Input> inbox) {
    this.boots = boots;
    this.jobs = jobs;
    this.errands = errands;
    this.inbox = inbox;
  }

  @Override
  public void unwritable() {}

  /** The jobs of the start have been taken in; they can be noted now. */
  void jobsAreKnown() {
    boots.jobsAreKnown();
    writableAgain();
  }

  @Override
  public void writableAgain() {
    if (!boots.isToBeNoted()) {
      return;
    }
    Map<String, Presence> present = boots.presences(jobs.known().values());
    errands.execute(
        Errands.Place.NOTE_ARRIVALS,
        () -> {
          try {
            boots.note(present);
            inbox.accept(new Input.Later("boot noted", 0, jobs::bootNoted));
          } catch (DiskException e) {
            inbox.accept(new Input.Unwritable(String.valueOf(e.getMessage())));
          }
        },
        thrown -> inbox.accept(new Input.Unwritable(Errands.reason(thrown))));
  }
}
