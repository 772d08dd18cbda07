package dev.kron.daemon.services;

import dev.kron.service.InstanceId;
import dev.kron.store.DiskException;
import dev.kron.store.RunDirectories;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What stands in the directory of a service's run as {@code note}: enough to find out what runs
 * when the supervisor's own file is lost. A line a fact; no secret.
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
  private static final String FILE = "note";
  private static final int LIMIT_BYTES = 64 * 1024;

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
    directories.write(runId, FILE, text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Null where there is none, or nothing can be made of it.
   *
   * @throws DiskException where it cannot be read now: whose run it is is not known then
   */
  static @Nullable ServiceNote find(RunDirectories directories, String runId) throws DiskException {
    Map<String, String> facts = new HashMap<>();
    try {
      byte[] text = directories.tail(runId, FILE, LIMIT_BYTES);
      for (String line : new String(text, StandardCharsets.UTF_8).split("\n")) {
        int space = line.indexOf(' ');
        if (space > 0) {
          facts.put(line.substring(0, space), line.substring(space + 1));
        }
      }
      String service = facts.getOrDefault("service", "");
      if (service.isEmpty()) {
        return null;
      }
      String profile = facts.getOrDefault("profile", "");
      return new ServiceNote(
          new InstanceId(service, Integer.parseInt(facts.getOrDefault("instance", "0"))),
          Integer.parseInt(facts.getOrDefault("restarts", "0")),
          Long.parseLong(facts.getOrDefault("started_at", "0")),
          facts.getOrDefault("fingerprint", ""),
          profile.isEmpty() ? null : profile,
          facts.getOrDefault("boot", ""));
    } catch (NumberFormatException e) {
      return null;
    }
  }
}
