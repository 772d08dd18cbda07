package dev.kron.config;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/**
 * The user and group whose daemon reads the files.
 *
 * @param uid user id
 * @param gid id of the primary group
 */
public record Account(int uid, int gid) {

  /** The account of this process, according to the kernel. */
  public static Account current() {
    try {
      ConfigFileStatus self = ConfigFileStatus.of(Path.of("/proc/self").toRealPath());
      return new Account(self.uid(), self.gid());
    } catch (IOException noProc) {
      throw new UncheckedIOException("/proc is needed to learn who this process is", noProc);
    }
  }
}
