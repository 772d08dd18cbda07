package dev.kron.daemon.log;

import dev.kron.store.LoadedStates;
import dev.kron.store.Quarantined;
import java.util.ArrayList;
import java.util.List;

/** The reports about files of the state directory that the daemon has to do without. */
public final class StoreFaults {
  private static final int MISSING_TOLD = 20;

  private StoreFaults() {}

  /** Reports a file whose content is lost; the daemon is not healthy until it is restarted. */
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

  /**
   * Reports what is wrong with the loaded state.
   *
   * @param missing files that must have existed; their contents count as lost, not as never written
   */
  public static void loaded(
      Reports reports, long nowMillis, List<String> missing, LoadedStates loaded) {
    EventLog log = reports.log();
    Faults faults = reports.meters().faults;
    loaded.quarantined().forEach(it -> quarantined(log, faults, nowMillis, it));
    var all = new ArrayList<String>(missing);
    if (loaded.arrivalsLost()) {
      all.add("arrivals");
    }
    all.addAll(loaded.missing());
    all.stream()
        .limit(MISSING_TOLD)
        .forEach(file -> log.error("store", "file_missing", "file", file));
    if (!all.isEmpty()) {
      String message =
          "%s of its files are missing, first of all %s: what may have run is not run again"
              .formatted(all.size(), all.getFirst());
      log.error("store", "state_incomplete", "files", all.size(), "reason", message);
      faults.raise("state directory", nowMillis, message);
    }
  }
}
