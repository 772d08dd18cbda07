package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How the daemon knows that the machine goes down with it. */
final class SystemShutdownTest {
  private static final short RUN_LEVEL = 1;
  private static final short USER = 7;

  @TempDir Path run;
  private SystemShutdown shutdown = new SystemShutdown(Path.of("/nonexistent"));

  @BeforeEach
  void look() {
    shutdown = new SystemShutdown(run);
  }

  @Test
  void aMachineThatSaysNothingStaysUp() {
    assertFalse(shutdown.isUnderWay());
  }

  @Test
  void systemdTellsThoseWhoWantToLogIn() throws IOException {
    Files.writeString(
        run.resolve("nologin"),
        "System is going down. Unprivileged users are not permitted to log in anymore.\n");
    assertTrue(shutdown.isUnderWay());
  }

  @Test
  void aMachineThatComesUpOrIsKeptClosedIsNotGoingDown() throws IOException {
    Files.writeString(run.resolve("nologin"), "System is booting up. See pam_nologin(8)\n");
    assertFalse(shutdown.isUnderWay());
    Files.writeString(run.resolve("nologin"), "closed for inventory\n");
    assertFalse(shutdown.isUnderWay());
  }

  @Test
  void openRcHasAFileForIt() throws IOException {
    Files.createDirectory(run.resolve("openrc"));
    Files.createFile(run.resolve("openrc/rc.stopping"));
    assertTrue(shutdown.isUnderWay());
  }

  @Test
  void systemVWritesTheRunLevel() throws IOException {
    ByteBuffer utmp = ByteBuffer.allocate(3 * 384).order(ByteOrder.nativeOrder());
    utmp.putShort(0, RUN_LEVEL).putInt(4, '2');
    utmp.putShort(384, USER).putInt(388, '6');
    Files.write(run.resolve("utmp"), utmp.array());
    assertFalse(shutdown.isUnderWay(), "two is a level to work in");
    utmp.putShort(768, RUN_LEVEL).putInt(772, '6' | '2' << 8);
    Files.write(run.resolve("utmp"), utmp.array());
    assertTrue(shutdown.isUnderWay());
  }
}
