package dev.kron.daemon.services;

import dev.kron.process.ProcessIdentity;
import dev.kron.service.Hook;
import dev.kron.service.InstanceId;
import dev.kron.service.Lifecycle;
import dev.kron.service.ServiceSpec;
import dev.kron.store.DiskException;
import dev.kron.store.PersistedProcessInstance;
import dev.kron.store.PersistedState;
import dev.kron.store.ProcessSpec;
import dev.kron.store.ProcessState;
import dev.kron.store.RunDirectories;
import dev.kron.store.WishFile;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The memory of services, rebuilt from the directories of runs where the supervisor's file is lost.
 *
 * @param keepers those that live, by run
 * @param bootId only runs of this boot may still be there
 * @param ids new ids of services
 */
record ServiceRebuild(
    RunDirectories directories,
    Map<String, ProcessIdentity> keepers,
    String bootId,
    Supplier<UUID> ids) {

  /**
   * Rebuilds the memory. A service that has a run and no known wish is taken to be wanted up.
   * Returns how many runs were found.
   *
   * @param memory receives what is found
   * @param wishes the operators' wishes
   * @throws DiskException if a directory cannot be read: then it is not known what runs, and
   *     nothing may be started
   */
  int into(PersistedState memory, Collection<ServiceSpec> specs, Map<String, WishFile.Wish> wishes)
      throws DiskException {
    Map<InstanceId, ServiceNote> newest = new LinkedHashMap<>();
    Map<InstanceId, String> reloads = new HashMap<>();
    for (String runId : directories.list()) {
      ServiceNote note = ServiceNote.find(directories, runId);
      if (note == null || !note.bootId().equals(bootId)) {
        continue;
      }
      if (note.hook() == Hook.RELOAD) {
        reloads.put(note.instance(), note.run().runId());
      } else {
        newest.merge(note.instance(), note, this::newer);
      }
    }
    Map<String, ServiceSpec> byName = new HashMap<>();
    specs.forEach(spec -> byName.put(spec.name(), spec));
    int found = 0;
    for (ServiceNote note : newest.values()) {
      RunFacts run = note.run();
      String name = note.instance().service();
      ProcessSpec spec = memory.spec(name);
      if (spec == null) {
        spec =
            spec(
                ids.get(),
                byName.getOrDefault(name, ServiceMapping.unknown(name)),
                wishes.get(name));
        memory.addSpec(spec);
      }
      // A service that was not wanted up was being stopped, so its end is no failure.
      boolean wanted = spec.desired() == ProcessSpec.Desired.UP;
      memory.updateInstance(
          PersistedProcessInstance.builder(spec.id(), note.instance().index())
              .state(state(note, wanted))
              .startedAt(Instant.ofEpochMilli(run.startedAt()))
              .restartCount(note.restarts())
              .credentialProfile(run.profile())
              .runId(run.runId())
              .bootId(bootId)
              .restartDelayMillis(delay(byName.get(name), note.restarts()))
              .restartAt(
                  note.hook() == Hook.AFTER_STOP
                          && wanted
                          && spec.type() != ServiceSpec.Type.ONESHOT
                      ? Instant.ofEpochMilli(run.startedAt())
                      : null)
              .specFingerprint(run.fingerprint())
              .hook(note.hook())
              .keeper(keeper(run.runId()))
              .reloadRun(reloads.get(note.instance()))
              .build());
      found++;
    }
    wishes.forEach(
        (name, wish) -> {
          ServiceSpec spec = byName.get(name);
          if (spec != null && memory.spec(name) == null) {
            memory.addSpec(spec(ids.get(), spec, wish));
          }
        });
    return found;
  }

  /** The ids of runs follow the wall clock, which may have been set back between them. */
  private ServiceNote newer(ServiceNote first, ServiceNote second) {
    boolean onlyTheFirstLives =
        keepers.containsKey(first.run().runId()) && !keepers.containsKey(second.run().runId());
    return onlyTheFirstLives ? first : second;
  }

  private PersistedProcessInstance.@Nullable Keeper keeper(String runId) {
    ProcessIdentity keeper = keepers.get(runId);
    return keeper == null
        ? null
        : new PersistedProcessInstance.Keeper(keeper.pid(), keeper.startTicks());
  }

  /** The state in which a run was, as far as that is known without the supervisor's file. */
  private static ProcessState state(ServiceNote note, boolean wanted) {
    if (note.hook() == Hook.AFTER_STOP) {
      return new ProcessState.Exited(null, Instant.ofEpochMilli(note.run().startedAt()));
    }
    return wanted ? new ProcessState.Starting() : new ProcessState.Stopping();
  }

  private static ProcessSpec spec(UUID id, ServiceSpec service, WishFile.@Nullable Wish wish) {
    if (wish == null) {
      return ServiceMapping.toDisk(id, service, ProcessSpec.Desired.UP, null);
    }
    boolean counts = wish.fileInstances() == service.instances();
    return ServiceMapping.toDisk(id, service, wish.desired(), wish.profile()).toBuilder()
        .scaledTo(counts ? wish.scaledTo() : null)
        .stoppedInstances(wish.stopped())
        .build();
  }

  private static long delay(@Nullable ServiceSpec spec, int restarts) {
    Lifecycle lifecycle = spec == null ? Lifecycle.standard(false) : spec.lifecycle();
    return lifecycle.delayMillis(restarts);
  }
}
