package dev.kron.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A small file system of its own, filled to the brim. */
class FullDiskTest {

  @TempDir Path root;
  private Path disk;
  private Workshop workshop;
  private boolean mounted;

  @BeforeEach
  void mount() throws IOException {
    disk = Files.createDirectory(root.resolve("disk"));
    mounted = Workshop.command("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk.toString());
    assumeTrue(mounted, "needs the right to mount");
    workshop = new Workshop(disk);
  }

  @AfterEach
  void unmount() {
    if (workshop != null) {
      workshop.close();
    }
    if (mounted) {
      Workshop.until("it is unmounted", () -> Workshop.command("umount", disk.toString()));
    }
  }

  private void fill() {
    assertThrows(
        IOException.class,
        () -> {
          try (OutputStream out = Files.newOutputStream(disk.resolve("filler"))) {
            while (true) {
              out.write(new byte[4096]);
            }
          }
        });
  }

  @Test
  void theExitStatusIsKeptAllTheSame() {
    Run run = workshop.run();
    workshop.start(
        Workshop.in(
            Workshop.shell(run, "echo up; while [ ! -e go ]; do sleep 0.02; done; exit 17"), root));
    Workshop.untilItSays(run, "up");
    fill();
    Workshop.touch(root.resolve("go"));
    assertEquals(new RunStatus.Ended(17, null), workshop.await(run));
  }

  @Test
  void aRunWhoseClaimCannotBeWrittenDoesNotHappen() throws IOException {
    Run run = workshop.run();
    Launch launch = Workshop.with(Workshop.shell(run, ">\"$OUT\""), "OUT=" + root.resolve("ran"));
    Prepared prepared = workshop.processes().prepare(launch);
    fill();
    prepared.start();
    assertInstanceOf(RunStatus.Unknown.class, workshop.await(run));
    assertEquals(false, Files.exists(root.resolve("ran")));
  }
}
