package dev.kron.daemon.services;

import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.runs.Launches;
import dev.kron.process.Credentials;
import dev.kron.process.KeptRun;
import dev.kron.process.ProcessIdentity;
import dev.kron.process.Processes;
import dev.kron.process.Run;
import dev.kron.service.Hook;
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceSpec;
import dev.kron.store.RunDirectories;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs of services of which only their living keepers tell, where the supervisor's file is lost and
 * directories of runs with it. They are noted again, so that nothing is started beside them.
 */
final class LostServiceRuns {
  private final Processes processes;
  private final RunDirectories directories;
  private final ServiceLaunches launches;
  private final Clocks clocks;

  LostServiceRuns(
      Processes processes, RunDirectories directories, ServiceLaunches launches, Clocks clocks) {
    this.processes = processes;
    this.directories = directories;
    this.launches = launches;
    this.clocks = clocks;
  }

  /**
   * Notes the runs that live and have no note. Returns the keepers of all that live, by run.
   *
   * @throws IOException if that cannot be done: nothing may be started then
   */
  Map<String, ProcessIdentity> note(Collection<ServiceSpec> specs) throws IOException {
    Map<String, ServiceSpec> byName = new HashMap<>();
    specs.forEach(spec -> byName.put(spec.name(), spec));
    Map<String, ProcessIdentity> keepers = new HashMap<>();
    for (KeptRun kept : processes.kept(directories.path())) {
      InstanceId instance = instance(kept);
      if (instance != null) {
        keepers.put(kept.runId(), kept.keeper());
        if (ServiceNote.find(directories, kept.runId()) == null) {
          write(kept, instance, byName.get(instance.service()));
        }
      }
    }
    return keepers;
  }

  /** Whose run it is; null for one of a check or an alert, which is no part of the service. */
  private static @Nullable InstanceId instance(KeptRun kept) {
    String service = kept.variables().get(Run.SERVICE_VARIABLE);
    String index = kept.variables().getOrDefault(ServiceLaunches.INSTANCE, "");
    String word = hook(kept);
    boolean other = !word.isEmpty() && Hook.of(word).isEmpty();
    return service == null || other || !index.matches("[0-9]{1,4}")
        ? null
        : new InstanceId(service, Integer.parseInt(index));
  }

  private static String hook(KeptRun kept) {
    return kept.variables().getOrDefault(ServiceLaunches.HOOK, "");
  }

  private void write(KeptRun kept, InstanceId instance, @Nullable ServiceSpec spec)
      throws IOException {
    String runId = kept.runId();
    directories.create(runId);
    long startedAt = clocks.wallMillis() - processes.age(kept.keeper()).toMillis();
    Hook hook = Hook.of(hook(kept)).orElse(null);
    new ServiceNote(
            instance, 0, RunFacts.intended(runId, startedAt, null), processes.bootId(), hook)
        .write(directories);
    if (spec != null) {
      noteUser(new Run(runId, directories.of(runId)), spec);
    }
  }

  private void noteUser(Run run, ServiceSpec spec) throws IOException {
    try {
      Credentials credentials = launches.credentials(spec);
      if (credentials != null) {
        processes.noteUser(run, credentials);
      }
    } catch (Launches.Refused e) {
      // There is no such user, so no process runs as them.
    }
  }
}
