package dev.kron.daemon.services;

import dev.kron.daemon.runs.NoteLines;
import dev.kron.service.Hook;
import dev.kron.service.InstanceId;
import dev.kron.store.DiskException;
import dev.kron.store.RunDirectories;
import org.jspecify.annotations.Nullable;

/**
 * The file {@code note} in the directory of a service's run: enough to find out what runs if the
 * supervisor's file is lost. It has one line for each fact, and no secret.
 *
 * @param bootId of the daemon that wrote it
 * @param hook whose run it is; null: it is the service's own command
 */
record ServiceNote(
    InstanceId instance, int restarts, RunFacts run, String bootId, @Nullable Hook hook) {
  /** Before the run begins: one without a note could not be found again if the file is lost. */
  void write(RunDirectories directories) throws DiskException {
    String profile = run.profile();
    new NoteLines.Draft()
        .line("service", instance.service())
        .line("instance", instance.index())
        .line("restarts", restarts)
        .line("started_at", run.startedAt())
        .line("fingerprint", run.fingerprint())
        .line("profile", profile == null ? "" : profile)
        .line("hook", hook == null ? "" : hook.text())
        .line("boot", bootId)
        .write(directories, run.runId());
  }

  /**
   * The note of a run; null if there is none, or none that makes sense.
   *
   * @throws DiskException if it cannot be read now, so that the owner of the run is not known
   */
  static @Nullable ServiceNote find(RunDirectories directories, String runId) throws DiskException {
    NoteLines facts = NoteLines.read(directories, runId);
    try {
      String service = facts.text("service", "");
      if (service.isEmpty()) {
        return null;
      }
      String profile = facts.text("profile", "");
      return new ServiceNote(
          new InstanceId(service, (int) facts.number("instance", 0)),
          (int) facts.number("restarts", 0),
          RunFacts.intended(
                  runId, facts.number("started_at", 0), profile.isEmpty() ? null : profile)
              .withFingerprint(facts.text("fingerprint", "")),
          facts.text("boot", ""),
          Hook.of(facts.text("hook", "")).orElse(null));
    } catch (NumberFormatException e) {
      return null;
    }
  }
}
