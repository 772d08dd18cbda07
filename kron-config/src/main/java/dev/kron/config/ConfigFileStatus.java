package dev.kron.config;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;

/**
 * The status of a file, by {@code lstat}.
 *
 * @param changed the inode's change time, which a write, chmod, chown, link or rename moves
 */
record ConfigFileStatus(
    long device, long inode, int mode, int uid, int gid, long size, FileTime changed) {
  private static final int TYPE = 0170000;

  /** The status of the path itself; links are not followed. */
  static ConfigFileStatus of(Path path) throws IOException {
    Map<String, Object> status =
        Files.readAttributes(
            path, "unix:dev,ino,mode,uid,gid,size,ctime", LinkOption.NOFOLLOW_LINKS);
    return new ConfigFileStatus(
        number(status, "dev"),
        number(status, "ino"),
        (int) number(status, "mode"),
        (int) number(status, "uid"),
        (int) number(status, "gid"),
        number(status, "size"),
        (FileTime) requireNonNull(status.get("ctime")));
  }

  private static long number(Map<String, Object> status, String name) {
    return ((Number) requireNonNull(status.get(name))).longValue();
  }

  /**
   * Whether this is the same file, unchanged in between. Written by hand: a record's own equality
   * is generated on first use, which takes time that a short command would feel.
   */
  boolean isSameAs(ConfigFileStatus other) {
    return device == other.device
        && inode == other.inode
        && mode == other.mode
        && uid == other.uid
        && gid == other.gid
        && size == other.size
        && changed.equals(other.changed);
  }

  boolean isRegular() {
    return (mode & TYPE) == 0100000;
  }

  boolean isDirectory() {
    return (mode & TYPE) == 0040000;
  }

  boolean isLink() {
    return (mode & TYPE) == 0120000;
  }

  boolean isGroupWritable() {
    return (mode & 0020) != 0;
  }

  boolean isWorldWritable() {
    return (mode & 0002) != 0;
  }

  boolean isSticky() {
    return (mode & 01000) != 0;
  }

  String type() {
    return switch (mode & TYPE) {
      case 0100000 -> "a regular file";
      case 0040000 -> "a directory";
      case 0120000 -> "a symbolic link";
      case 0010000 -> "a named pipe";
      case 0140000 -> "a socket";
      default -> "a device";
    };
  }
}
