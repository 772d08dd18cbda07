package dev.kron.process;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The search for the processes of a run: by its cgroup, if it has one, by the session of its
 * command, by the run's id in their environment, and by descent from one of those. Environment and
 * command line count only if a process runs as the run's user or the daemon's, since any process
 * can choose them.
 */
final class Members {

  private static final int MOST_ANCESTORS = 1_000;

  private final Run run;
  private final String bootId;
  private final int self;

  /**
   * A search for one run.
   *
   * @param self the daemon's own user, as whom keepers run
   */
  Members(Run run, String bootId, int self) {
    this.run = run;
    this.bootId = bootId;
    this.self = self;
  }

  /**
   * All living processes, oldest first, without the keeper. If the record names the keeper, no
   * other process is taken for it, whatever its command line says.
   */
  List<ProcessIdentity> living(
      Census census, @Nullable ProcessIdentity keeper, @Nullable ProcessIdentity command)
      throws IOException {
    Map<Integer, ProcFiles.Entry> members = new LinkedHashMap<>();
    Set<Integer> users = users(command);
    Set<Integer> keepers = new HashSet<>();
    Path leaf = Cgroups.of(run);
    Set<Integer> enclosed = leaf == null ? Set.of() : Cgroups.members(leaf);
    for (ProcFiles.Entry entry : census.all()) {
      if (entry.ended()) {
        continue;
      }
      if (is(entry, keeper) || (keeper == null && isKeeper(entry))) {
        keepers.add(entry.pid());
      } else if (enclosed.contains(entry.pid())
          || isInSession(census, entry, command)
          || says(census, entry, users)) {
        members.put(entry.pid(), entry);
      }
    }
    addDescendants(census, members, keepers);
    if (leaf != null && members.isEmpty()) {
      Cgroups.remove(leaf); // nobody can come into it any more
    }
    return members.values().stream()
        .sorted((a, b) -> Long.compare(a.startTicks(), b.startTicks()))
        .map(this::identity)
        .toList();
  }

  /** Whether a process belongs to the run, by the same rules as {@link #living}. */
  boolean includes(int pid, @Nullable ProcessIdentity keeper, @Nullable ProcessIdentity command)
      throws IOException {
    Census census = Census.ofNobody();
    Set<Integer> users = users(command);
    Path leaf = Cgroups.of(run);
    Set<Integer> enclosed = leaf == null ? Set.of() : Cgroups.members(leaf);
    // Whoever descends from a member is one.
    for (int ancestor = pid, looks = 0; ancestor > 1 && looks < MOST_ANCESTORS; looks++) {
      ProcFiles.Entry entry = ProcFiles.entry(ancestor).orElse(null);
      if (entry == null) {
        return false;
      }
      if (is(entry, keeper)) {
        return ancestor != pid;
      }
      if (enclosed.contains(ancestor)
          || isInSession(census, entry, command)
          || says(census, entry, users)) {
        return true;
      }
      ancestor = entry.parent();
    }
    return false;
  }

  /** The run's keeper, found by its command line. */
  @Nullable ProcessIdentity keeper() {
    for (ProcFiles.Entry entry : ProcFiles.all()) {
      if (!entry.ended() && isKeeper(entry)) {
        return identity(entry);
      }
    }
    return null;
  }

  /**
   * Whether a process is a keeper of this run that has not made its claim yet. It leads a session,
   * which its fork that becomes the command never does as a shell. All its user ids are the
   * daemon's, which excludes a set-user-id program that somebody started with a keeper's command
   * line.
   */
  private boolean isKeeper(ProcFiles.Entry entry) {
    return run.directory().equals(kept(entry, self));
  }

  /** The directory of the run whose keeper a process is, by the same rules; null: of none. */
  static @Nullable Path kept(ProcFiles.Entry entry, int self) {
    if (entry.session() != entry.pid()
        || ProcFiles.users(entry.pid()).filter(users -> users.areAll(self)).isEmpty()) {
      return null;
    }
    List<String> words = ProcFiles.arguments(entry.pid());
    return words.size() > 4 && words.get(3).equals(Keeper.NAME) ? Path.of(words.get(4)) : null;
  }

  /**
   * The users whose processes are believed: the one as whom the run was launched, and the present
   * user of its command.
   */
  private Set<Integer> users(@Nullable ProcessIdentity command) throws IOException {
    Set<Integer> users = new HashSet<>();
    users.add(RunFiles.user(run, self));
    if (command != null && lives(command)) {
      ProcFiles.users(command.pid()).ifPresent(found -> users.add(found.real()));
    }
    return users;
  }

  /**
   * Whether a process is in the run's session. While the session's leader lives, the session surely
   * is the run's, whatever users its processes have become; after that, another session may have
   * got its number, so the variable decides.
   */
  private boolean isInSession(
      Census census, ProcFiles.Entry entry, @Nullable ProcessIdentity command) {
    return command != null
        && entry.session() == command.pid()
        && entry.startTicks() >= command.startTicks()
        && (lives(command) || census.carries(entry.pid(), run));
  }

  /**
   * Whether a process carries the run's id. The fork that becomes the command briefly runs as the
   * daemon's user. Processes that are not believed are not read either: a process decides how long
   * reading its environment takes.
   */
  private boolean says(Census census, ProcFiles.Entry entry, Set<Integer> users) {
    return census
            .users(entry.pid())
            .filter(its -> users.contains(its.real()) || its.areAll(self))
            .isPresent()
        && census.carries(entry.pid(), run);
  }

  /** Whether a process is in the process table, ended or not. */
  private static boolean lives(ProcessIdentity process) {
    return ProcFiles.entry(process.pid()).filter(entry -> is(entry, process)).isPresent();
  }

  private static void addDescendants(
      Census census, Map<Integer, ProcFiles.Entry> members, Set<Integer> keepers) {
    List<Integer> open = new ArrayList<>(members.keySet());
    open.addAll(keepers);
    while (!open.isEmpty()) {
      for (ProcFiles.Entry child : census.children(open.removeLast())) {
        if (!child.ended() && !keepers.contains(child.pid())) {
          if (members.put(child.pid(), child) == null) {
            open.add(child.pid());
          }
        }
      }
    }
  }

  private static boolean is(ProcFiles.Entry entry, @Nullable ProcessIdentity process) {
    return process != null
        && entry.pid() == process.pid()
        && entry.startTicks() == process.startTicks();
  }

  private ProcessIdentity identity(ProcFiles.Entry entry) {
    return new ProcessIdentity(entry.pid(), entry.startTicks(), bootId);
  }
}
