package dev.kron.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StateDirectoryTest {
  @TempDir Path temporary;

  private final Disk disk = new LinuxDisk();

  private StateDirectory open(Path directory) throws Exception {
    return StateDirectory.open(directory, disk, Samples.settings(), "pid 4711");
  }

  private static String modeOf(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  private static String refusal(Path directory) {
    return String.valueOf(
        assertThrows(
                StateRefusedException.class,
                () -> StateDirectory.open(directory, new LinuxDisk(), Samples.settings(), "pid 1"))
            .getMessage());
  }

  @Test
  void createsWhatIsMissingForItselfAlone() throws Exception {
    Path directory = temporary.resolve("not/yet/there");
    try (StateDirectory store = open(directory)) {
      store.jobs().commit(List.of(new StateChange(Samples.state("/a:b"), List.of())));
      store.arrivals().append(List.of(new Arrival("/a:c", "f", 1, false)));
      store.ledger().begin(1, Samples.BOOT);
      store.runs().create("01hzzzzzzz0000000000000001");
      assertEquals("rwx------", modeOf(directory));
      assertEquals("rwx------", modeOf(directory.resolve("runs")));
      assertEquals("rwx------", modeOf(store.runs().of("01hzzzzzzz0000000000000001")));
      for (String file : List.of(JobStates.fileName("/a:b"), "arrivals", "ledger", "lock")) {
        assertEquals("rw-------", modeOf(directory.resolve(file)), file);
      }
    }
  }

  @Test
  void namesStateFilesByTheHashOfTheIdentity() {
    assertEquals(
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad.json",
        JobStates.fileName("abc"));
  }

  @Test
  void refusesADirectoryThatOthersCanEnter() throws Exception {
    Path directory = Files.createDirectory(temporary.resolve("state"));
    for (PosixFilePermission more :
        Set.of(
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_EXECUTE,
            PosixFilePermission.OTHERS_WRITE)) {
      Set<PosixFilePermission> mode = PosixFilePermissions.fromString("rwx------");
      mode.add(more);
      Files.setPosixFilePermissions(directory, mode);
      String message = refusal(directory);
      assertTrue(message.endsWith("chmod 0700 " + directory), message);
    }
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    open(directory).close();
  }

  @Test
  void refusesASymbolicLinkAndAFile() throws Exception {
    Path real = Files.createDirectory(temporary.resolve("real"));
    Files.setPosixFilePermissions(real, PosixFilePermissions.fromString("rwx------"));
    Path link = Files.createSymbolicLink(temporary.resolve("link"), real);
    assertTrue(refusal(link).contains("is a symbolic link"));
    Path file = Files.createFile(temporary.resolve("file"));
    assertTrue(refusal(file).contains("is not a directory"));
    Path dangling = Files.createSymbolicLink(temporary.resolve("dangling"), temporary.resolve("x"));
    assertTrue(refusal(dangling).contains("is a symbolic link"));
    assertFalse(Files.exists(temporary.resolve("x")));
  }

  @Test
  void refusesADirectoryOfSomebodyElse() throws Exception {
    PowerLossDisk other =
        new PowerLossDisk(new java.util.SplittableRandom(1), Path.of("/var/lib/krond"));
    Disk asRoot =
        new FaultyDisk(other) {
          @Override
          public int user() {
            return 0;
          }
        };
    String message =
        String.valueOf(
            assertThrows(
                    StateRefusedException.class,
                    () ->
                        StateDirectory.open(
                            Path.of("/var/lib/krond"), asRoot, Samples.settings(), "pid 1"))
                .getMessage());
    assertTrue(message.contains("belongs to user 1000, krond runs as user 0"), message);
  }

  @Test
  void refusesAPlaceWhereOthersCouldPutAnother() throws Exception {
    Path above = Files.createDirectory(temporary.resolve("above"));
    Path directory = above.resolve("deep/state");
    Files.setPosixFilePermissions(above, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertEquals(
        "state directory %s: %s is world-writable, so anybody could replace what is below it: chmod o-w %s, or give another one with --state DIR"
            .formatted(directory, above, above),
        refusal(directory));
    assertFalse(Files.exists(above.resolve("deep")));

    Files.setAttribute(above, "unix:mode", 041777);
    open(directory).close();
    Files.setPosixFilePermissions(above, PosixFilePermissions.fromString("rwxrwxr-x"));
    open(directory).close(); // the group is our own

    Path link = Files.createSymbolicLink(temporary.resolve("way"), Path.of("above"));
    open(link.resolve("deep/state")).close();
    Files.setPosixFilePermissions(above, PosixFilePermissions.fromString("rwxr-xrwx"));
    assertTrue(refusal(link.resolve("deep/state")).contains("world-writable"));

    assumeTrue(disk.user() == 0, "only root can give directories away");
    Files.setPosixFilePermissions(above, PosixFilePermissions.fromString("rwxrwxr-x"));
    Files.setAttribute(above, "unix:gid", 54321);
    assertTrue(refusal(directory).contains("writable by its group, which is not krond's"));
    Files.setPosixFilePermissions(above, PosixFilePermissions.fromString("rwx------"));
    Files.setAttribute(above, "unix:uid", 54321);
    assertTrue(
        refusal(directory)
            .contains(
                above + " belongs to user 54321, who could replace what is below it: chown 0 "));
  }

  @Test
  void leavesFilesAloneThatAreNotOurs() throws Exception {
    Path directory = temporary.resolve("state");
    open(directory).close();
    String hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    List<String> foreign =
        List.of("README", "notes.json", hash + ".json.bak", hash + ".JSON", "x" + hash + ".json");
    for (String name : foreign) {
      Files.writeString(directory.resolve(name), "not json");
    }
    try (StateDirectory store = open(directory)) {
      LoadedStates loaded = store.load(UnaryOperator.identity());
      assertEquals(List.of(), loaded.states());
      assertEquals(List.of(), loaded.quarantined());
    }
    for (String name : foreign) {
      assertEquals("not json", Files.readString(directory.resolve(name)), name);
    }
  }

  @Test
  void removesWhatAKilledDaemonLeftHalfWritten() throws Exception {
    Path directory = temporary.resolve("state");
    open(directory).close();
    Path leftover = directory.resolve(JobStates.fileName("/a:b") + ".1.kron-tmp");
    Files.writeString(leftover, "{\"Vers");
    try (StateDirectory store = open(directory)) {
      store.load(UnaryOperator.identity());
      assertFalse(Files.exists(leftover));
    }
  }

  @Test
  void neverWritesThroughALinkThatSomebodyPlanted() throws Exception {
    Path directory = temporary.resolve("state");
    Path victim = temporary.resolve("victim");
    Files.writeString(victim, "precious");
    try (StateDirectory store = open(directory)) {
      String identity = "/a:b";
      Path file = directory.resolve(JobStates.fileName(identity));
      Files.createSymbolicLink(file, victim);
      Files.delete(directory.resolve("arrivals"));
      Files.createSymbolicLink(directory.resolve("arrivals"), victim);
      Files.createSymbolicLink(directory.resolve("ledger"), victim);
      assertThrows(
          DiskException.class,
          () -> store.arrivals().append(List.of(new Arrival("x", "f", 1, false))));
      assertThrows(DiskException.class, () -> store.ledger().begin(1, Samples.BOOT));
      Files.delete(directory.resolve("arrivals"));
      store.jobs().commit(List.of(new StateChange(Samples.state(identity), List.of())));
      assertEquals("precious", Files.readString(victim));
      assertFalse(Files.isSymbolicLink(file));
    }
  }

  @Test
  void quarantinesALinkWithoutFollowingIt() throws Exception {
    Path directory = temporary.resolve("state");
    open(directory).close();
    Path victim = temporary.resolve("victim");
    Files.writeString(victim, StateFileTest.write(Samples.state("/a:b")));
    Files.createSymbolicLink(directory.resolve(JobStates.fileName("/a:b")), victim);
    try (StateDirectory store = open(directory)) {
      LoadedStates loaded = store.load(UnaryOperator.identity());
      assertEquals(List.of(), loaded.states());
      assertTrue(loaded.quarantined().getFirst().reason().contains("is a symbolic link"));
      assertTrue(
          Files.isSymbolicLink(directory.resolve(loaded.quarantined().getFirst().movedTo())));
    }
  }

  @Test
  void tellsWhetherWritingWorks() throws Exception {
    FaultyDisk faulty = new FaultyDisk(disk);
    Path directory = temporary.resolve("state");
    try (StateDirectory store =
        StateDirectory.open(directory, faulty, Samples.settings(), "pid 1")) {
      store.probe();
      faulty.failing(FaultyDisk.Fault.of("sync", DiskException.Reason.INPUT_OUTPUT));
      assertThrows(DiskException.class, store::probe);
      faulty.failing(FaultyDisk.Fault.of("syncDirectory", DiskException.Reason.INPUT_OUTPUT));
      assertThrows(DiskException.class, store::probe);
      faulty.healthy();
      store.probe();
      try (var files = Files.list(directory)) {
        assertEquals(0, files.filter(file -> file.toString().contains("probe")).count());
      }
    }
  }

  @Test
  void sayWhatWasTriedWhereAndWhy() {
    DiskException missing =
        assertThrows(
            DiskException.class, () -> disk.read(temporary.resolve("none"), 0, new byte[1]));
    assertEquals(
        "cannot read " + temporary.resolve("none") + ": no such file or directory",
        missing.getMessage());
    assertEquals(DiskException.Reason.NOT_FOUND, missing.reason());
    DiskException directory =
        assertThrows(DiskException.class, () -> disk.read(temporary, 0, new byte[1]));
    assertEquals(DiskException.Reason.NOT_A_FILE, directory.reason());
  }

  @Test
  void readsOnlyWhatWasAskedFor() throws Exception {
    Path file = temporary.resolve("file");
    byte[] content = "x".repeat(50_000).concat("end").getBytes(UTF_8);
    Files.write(file, content);
    byte[] buffer = new byte[10];
    assertEquals(3, disk.read(file, 50_000, buffer));
    assertEquals(10, disk.read(file, 0, buffer));
    assertEquals(0, disk.read(file, 60_000, buffer));
    AtomicFiles files = new AtomicFiles(disk);
    assertEquals(50_003, files.read(file, 50_003).length);
    assertEquals(
        DiskException.Reason.TOO_LARGE,
        assertThrows(DiskException.class, () -> files.read(file, 50_002)).reason());
  }
}
