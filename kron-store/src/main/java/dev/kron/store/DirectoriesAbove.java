package dev.kron.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The check whether another user could replace a directory, or one above it. Every directory from
 * the root down, and every link on the way, must belong to root or to us, and none may be writable
 * by others. Sticky directories such as {@code /tmp} are fine: in them nobody can replace what
 * belongs to another user.
 */
final class DirectoriesAbove {
  private static final int STICKY = 01000;
  private static final int GROUP_MAY_WRITE = 0020;
  private static final int ALL_MAY_WRITE = 0002;
  private static final int MOST_LINKS = 40;

  private final int user;
  private final int group;

  DirectoriesAbove(int user, int group) {
    this.user = user;
    this.group = group;
  }

  /** The problem and its remedy, or null. Directories that do not exist yet are not checked. */
  @Nullable String problem(Path directory) throws IOException {
    return problem(directory, MOST_LINKS);
  }

  private @Nullable String problem(Path directory, int linksLeft) throws IOException {
    Path at = directory.getRoot();
    String problem = problemOf(at, linksLeft);
    for (Path name : directory) {
      if (problem != null) {
        return problem;
      }
      at = at.resolve(name);
      try {
        problem = problemOf(at, linksLeft);
      } catch (NoSuchFileException notYet) {
        return null;
      }
    }
    return problem;
  }

  private @Nullable String problemOf(Path path, int linksLeft) throws IOException {
    Map<String, Object> status =
        Files.readAttributes(path, "unix:mode,uid,gid", LinkOption.NOFOLLOW_LINKS);
    int owner = number(status, "uid");
    if (owner != 0 && owner != user) {
      return "%s belongs to user %s, who could replace what is below it: chown %s %s"
          .formatted(path, owner, user, path);
    }
    if (Files.isSymbolicLink(path)) {
      return linksLeft == 0
          ? path + " is a link that leads to too many others"
          : problem(path.resolveSibling(Files.readSymbolicLink(path)), linksLeft - 1);
    }
    int mode = number(status, "mode");
    if ((mode & STICKY) != 0) {
      return null;
    }
    if ((mode & ALL_MAY_WRITE) != 0) {
      return "%s is world-writable, so anybody could replace what is below it: chmod o-w %s"
          .formatted(path, path);
    }
    return (mode & GROUP_MAY_WRITE) == 0 || number(status, "gid") == group
        ? null
        : "%s is writable by its group, which is not krond's: chmod g-w %s".formatted(path, path);
  }

  private static int number(Map<String, Object> status, String name) {
    return (Integer) Objects.requireNonNull(status.get(name));
  }
}
