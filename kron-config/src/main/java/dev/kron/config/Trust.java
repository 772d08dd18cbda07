package dev.kron.config;

import dev.kron.text.VisibleText;
import java.io.IOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The check whether only root and the daemon's own user (and group, if it may write) can change
 * what a path leads to.
 *
 * <h2>Why there is no gap between check and use</h2>
 *
 * A path is walked from the root downwards, links resolved by hand, and each name is checked before
 * the one below it is looked at. A name passes only if a stranger cannot replace its entry from
 * then on: either only trusted users may write to the directory it is in, or that directory is
 * sticky, and then only the owner of the entry may replace it, who is trusted too, because the
 * entry itself was just looked at. So by induction: once a file's status was found good, the walked
 * path leads to that very file until somebody trusted changes it, and opening that path, without
 * following a link, opens what was checked. {@link TrustedReader} looks a second time after
 * reading, which also catches a trusted user's own change in between.
 *
 * <p>The more usual way, fstat on the descriptor, is not offered by Java's file API. Through the
 * foreign-function API it costs 60 ms at the start of every {@code kron lint}, and it would prove
 * nothing more: the directories above must be checked by name either way.
 *
 * <p>What modes and owners cannot tell is not seen: access-control lists show only as far as their
 * mask is the group's bits, and somebody who opened a file while it was writable still can write.
 */
final class Trust {
  private static final int MOST_LINKS = 40;

  private final Account daemon;
  private final boolean followLinks;
  private final Map<Path, Way> directories = new HashMap<>();

  /**
   * The end of a path.
   *
   * @param end absolute, without links
   * @param problem why it cannot be trusted, or null
   */
  record Way(Path end, @Nullable String problem) {}

  Trust(ConfigFiles.Settings settings) {
    this.daemon = settings.daemon();
    this.followLinks = settings.followLinks();
  }

  /** Walks to a directory; links on the way are a problem, or are checked if they are permitted. */
  Way toDirectory(Path directory) throws IOException {
    Way known = directories.get(directory);
    if (known == null) {
      known = walk(directory);
      directories.put(directory, known);
    }
    return known;
  }

  /**
   * Walks the path. It goes on after the first problem, since the end is needed too; the first
   * problem is the one to report.
   */
  private Way walk(Path directory) throws IOException {
    Path root = directory.getRoot();
    Path at = root;
    @Nullable String problem = directoryProblem(root, ConfigFileStatus.of(root));
    Deque<Path> ahead = new ArrayDeque<>();
    directory.forEach(ahead::addLast);
    int links = 0;
    while (!ahead.isEmpty()) {
      Path name = ahead.removeFirst();
      if (name.toString().equals("..")) {
        Path above = at.getParent();
        at = above == null ? root : above;
        continue;
      }
      Path next = at.resolve(name);
      ConfigFileStatus status = ConfigFileStatus.of(next);
      if (status.isLink()) {
        problem = problem == null ? linkProblem(next, status) : problem;
        Path target = Files.readSymbolicLink(next);
        for (int i = target.getNameCount() - 1; i >= 0; i--) {
          ahead.addFirst(target.getName(i));
        }
        at = target.isAbsolute() ? root : at;
        if (++links > MOST_LINKS) {
          throw new FileSystemLoopException(directory.toString());
        }
      } else {
        problem = problem == null ? directoryProblem(next, status) : problem;
        at = next;
      }
    }
    return new Way(at, problem);
  }

  private @Nullable String linkProblem(Path path, ConfigFileStatus status) {
    return followLinks
        ? ownerProblem(path, status)
        : VisibleText.of(path.toString())
            + " is a symbolic link, which is followed only with --follow-symlinks; or name the"
            + " directory that it leads to";
  }

  private @Nullable String directoryProblem(Path path, ConfigFileStatus status) {
    String name = VisibleText.of(path.toString());
    if (!status.isDirectory()) {
      return name + " is " + status.type() + ", not a directory";
    }
    @Nullable String owner = ownerProblem(path, status);
    if (owner != null) {
      return owner;
    }
    if (status.isSticky()) {
      return null; // whoever may write here cannot replace what belongs to somebody else
    }
    if (status.isWorldWritable()) {
      return "the directory " + name + " is world-writable: chmod o-w " + name;
    }
    return groupProblem("the directory " + name, name, status);
  }

  /** The problem with a file's owner and mode, or null. */
  @Nullable String fileProblem(Path path, ConfigFileStatus status) {
    @Nullable String owner = ownerProblem(path, status);
    if (owner != null) {
      return owner;
    }
    String name = VisibleText.of(path.toString());
    if (status.isWorldWritable()) {
      return "the file is world-writable: chmod o-w " + name;
    }
    return groupProblem("the file", name, status);
  }

  @Nullable String ownerProblem(Path path, ConfigFileStatus status) {
    if (status.uid() == 0 || status.uid() == daemon.uid()) {
      return null;
    }
    String name = VisibleText.of(path.toString());
    String orDaemon = daemon.uid() == 0 ? "" : " or uid " + daemon.uid() + ", the daemon's user";
    return name
        + " belongs to uid "
        + status.uid()
        + "; it must belong to root"
        + orDaemon
        + ": chown "
        + daemon.uid()
        + " "
        + name;
  }

  private @Nullable String groupProblem(String what, String name, ConfigFileStatus status) {
    if (!status.isGroupWritable() || status.gid() == daemon.gid()) {
      return null;
    }
    return what
        + " is writable by its group, gid "
        + status.gid()
        + ", which is not the daemon's (gid "
        + daemon.gid()
        + "): chmod g-w "
        + name;
  }
}
