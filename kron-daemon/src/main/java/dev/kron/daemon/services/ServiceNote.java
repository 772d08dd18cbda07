package dev.kron.daemon.services;

import dev.kron.daemon.runs.NoteLines;
import dev.kron.service.InstanceId;
import dev.kron.store.DiskException;
import dev.kron.store.RunDirectories;
import org.jspecify.annotations.Nullable;

/**
 * The file {@code note} in the directory of a service's run: enough to find out what runs when the
 * supervisor's own file is lost. A line a fact; no secret.
 *
 * @param bootId of the daemon that wrote it
 */
record ServiceNote(
    InstanceId instance,
    int restarts,
    long startedAt,
    String fingerprint,
    @Nullable String profile,
    String bootId) {
  /** Before the run begins: one without a note could not be found again if the file is lost. */
  void write(RunDirectories directories, String runId) throws DiskException {
    String text =
        "service %s\ninstance %s\nrestarts %s\nstarted_at %s\nfingerprint %s\nprofile %s\nboot %s\n"
            .formatted(
                instance.service(),
                instance.index(),
                restarts,
                startedAt,
                fingerprint,
                profile == null ? "" : profile,
                bootId);
    NoteLines.write(directories, runId, text);
  }

  /**
   * Null where there is none, or nothing can be made of it.
   *
   * @throws DiskException where it cannot be read now: whose run it is is not known then
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
          facts.number("started_at", 0),
          facts.text("fingerprint", ""),
          profile.isEmpty() ? null : profile,
          facts.text("boot", ""));
    } catch (NumberFormatException e) {
      return null;
    }
  }
}
