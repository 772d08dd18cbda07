package dev.kron.daemon.log;

import dev.kron.store.Quarantined;

/** Tells of files of the state directory that the daemon has to do without. */
public final class StoreFaults {
  private StoreFaults() {}

  /** What was in the file is lost to this daemon: it is not healthy for as long as it lives. */
  public static void quarantined(
      EventLog log, Faults faults, long nowMillis, Quarantined quarantined) {
    faults.raise(
        "state file " + quarantined.file(),
        nowMillis,
        quarantined.reason() + "; it was moved to " + quarantined.movedTo());
    log.error(
        "store",
        "quarantined",
        "file",
        quarantined.file(),
        "moved_to",
        quarantined.movedTo(),
        "reason",
        quarantined.reason());
  }
}
