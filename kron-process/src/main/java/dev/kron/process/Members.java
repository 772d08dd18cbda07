package dev.kron.process;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds the processes of a run: by its cgroup, where it has one, by the session its command leads,
 * by the run's id in their environment, and by descent from one of those.
 */
final class Members {

  private final Run run;
  private final String bootId;

  Members(Run run, String bootId) {
    this.run = run;
    this.bootId = bootId;
  }

  /** All that live, oldest first, without the keeper. */
  List<ProcessIdentity> living(
      Census census, @Nullable ProcessIdentity keeper, @Nullable ProcessIdentity command) {
    Map<Integer, ProcessTable.Entry> members = new LinkedHashMap<>();
    Predicate<ProcessTable.Entry> isKeeper = entry -> is(entry, keeper) || isKeeper(entry);
    Set<Integer> keepers = new HashSet<>();
    Path leaf = Cgroups.of(run);
    Set<Integer> enclosed = leaf == null ? Set.of() : Cgroups.members(leaf);
    for (ProcessTable.Entry entry : census.all()) {
      if (!entry.ended() && (enclosed.contains(entry.pid()) || belongs(census, entry, command))) {
        if (isKeeper.test(entry)) {
          keepers.add(entry.pid());
        } else {
          members.put(entry.pid(), entry);
        }
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

  /** The run's keeper, found by what it was started with. */
  @Nullable ProcessIdentity keeper() {
    for (ProcessTable.Entry entry : ProcessTable.all()) {
      if (!entry.ended() && isKeeper(entry)) {
        return identity(entry);
      }
    }
    return null;
  }

  /** A keeper leads a session; the fork of it that becomes the command never does as a shell. */
  private boolean isKeeper(ProcessTable.Entry entry) {
    if (entry.session() != entry.pid()) {
      return false;
    }
    List<String> words = ProcessTable.arguments(entry.pid());
    return words.size() > 4
        && words.get(3).equals(Keeper.NAME)
        && words.get(4).equals(run.directory().toString());
  }

  private boolean belongs(
      Census census, ProcessTable.Entry entry, @Nullable ProcessIdentity command) {
    if (command != null
        && entry.session() == command.pid()
        && entry.startTicks() >= command.startTicks()
        && sessionIsOurs(command)) {
      return true;
    }
    return census.carries(entry.pid(), run);
  }

  /** While its leader lives, a session is surely the run's; after that the variable must tell. */
  private static boolean sessionIsOurs(ProcessIdentity command) {
    return ProcessTable.entry(command.pid())
        .filter(leader -> leader.startTicks() == command.startTicks())
        .isPresent();
  }

  private static void addDescendants(
      Census census, Map<Integer, ProcessTable.Entry> members, Set<Integer> keepers) {
    List<Integer> open = new ArrayList<>(members.keySet());
    open.addAll(keepers);
    while (!open.isEmpty()) {
      for (ProcessTable.Entry child : census.children(open.removeLast())) {
        if (!child.ended() && !keepers.contains(child.pid())) {
          if (members.put(child.pid(), child) == null) {
            open.add(child.pid());
          }
        }
      }
    }
  }

  private static boolean is(ProcessTable.Entry entry, @Nullable ProcessIdentity process) {
    return process != null
        && entry.pid() == process.pid()
        && entry.startTicks() == process.startTicks();
  }

  private ProcessIdentity identity(ProcessTable.Entry entry) {
    return new ProcessIdentity(entry.pid(), entry.startTicks(), bootId);
  }
}
