package dev.kron.cli.online;

import dev.kron.cli.online.WatchSource.Subject;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An action on a row of {@code kron watch}, performed after a yes.
 *
 * @param path what the daemon is asked
 */
record WatchAction(String question, String path) {

  /** The action of a key for a row; null if there is none. */
  static @Nullable WatchAction of(Api api, char key, Subject subject) throws IOException {
    return switch (subject) {
      case Subject.OfJob job -> ofJob(key, job);
      case Subject.OfRun run ->
          key == 'x' && !run.runId().isEmpty()
              ? new WatchAction(
                  "stop run " + run.runId() + " of " + OnlineCommand.nameOf(run.identity()) + "?",
                  Api.path("runs", run.runId(), "stop"))
              : null;
      case Subject.OfService service -> ofService(api, key, service.name());
    };
  }

  private static @Nullable WatchAction ofJob(char key, Subject.OfJob job) {
    String name = OnlineCommand.nameOf(job.identity());
    return switch (key) {
      case 't' -> act("run " + name + " now?", "jobs", job.identity(), "trigger");
      case 'x' -> act("stop the runs of " + name + "?", "jobs", job.identity(), "stop");
      case 'p' ->
          job.suspended()
              ? act("resume " + name + "?", "jobs", job.identity(), "resume")
              : act("suspend " + name + "?", "jobs", job.identity(), "suspend");
      default -> null;
    };
  }

  private static @Nullable WatchAction ofService(Api api, char key, String name)
      throws IOException {
    return switch (key) {
      case 't' -> act("start " + name + "?", "services", name, "start");
      case 'x' -> act("stop " + name + "?" + others(api, name), "services", name, "stop");
      case 'r' -> act("restart " + name + "?", "services", name, "restart");
      default -> null;
    };
  }

  private static WatchAction act(String question, String kind, String name, String verb) {
    return new WatchAction(question, Api.path(kind, name, verb));
  }

  private static String others(Api api, String name) throws IOException {
    List<String> too = ServiceWords.stoppedToo(api, List.of(name));
    return too.isEmpty() ? "" : " It stops " + String.join(", ", too) + " too.";
  }
}
