package dev.kron.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The cgroups (v2) of runs: a leaf for each run that asks for one. A process stays in its leaf
 * whatever session, parent or environment it gives itself, and so do its children. The leaf is
 * named after the run; the file {@code cgroups} beside the run's directory lists the groups below
 * which daemons have made leaves, so that later daemons find them too.
 *
 * <p>Leaves limit and account for nothing, so no controller is needed, only the right to make a
 * directory below the daemon's own group.
 */
final class Cgroups {

  private static final String FILE = "cgroups";
  private static final String PREFIX = "kron-";
  private static final int MOST_ROUNDS = 8;
  private static final int DEEPEST = 8;

  /**
   * The number of links of a directory without subdirectories: its own name, and its entry {@code
   * .}.
   */
  private static final int CHILDLESS_LINKS = 2;

  /** The daemon's own group; null if there is none, and then no run gets a leaf. */
  private static final @Nullable Path OWN = find();

  /** Directories of runs whose {@code cgroups} file names our own group already. */
  private final Set<Path> told = new HashSet<>();

  private static @Nullable Path find() {
    try {
      return own(
          Files.readAllLines(Path.of("/proc/self/mountinfo")),
          Files.readAllLines(Path.of("/proc/self/cgroup")));
    } catch (IOException e) {
      return null;
    }
  }

  /**
   * The daemon's own group, from the kernel's files.
   *
   * @param mounts lines {@code 31 23 0:27 /root /mount/point options - cgroup2 …}
   * @param memberships lines {@code 0::/path}; those of version 1 have other numbers
   */
  static @Nullable Path own(List<String> mounts, List<String> memberships) {
    String path = null;
    for (String line : memberships) {
      if (line.startsWith("0::/")) {
        path = line.substring(3);
      }
    }
    for (String line : mounts) {
      String[] words = line.split(" ");
      if (path != null && words.length > 5 && line.contains(" - cgroup2 ")) {
        String root = words[3];
        boolean below = root.equals("/") || path.equals(root) || path.startsWith(root + "/");
        if (below) {
          String rest = root.equals("/") ? path : path.substring(root.length());
          return Path.of(words[4] + rest).normalize();
        }
      }
    }
    return null;
  }

  /**
   * Moves a command and everything that it has started into a leaf of its own.
   *
   * @return false if no leaf can be made, or the command is gone
   */
  boolean enclose(Run run, ProcessIdentity command) {
    Path leaf = make(run);
    if (leaf == null) {
      return false;
    }
    // Processes that are forked while their parent is being moved are found in the next round.
    for (int round = 0; round < MOST_ROUNDS; round++) {
      Set<Integer> inside = members(leaf);
      boolean moved = false;
      for (int pid : tree(command.pid())) {
        if (!inside.contains(pid)) {
          moved |= move(pid, leaf);
        }
      }
      if (!moved) {
        break;
      }
    }
    if (members(leaf).isEmpty()) {
      remove(leaf); // it ended meanwhile
      return false;
    }
    return true;
  }

  private @Nullable Path make(Run run) {
    Path own = OWN;
    if (own == null) {
      return null;
    }
    Path leaf = own.resolve(PREFIX + run.id());
    try {
      Files.createDirectory(leaf);
    } catch (FileAlreadyExistsException e) {
      // This daemon or an earlier one made the leaf before.
    } catch (IOException e) {
      return null;
    }
    try {
      tell(run, own);
      return leaf;
    } catch (IOException e) {
      remove(leaf);
      return null;
    }
  }

  /**
   * Adds our group to the list for later daemons. One list serves all runs; groups that no longer
   * exist have no leaves.
   */
  private synchronized void tell(Run run, Path group) throws IOException {
    Path file = file(run);
    if (told.contains(file)) {
      return;
    }
    Set<Path> groups = new LinkedHashSet<>(groups(file));
    groups.removeIf(each -> !Files.isDirectory(each));
    if (groups.add(group)) {
      Path draft = file.resolveSibling(FILE + ".new");
      Files.write(draft, groups.stream().map(Path::toString).toList());
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    }
    told.add(file);
  }

  private static Path file(Run run) {
    return run.directory().resolveSibling(FILE);
  }

  private static List<Path> groups(Path file) {
    try {
      return Files.readAllLines(file).stream().map(Path::of).filter(Path::isAbsolute).toList();
    } catch (IOException | InvalidPathException e) {
      return List.of();
    }
  }

  private static boolean move(int pid, Path leaf) {
    try {
      Files.write(
          leaf.resolve("cgroup.procs"),
          Integer.toString(pid).getBytes(UTF_8),
          StandardOpenOption.WRITE);
      return true;
    } catch (IOException e) {
      return false; // it is gone, or may not be moved
    }
  }

  /** A process and its descendants, as far as the chain of parents is unbroken. */
  private static List<Integer> tree(int root) {
    List<Integer> found = new ArrayList<>(List.of(root));
    for (int i = 0; i < found.size(); i++) {
      int pid = found.get(i);
      // The process is gone, or the kernel does not have these lists; then only the process itself
      // is moved.
      ProcFiles.threads(pid)
          .forEach(thread -> ProcFiles.children(pid, thread).ifPresent(found::addAll));
    }
    return found;
  }

  /**
   * The processor time of all processes that were ever in a leaf; 0 if the kernel does not count
   * it.
   */
  static long cpuMillis(Path leaf) {
    try {
      for (String line : Files.readAllLines(leaf.resolve("cpu.stat"))) {
        if (line.startsWith("usage_usec ")) {
          return Long.parseLong(line.substring("usage_usec ".length()).strip()) / 1000;
        }
      }
    } catch (IOException e) {
      // The leaf is gone, or the kernel does not count.
    }
    return 0;
  }

  /** The leaf of a run; null if it has none. */
  static @Nullable Path of(Run run) {
    List<Path> groups = new ArrayList<>(groups(file(run)));
    if (OWN != null) {
      groups.add(OWN); // whatever the file says, or where it is lost
    }
    for (Path group : groups) {
      Path leaf = group.resolve(PREFIX + run.id());
      if (Files.isDirectory(leaf)) {
        return leaf;
      }
    }
    return null;
  }

  /** The processes in a leaf and in groups that were made below it. */
  static Set<Integer> members(Path leaf) {
    Set<Integer> pids = new LinkedHashSet<>();
    add(leaf, pids, 0);
    return pids;
  }

  private static void add(Path group, Set<Integer> pids, int depth) {
    try {
      for (String line : Files.readAllLines(group.resolve("cgroup.procs"))) {
        pids.add(Integer.parseInt(line));
      }
      // The number of links tells whether there are subdirectories; asking each of some thirty
      // files would be slow.
      if (depth == DEEPEST || (int) Files.getAttribute(group, "unix:nlink") == CHILDLESS_LINKS) {
        return;
      }
    } catch (IOException | NumberFormatException e) {
      return; // gone
    }
    try (DirectoryStream<Path> below =
        Files.newDirectoryStream(group, entry -> Files.isDirectory(entry))) {
      for (Path each : below) {
        add(each, pids, depth + 1);
      }
    } catch (IOException e) {
      // The processes that could be read are returned.
    }
  }

  /** Removes a run's leaf, if it has one; false if a process is still in it. */
  static boolean release(Run run) {
    Path leaf = of(run);
    return leaf == null || remove(leaf);
  }

  /** Removes an empty leaf; false if a process is still in it or has made groups below it. */
  static boolean remove(Path leaf) {
    try {
      Files.deleteIfExists(leaf);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
