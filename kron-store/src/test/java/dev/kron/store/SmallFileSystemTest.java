package dev.kron.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kron.job.JobState;
import dev.kron.store.DiskException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real file system that is really full, where this user may mount one. */
final class SmallFileSystemTest {
  @TempDir Path temporary;

  private static boolean run(String... command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    return process.waitFor(60, TimeUnit.SECONDS) && process.exitValue() == 0;
  }

  private boolean mount(String kind, Path on) throws IOException, InterruptedException {
    if (kind.equals("tmpfs")) {
      return run("mount", "-t", "tmpfs", "-o", "size=512k,mode=0755", "kron", on.toString());
    }
    Path image = temporary.resolve("image");
    Files.write(image, new byte[4 << 20]);
    return run("mkfs.ext4", "-q", "-O", "^has_journal", image.toString())
        && run("mount", "-o", "loop", image.toString(), on.toString());
  }

  @Test
  void survivesAFullTmpfs() throws Exception {
    survivesAFull("tmpfs");
  }

  @Test
  void survivesAFullExt4() throws Exception {
    survivesAFull("ext4");
  }

  private void survivesAFull(String kind) throws Exception {
    assumeTrue(new LinuxDisk().user() == 0, "only root mounts file systems");
    Path mountPoint = Files.createDirectory(temporary.resolve("mnt"));
    boolean mounted;
    try {
      mounted = mount(kind, mountPoint);
    } catch (IOException e) {
      mounted = false;
    }
    assumeTrue(mounted, "no " + kind + " can be mounted here; CommitFaultTest covers it");
    try {
      fillAndRecover(mountPoint);
    } finally {
      assertTrue(run("umount", mountPoint.toString()));
    }
  }

  private static void fillAndRecover(Path mountPoint) throws Exception {
    StateSettings settings = StateSettings.standard(100, InstantSource.fixed(Samples.NOW));
    Path directory = mountPoint.resolve("state");
    try (StateDirectory store =
        StateDirectory.open(directory, new LinuxDisk(), settings, "pid 1")) {
      store.ledger().begin(1000, Samples.BOOT);
      assertInstanceOf(CommitResult.Durable.class, commit(store, 1).getFirst());
      fill(mountPoint.resolve("filler"));
      List<CommitResult> results = commit(store, 2);
      CommitResult.Failed failed =
          assertInstanceOf(CommitResult.Failed.class, results.getLast(), results::toString);
      assertEquals(Reason.NO_SPACE, failed.cause().reason());
      assertThrows(DiskException.class, store::probe);
      for (int i = 0; i < results.size(); i++) {
        int expected = results.get(i) instanceof CommitResult.Durable ? 2 : 1;
        assertEquals(expected, onDisk(store, i), "what was refused is not there, what was is");
      }
      Files.delete(mountPoint.resolve("filler"));
      store.probe();
      for (CommitResult result : commit(store, 2)) {
        assertInstanceOf(CommitResult.Durable.class, result);
      }
      store.ledger().touch(1060);
      LoadedStates loaded = store.load(UnaryOperator.identity());
      assertEquals(List.of(), loaded.quarantined());
      assertEquals(JOBS, loaded.states().size());
    }
  }

  private static final int JOBS = 5;

  private static List<CommitResult> commit(StateDirectory store, int number) {
    List<StateChange> changes = new ArrayList<>();
    for (int i = 0; i < JOBS; i++) {
      JobState state = Samples.state("/job:" + i);
      changes.add(
          new StateChange(
              state.toBuilder()
                  .lastHandled(Samples.NOMINAL + number * 60L)
                  .active(List.of())
                  .pastLost(false)
                  .suspended(false)
                  .build(),
              List.of(Samples.ended(number))));
    }
    return store.jobs().commit(changes);
  }

  private static long onDisk(StateDirectory store, int job) throws IOException {
    Path file = store.path().resolve(JobStates.fileName("/job:" + job));
    return (StateFileTest.read(Files.readString(file)).lastHandled() - Samples.NOMINAL) / 60;
  }

  private static void fill(Path file) throws IOException {
    for (int size : new int[] {65_536, 4096, 512, 1}) {
      byte[] block = new byte[size];
      try (var output =
          Files.newOutputStream(
              file,
              java.nio.file.StandardOpenOption.CREATE,
              java.nio.file.StandardOpenOption.APPEND)) {
        while (true) {
          output.write(block);
        }
      } catch (IOException full) {
        // and on with smaller pieces
      }
    }
  }
}
