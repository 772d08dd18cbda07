package dev.kron.daemon;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Whether the machine is going down, by what the programs that take it down leave in {@code /run}.
 * There is no one sign: systemd and {@code shutdown} say so to those who want to log in, OpenRC has
 * a file for it, and System V's init writes the run level.
 */
final class SystemShutdown {
  /** A record of utmp on Linux, on every architecture in use. */
  private static final int RECORD_BYTES = 384;

  private static final int RUN_LEVEL = 1;
  private static final int PID_OFFSET = 4;
  private static final int LIMIT_BYTES = 1 << 20;

  private final Path run;

  /**
   * @param run {@code /run}
   */
  SystemShutdown(Path run) {
    this.run = run;
  }

  boolean isUnderWay() {
    return loginsAreRefused() || Files.exists(run.resolve("openrc/rc.stopping")) || runLevelEnds();
  }

  /** The same file keeps people out while the machine comes up, and may be an operator's own. */
  private boolean loginsAreRefused() {
    byte[] words = read("nologin");
    return new String(words, StandardCharsets.UTF_8)
        .toLowerCase(Locale.ROOT)
        .contains("going down");
  }

  /** The last run level in utmp is 0 (halt) or 6 (reboot). */
  private boolean runLevelEnds() {
    ByteBuffer records = ByteBuffer.wrap(read("utmp")).order(ByteOrder.nativeOrder());
    char level = ' ';
    for (int at = 0; at + RECORD_BYTES <= records.limit(); at += RECORD_BYTES) {
      if (records.getShort(at) == RUN_LEVEL) {
        level = (char) (records.getInt(at + PID_OFFSET) & 0xff);
      }
    }
    return level == '0' || level == '6';
  }

  private byte[] read(String name) {
    try (var in = Files.newInputStream(run.resolve(name))) {
      return in.readNBytes(LIMIT_BYTES);
    } catch (IOException e) {
      return new byte[0]; // not there
    }
  }
}
