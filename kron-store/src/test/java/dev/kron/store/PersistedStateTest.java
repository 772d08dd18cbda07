package dev.kron.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.service.Failure;
import dev.kron.service.FailureReason;
import dev.kron.store.DiskException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every invariant and contract of the state module, under its number. */
final class PersistedStateTest {
  @TempDir Path temporary;

  private final FaultyDisk disk = new FaultyDisk(new LinuxDisk());
  private Instant now = Samples.NOW;
  private Path file = Path.of("/");

  @BeforeEach
  void place() {
    file = temporary.resolve("supervisor/state.json");
  }

  private StateManager manager() {
    return manager(List.of());
  }

  private StateManager manager(List<Migration> migrations) {
    return new StateManager(file, disk, () -> now, Samples.NOW, migrations);
  }

  private StateManager loaded() throws StateRefusedException {
    StateManager manager = manager();
    assertNull(manager.loadOrCreate());
    return manager;
  }

  private StateManager withWeb() throws Exception {
    StateManager manager = loaded();
    manager.mutableState().addSpec(Services.WEB);
    manager.mutableState().updateInstance(Services.running(0));
    manager.save();
    return manager;
  }

  private void write(String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private String text() throws IOException {
    return Files.readString(file);
  }

  private static Quarantined quarantined(@Nullable Quarantined found) {
    assertNotNull(found);
    return found;
  }

  @Test
  void whatAWriteThatWasCutOffLeftIsRemoved() throws Exception {
    withWeb();
    Path left = file.resolveSibling("state.json.3.kron-tmp");
    Files.writeString(left, "half");
    assertNull(manager().loadOrCreate());
    assertFalse(Files.exists(left));
    assertTrue(Files.exists(file));
  }

  // ---- PersistedState

  @Test
  void inv0101_versionsOnlyGrowAndOlderOnesAreMigrated() throws Exception {
    withWeb();
    write(text().replace("\"version\": 1", "\"version\": 0"));
    Migration step =
        new Migration(
            "0",
            "1",
            bytes ->
                new String(bytes, UTF_8)
                    .replace("\"version\": 0", "\"version\": 1")
                    .getBytes(UTF_8));
    StateManager manager = manager(List.of(step));
    assertNull(manager.loadOrCreate());
    assertEquals(List.of(Services.running(0)), manager.state().instances());
    assertTrue(text().startsWith("{\n  \"version\": 1,"), "durable before anything is started");

    write(text().replace("\"version\": 1", "\"version\": 0"));
    String before = text();
    Migration back = new Migration("0", "0", bytes -> bytes);
    for (List<Migration> steps : List.of(List.<Migration>of(), List.of(back))) {
      String message = refusal(manager(steps));
      assertTrue(message.contains("has version 0 and cannot be migrated"), message);
      assertEquals(before, text());
    }
  }

  @Test
  void inv0102_everySaveTellsItsTime() throws Exception {
    StateManager manager = withWeb();
    assertTrue(text().contains("\"saved_at\": \"2026-03-01T00:05:00Z\""), text());
    now = now.plusSeconds(61);
    manager.save();
    assertEquals(now, manager.state().savedAt());
    assertTrue(text().contains("\"saved_at\": \"2026-03-01T00:06:01Z\""), text());
  }

  @Test
  void inv0103_everyInstanceHasItsSpec() throws Exception {
    PersistedState state = new PersistedState(now);
    assertThrows(IllegalArgumentException.class, () -> state.updateInstance(Services.running(0)));
    withWeb();
    write(text().replace("\"spec_id\": \"550e8400", "\"spec_id\": \"660e8400"));
    String reason = quarantined(manager().loadOrCreate()).reason();
    assertTrue(reason.contains("of which there is no spec"), reason);
  }

  @Test
  void ctr0101_refusesANewerVersion() throws Exception {
    withWeb();
    write(text().replace("\"version\": 1", "\"version\": 2, \"unheard\": {}"));
    String before = text();
    String message = refusal(manager());
    assertEquals(
        "supervisor state "
            + file
            + " has version 2, this krond knows versions up to 1: start the newer krond again, or"
            + " restore a backup made before it",
        message);
    assertEquals(before, text(), "left as it was");
  }

  @Test
  void ctr0102_writesATemporaryFileAndRenamesIt() throws Exception {
    StateManager manager = withWeb();
    String before = text();
    manager.mutableState().updateInstance(Services.running(1));
    for (String step : List.of("create", "write", "sync", "rename")) {
      disk.failing(FaultyDisk.Fault.of(step, Reason.NO_SPACE));
      assertThrows(DiskException.class, manager::save, step);
      assertEquals(before, text(), "the old state as a whole after a failed " + step);
      assertTrue(manager.isDirty());
    }
    disk.healthy();
    int syncs = disk.syncs.get();
    int directorySyncs = disk.directorySyncs.get();
    manager.saveIfDirty();
    assertEquals(1, disk.syncs.get() - syncs);
    assertEquals(1, disk.directorySyncs.get() - directorySyncs);
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    try (var files = Files.list(file.getParent())) {
      assertEquals(
          List.of(file, file.resolveSibling("wishes")),
          files.sorted().toList(),
          "nothing is left behind");
    }
  }

  @Test
  void ctr0103_aSpecTakesItsInstancesWithIt() throws Exception {
    StateManager manager = withWeb();
    manager.mutableState().addSpec(Services.DATABASE);
    PersistedProcessInstance other = PersistedProcessInstance.create(Services.DATABASE.id(), 0);
    manager.mutableState().updateInstance(other);
    manager.mutableState().removeSpec(Services.WEB.id());
    assertEquals(List.of(Services.DATABASE), manager.state().specs());
    assertEquals(List.of(other), manager.state().instances());
    assertNull(manager.state().spec("web"));
    manager.save();
    assertEquals(List.of(other), loaded().state().instances());
  }

  // ---- PersistedProcessInstance

  @Test
  void inv0201_specAndIndexAreTheKey() throws Exception {
    StateManager manager = withWeb();
    PersistedProcessInstance stopped = PersistedProcessInstance.create(Services.WEB.id(), 0);
    manager.mutableState().updateInstance(stopped);
    manager.mutableState().updateInstance(Services.running(1));
    assertEquals(List.of(stopped, Services.running(1)), manager.state().instances());
    manager.save();
    write(text().replace("\"instance_index\": 1", "\"instance_index\": 0"));
    String reason = quarantined(manager().loadOrCreate()).reason();
    assertTrue(reason.contains("stands twice"), reason);
  }

  @Test
  void inv0202_onlyWhatRunsHasAPid() throws Exception {
    for (ProcessState state : Services.ALL_STATES) {
      if (state.isRunning()) {
        assertEquals(4711, Services.withPid(state, 4711).pid());
      } else {
        assertThrows(IllegalArgumentException.class, () -> Services.withPid(state, 4711));
      }
      assertNull(Services.withPid(state, null).pid());
    }
    withWeb();
    write(text().replace("\"Running\"", "{ \"Stopped\": { \"exit_code\": null } }"));
    assertNotNull(manager().loadOrCreate());
  }

  @Test
  void inv0203_stoppedWithoutExitCodeIsTheDefault() throws Exception {
    withWeb();
    write(text().replace("      \"state\": \"Running\",\n      \"pid\": 4711,\n", ""));
    PersistedProcessInstance read = loaded().state().instances().getFirst();
    assertEquals(new ProcessState.Stopped(null), read.state());
  }

  @Test
  void ctr0201_aNewInstanceIsStoppedAndHasCountedNothing() {
    PersistedProcessInstance fresh = PersistedProcessInstance.create(Services.WEB.id(), 3);
    assertEquals(new ProcessState.Stopped(null), fresh.state());
    assertEquals(0, fresh.restartCount());
    assertNull(fresh.pid());
    assertNull(fresh.startedAt());
    assertNull(fresh.lastRestart());
    assertNull(fresh.credentialProfile());
  }

  // ---- StateManager

  @Test
  void inv0301_anyChangeIsDirty() throws Exception {
    StateManager manager = withWeb();
    List<Runnable> changes =
        List.of(
            manager::mutableState,
            manager::markDirty,
            () -> manager.state().addSpec(Services.DATABASE),
            () -> manager.state().updateInstance(Services.running(1)),
            () -> manager.state().removeInstance(Services.WEB.id(), 1),
            () -> manager.state().removeSpec(Services.DATABASE.id()));
    for (Runnable change : changes) {
      manager.save();
      assertFalse(manager.isDirty());
      change.run();
      assertTrue(manager.isDirty());
    }
  }

  @Test
  void inv0302_onlyAWriteThatSucceededMakesItClean() throws Exception {
    StateManager manager = withWeb();
    manager.markDirty();
    disk.failing(FaultyDisk.Fault.of("syncDirectory", Reason.INPUT_OUTPUT));
    assertThrows(DiskException.class, manager::save);
    assertTrue(manager.isDirty());
    assertThrows(DiskException.class, manager::saveIfDirty);
    assertTrue(manager.isDirty());
    disk.healthy();
    manager.saveIfDirty();
    assertFalse(manager.isDirty());
  }

  @Test
  void inv0303_thePathStays() throws Exception {
    StateManager manager = manager();
    assertEquals(file, manager.path());
    manager.loadOrCreate();
    manager.save();
    assertEquals(file, manager.path());
  }

  @Test
  void ctr0301_askingForAStateToChangeMarksItFirst() throws Exception {
    StateManager manager = withWeb();
    PersistedState state = manager.mutableState();
    assertTrue(manager.isDirty(), "before anything was changed");
    assertEquals(manager.state(), state);
  }

  @Test
  void ctr0302_savingWhatIsCleanTouchesNothing() throws Exception {
    StateManager manager = withWeb();
    disk.failing((operation, path) -> Reason.INPUT_OUTPUT);
    now = now.plusSeconds(5);
    manager.saveIfDirty();
    assertEquals(Samples.NOW, manager.state().savedAt());
  }

  @Test
  void ctr0303_aNewStateIsDirtyAndAReadOneIsNot() throws Exception {
    StateManager manager = loaded();
    assertTrue(manager.isDirty());
    manager.saveIfDirty();
    assertTrue(Files.exists(file));
    assertFalse(loaded().isDirty());
  }

  // ---- StateError

  @Test
  void ctr0401_whatTheDiskSaysIsTheCause() throws Exception {
    withWeb();
    disk.failing(FaultyDisk.Fault.of("read", Reason.NO_PERMISSION));
    StateRefusedException refused =
        assertThrows(StateRefusedException.class, () -> manager().loadOrCreate());
    assertTrue(refused.getCause() instanceof DiskException);
    disk.healthy();
    write("{\"version\": 1, ");
    assertTrue(quarantined(manager().loadOrCreate()).reason().contains("at byte"));
  }

  @Test
  void ctr0402_whatCannotBeReadAndWhatCannotBeWrittenAreToldApart() throws Exception {
    StateManager manager = withWeb();
    manager.state().updateInstance(Services.started(Instant.MAX.minusSeconds(1_000_000)));
    String before = text();
    assertThrows(RuntimeException.class, manager::save);
    assertEquals(before, text());
    assertThrows(
        MalformedStateException.class, () -> PersistedStateReader.read("{}".getBytes(UTF_8)));
  }

  /** Otherwise a newer daemon would be asked for, which could not read it either. */
  @Test
  void aFileThatGoesOnBehindItsEndIsDamagedWhateverItsVersion() {
    for (String end : List.of("x", "{}", ",", "}")) {
      for (int version : List.of(0, 1, 41)) {
        byte[] bytes = "{\"version\": %s} %s".formatted(version, end).getBytes(UTF_8);
        assertThrows(MalformedStateException.class, () -> PersistedStateReader.read(bytes));
      }
    }
  }

  @Test
  void ctr0403_aVersionThatIsNotKnownIsNamed() throws Exception {
    UnsupportedVersionException e =
        assertThrows(
            UnsupportedVersionException.class,
            () -> PersistedStateReader.read("{\"version\": 41}".getBytes(UTF_8)));
    assertEquals("41", e.version());
  }

  // ---- what is ours

  @Test
  void writesTheFormatOfTheStateModule() throws Exception {
    StateManager manager = withWeb();
    manager.state().updateInstance(PersistedProcessInstance.create(Services.WEB.id(), 1));
    manager.save();
    assertEquals(Services.FILE, text());
  }

  @Test
  void readsWhatItWroteInEveryState() throws Exception {
    StateManager manager = withWeb();
    for (int i = 0; i < Services.ALL_STATES.size(); i++) {
      manager.state().updateInstance(Services.in(i, Services.ALL_STATES.get(i)));
    }
    manager.save();
    StateManager again = loaded();
    assertEquals(manager.state().instances(), again.state().instances());
    assertEquals(manager.state().specs(), again.state().specs());
    again.markDirty();
    String before = text();
    again.save();
    assertEquals(before, text(), "and writes it again as it was");
  }

  @Test
  void readsWhatIsOwedForFailures() throws Exception {
    StateManager manager = withWeb();
    var failed = new Failure(true, 7, "exit code \"7\"\n", 10, Samples.NOW.toEpochMilli());
    var unknown = new Failure(false, null, "", 0, 0);
    List<OwedAlert> alerts =
        List.of(
            new OwedAlert("01hzzzzzzz0000000000000002", failed),
            new OwedAlert("01hzzzzzzz0000000000000003", unknown));
    var instance = PersistedProcessInstance.builder(Services.WEB.id(), 1).alerts(alerts).build();
    manager.state().updateInstance(instance);
    manager.save();
    assertEquals(instance, loaded().state().instance(Services.WEB.id(), 1));
    write(text().replaceAll(",\\s+\"alerts\": \\[.*\\]", ""));
    assertEquals(List.of(), loaded().state().instances().getLast().alerts(), "an older file");
    write(text().replace("\"reload_run\": null", "\"alerts\": [{ \"run_id\": \"../x\" }]"));
    assertNotNull(manager().loadOrCreate(), "no run id, which would name a directory");
  }

  @Test
  void keepsWhatItDoesNotKnow() throws Exception {
    withWeb();
    write(
        text()
            .replace("\"type\": \"simple\",", "\"type\": \"simple\", \"colour\": [\"é\", {}],")
            .replace("\"max_retries\": 10 }", "\"max_retries\": 10, \"burst\": 3 }")
            .replace("\"conflicts\": []", "\"conflicts\": [], \"part_of\": [\"shop\"]")
            .replace("\"pid\": 4711,", "\"pid\": 4711, \"cgroup\": \"/kron/web\",")
            .replace("\"specs\": {", "\"host\": \"alpha\",\n  \"specs\": {"));
    StateManager manager = loaded();
    manager.state().addSpec(Services.WEB.withDesired(ProcessSpec.Desired.DOWN));
    manager.state().updateInstance(PersistedProcessInstance.create(Services.WEB.id(), 0));
    manager.save();
    String written = text();
    for (String kept :
        List.of(
            "\"colour\": [\"é\", {}]",
            ", \"burst\": 3 }",
            ", \"part_of\": [\"shop\"] }",
            "\"cgroup\": \"/kron/web\"",
            "\"host\": \"alpha\"")) {
      assertTrue(written.contains(kept), kept + " in\n" + written);
    }
    StateManager again = loaded();
    again.save();
    assertEquals(written, text());
  }

  @Test
  void readsASpecThatAnOlderDaemonWroteAFingerprintInto() throws Exception {
    withWeb();
    String now = text();
    write(now.replace("\"type\": \"simple\",", "\"type\": \"simple\", \"fingerprint\": \"\","));
    StateManager manager = loaded();
    assertEquals(Services.WEB, manager.state().spec(Services.WEB.id()));
    manager.save();
    assertEquals(now, text());
  }

  @Test
  void thePidOfAnOlderFileIsTheKeepers() throws Exception {
    withWeb();
    String now = text();
    String older = now.replaceAll(",\\s+\"keeper_[a-z_]+\": [0-9a-z]+", "");
    assertNotEquals(now, older);
    write(older);
    PersistedProcessInstance read = loaded().state().instance(Services.WEB.id(), 0);
    assertNotNull(read);
    assertEquals(new PersistedProcessInstance.Keeper(4711, 815), read.keeper());
  }

  @Test
  void movesAsideWhatCannotBeReadAndSaysSoUntilItIsReplaced() throws Exception {
    write("not json");
    Quarantined found = quarantined(manager().loadOrCreate());
    assertEquals("supervisor/state.json", found.file());
    assertEquals("supervisor/state.json.corrupt.20260301T000500Z", found.movedTo());
    assertEquals("not json", Files.readString(temporary.resolve(found.movedTo())));
    assertFalse(Files.exists(file));
    // A daemon that dies here has rebuilt nothing: the next one has to hear of it too.
    StateManager next = manager();
    assertEquals(found.movedTo(), quarantined(next.loadOrCreate()).movedTo());
    next.saveIfDirty();
    assertNull(manager().loadOrCreate());
  }

  @Test
  void hidesNoSymbolicLinkBehindItsName() throws Exception {
    withWeb();
    Path elsewhere = temporary.resolve("elsewhere");
    Files.move(file, elsewhere);
    Files.createSymbolicLink(file, elsewhere);
    assertTrue(quarantined(manager().loadOrCreate()).reason().contains("symbolic link"));
  }

  @Test
  void aWriterFallsBehindWithoutLosingAnything() throws Exception {
    StateManager manager = withWeb();
    manager.state().updateInstance(Services.running(1));
    StateManager.Snapshot first = manager.snapshot();
    manager.state().updateInstance(Services.running(2));
    StateManager.Snapshot second = manager.snapshot();
    try (var writer = Executors.newSingleThreadExecutor()) {
      Future<?> later =
          writer.submit(
              () -> {
                second.write();
                first.write(); // too late: it must not take the newer one's place
                return null;
              });
      later.get();
    }
    manager.written(first);
    assertTrue(manager.isDirty(), "the first says nothing of the second change");
    manager.written(second);
    assertFalse(manager.isDirty());
    assertEquals(3, loaded().state().instances().size());
  }

  @Test
  void survivesAnyDamage() throws Exception {
    long seed = Long.getLong("kron.seed", 20261115L);
    StateManager manager = withWeb();
    for (int i = 0; i < Services.ALL_STATES.size(); i++) {
      manager.state().updateInstance(Services.in(i, Services.ALL_STATES.get(i)));
    }
    byte[] valid = manager.state().encode(now);
    SplittableRandom random = new SplittableRandom(seed);
    int readable = 0;
    for (int round = 0; round < Integer.getInteger("kron.rounds", 1_500); round++) {
      byte[] damaged = StateReaderFuzzTest.damage(valid, random);
      try {
        PersistedState read = PersistedStateReader.read(damaged);
        PersistedState again = PersistedStateReader.read(read.encode(now));
        assertEquals(read.instances(), again.instances());
        assertEquals(read.specs(), again.specs());
        readable++;
      } catch (MalformedStateException | UnsupportedVersionException e) {
        assertNotNull(e.getMessage());
      } catch (RuntimeException | Error e) {
        throw new AssertionError(
            "round " + round + ", -Dkron.seed=" + seed + ": " + new String(damaged, UTF_8), e);
      }
    }
    assertTrue(readable > 0, "some damage is harmless");
  }

  @Test
  void aLossOfPowerLeavesTheOldStateOrTheNewOne() throws Exception {
    for (int at = 1; at < 60; at++) {
      for (int life = 0; life < 6; life++) {
        String where = "operation " + at + ", life " + life;
        Path root = Path.of("/var/lib/krond");
        PowerLossDisk memory = new PowerLossDisk(new SplittableRandom(at * 100L + life), root);
        Path path = root.resolve("supervisor/state.json");
        int acknowledged = 0;
        memory.losePowerAt(at);
        try {
          StateManager manager = new StateManager(path, memory, () -> now, now, List.of());
          manager.loadOrCreate();
          manager.state().addSpec(Services.WEB);
          for (int i = 0; i < 4; i++) {
            manager.state().updateInstance(Services.running(i));
            manager.saveIfDirty();
            acknowledged = i + 1;
          }
        } catch (PowerLossDisk.PowerLost expected) {
          // the point of it
        }
        memory.restart();
        memory.losePowerAt(Long.MAX_VALUE);
        StateManager manager = new StateManager(path, memory, () -> now, now, List.of());
        assertNull(manager.loadOrCreate(), where);
        int found = manager.state().instances().size();
        assertTrue(found >= acknowledged && found <= acknowledged + 1, where + ": " + found);
      }
    }
  }

  @Test
  void keepsFingerprintsApartByAKeyOfItsOwn() throws Exception {
    FingerprintKey key =
        FingerprintKey.loadOrCreate(disk, temporary.resolve("one"), new SplittableRandom(1));
    FingerprintKey again =
        FingerprintKey.loadOrCreate(disk, temporary.resolve("one"), new SplittableRandom(2));
    FingerprintKey other =
        FingerprintKey.loadOrCreate(disk, temporary.resolve("two"), new SplittableRandom(3));
    byte[] secret = "PASSWORD=hunter2".getBytes(UTF_8);
    assertTrue(key.isNew());
    assertFalse(again.isNew());
    assertEquals(key.of(secret), again.of(secret));
    assertFalse(key.of(secret).equals(other.of(secret)));
    assertEquals(64, key.of(secret).length());
    assertEquals(
        "rw-------",
        PosixFilePermissions.toString(
            Files.getPosixFilePermissions(temporary.resolve("one/fingerprint.key"))));
  }

  private static String refusal(StateManager manager) {
    return String.valueOf(
        assertThrows(StateRefusedException.class, manager::loadOrCreate).getMessage());
  }

  /** What tests write. */
  private static final class Services {
    static final ProcessSpec WEB = spec("550e8400-e29b-41d4-a716-446655440000", "web");
    static final ProcessSpec DATABASE = spec("650e8400-e29b-41d4-a716-446655440000", "db");

    static final List<ProcessState> ALL_STATES =
        List.of(
            new ProcessState.Stopped(null),
            new ProcessState.Stopped(3),
            new ProcessState.Blocked(List.of("db", "cache"), List.of("maintenance")),
            new ProcessState.Starting(),
            new ProcessState.Running(),
            new ProcessState.Stopping(),
            new ProcessState.Exited(0, Samples.NOW),
            new ProcessState.Exited(null, Samples.NOW.plusMillis(17)),
            failed(new FailureReason.ExitCode(7)),
            failed(new FailureReason.Signal(9)),
            failed(new FailureReason.StartTimeout()),
            failed(new FailureReason.StopTimeout()),
            failed(new FailureReason.HealthCheckFailed(3)),
            failed(new FailureReason.DependencyFailed("db")),
            failed(new FailureReason.SpawnError("no such file: \"/usr/bin/wéb\"\n")),
            failed(new FailureReason.HookFailed("before_start", "exit code \"3\"")));

    static final String FILE =
        """
        {
          "version": 1,
          "saved_at": "2026-03-01T00:05:00Z",
          "daemon_started_at": "2026-03-01T00:05:00Z",
          "specs": {
            "550e8400-e29b-41d4-a716-446655440000": {
              "id": "550e8400-e29b-41d4-a716-446655440000",
              "name": "web",
              "command": "/usr/bin/web",
              "args": ["--port", "8080"],
              "instances": 2,
              "restart": { "policy": "on-failure", "max_retries": 10 },
              "type": "simple",
              "shell": false,
              "file": "/etc/krond.d/web.toml",
              "desired": "up",
              "credential_binding": null,
              "stop_signal": "SIGTERM",
              "stop_timeout_ms": 10000,
              "dependencies": { "requires": ["db"], "wants": [], "after": [], "conflicts": [] },
              "scaled_to": null,
              "stopped_instances": []
            }
          },
          "instances": [
            {
              "spec_id": "550e8400-e29b-41d4-a716-446655440000",
              "instance_index": 0,
              "state": "Running",
              "pid": 4711,
              "started_at": "2026-03-01T00:05:00Z",
              "restart_count": 2,
              "last_restart": "2026-03-01T00:05:00Z",
              "credential_profile": "shop-prod",
              "run_id": "01hzzzzzzz0000000000000001",
              "boot_id": "6f0c0f3e-8f0f-4c43-8a3c-0d7c3a6f2f11",
              "start_ticks": 815,
              "restart_delay_ms": 4000,
              "restart_at": null,
              "spec_fingerprint": "f-1",
              "keeper_pid": 4710,
              "keeper_start_ticks": 814,
              "restarts_total": 1,
              "restarts_by_hour": "1:1",
              "last_exit": "exit code 3",
              "last_exit_at": "1970-01-01T01:00:00Z",
              "to_restart": false,
              "hook": null,
              "reload_run": null,
              "alerts": []
            },
            {
              "spec_id": "550e8400-e29b-41d4-a716-446655440000",
              "instance_index": 1,
              "state": { "Stopped": { "exit_code": null } },
              "pid": null,
              "started_at": null,
              "restart_count": 0,
              "last_restart": null,
              "credential_profile": null,
              "run_id": null,
              "boot_id": null,
              "start_ticks": 0,
              "restart_delay_ms": 0,
              "restart_at": null,
              "spec_fingerprint": "",
              "keeper_pid": null,
              "keeper_start_ticks": null,
              "restarts_total": 0,
              "restarts_by_hour": "",
              "last_exit": null,
              "last_exit_at": null,
              "to_restart": false,
              "hook": null,
              "reload_run": null,
              "alerts": []
            }
          ]
        }
        """;

    private static ProcessState failed(FailureReason reason) {
      return new ProcessState.Failed(reason, Samples.NOW);
    }

    private static ProcessSpec spec(String id, String name) {
      return ProcessSpec.builder(java.util.UUID.fromString(id), name)
          .command("/usr/bin/web")
          .args(List.of("--port", "8080"))
          .instances(2)
          .restart(dev.kron.service.Lifecycle.Restart.ON_FAILURE)
          .maxRetries(10)
          .type(dev.kron.service.ServiceSpec.Type.SIMPLE)
          .file("/etc/krond.d/" + name + ".toml")
          .desired(ProcessSpec.Desired.UP)
          .stopSignal("SIGTERM")
          .stopTimeoutMillis(10_000)
          .dependencies(
              new dev.kron.service.Dependencies(List.of("db"), List.of(), List.of(), List.of()))
          .build();
    }

    static PersistedProcessInstance running(int index) {
      return instance(index, new ProcessState.Running(), 4711, Samples.NOW);
    }

    static PersistedProcessInstance in(int index, ProcessState state) {
      return instance(index, state, null, Samples.NOW);
    }

    static PersistedProcessInstance started(Instant startedAt) {
      return instance(0, new ProcessState.Running(), 4711, startedAt);
    }

    static PersistedProcessInstance withPid(ProcessState state, @Nullable Integer pid) {
      return instance(0, state, pid, Samples.NOW);
    }

    private static PersistedProcessInstance instance(
        int index, ProcessState state, @Nullable Integer pid, Instant startedAt) {
      return PersistedProcessInstance.builder(WEB.id(), index)
          .state(state)
          .pid(pid)
          .startedAt(startedAt)
          .restartCount(2)
          .lastRestart(Samples.NOW)
          .credentialProfile("shop-prod")
          .runId("01hzzzzzzz0000000000000001")
          .bootId(Samples.BOOT)
          .startTicks(815)
          .restartDelayMillis(4_000)
          .specFingerprint("f-1")
          .keeper(pid == null ? null : new PersistedProcessInstance.Keeper(pid - 1, 814))
          .past(ServicePast.NONE.restarted(3_600_000L).ended("exit code 3", 3_600_000L))
          .build();
    }
  }
}
