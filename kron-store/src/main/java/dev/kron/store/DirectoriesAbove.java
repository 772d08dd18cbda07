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
 * Finds out whether somebody else could put another directory in the place of one, or of one above
 * it: every directory from the root down, and every link on the way, must belong to root or to us,
 * and none may be writable by others. A sticky one, such as {@code /tmp}, may: nobody can replace
 * in it what belongs to somebody else.
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

  /** What is wrong and what to do about it, or null. What does not exist yet is not looked at. */
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
