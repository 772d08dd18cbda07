package dev.kron.process;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The usage of runs, by one pass over all processes. It reads only counters of the kernel, never
 * the command line or environment of a process: a process decides how long those take to read.
 * Nothing is signalled because of what is found here.
 */
final class UsageOfRuns {
  private final Map<Integer, List<ProcFiles.Entry>> children = new HashMap<>();
  private final Map<Integer, List<ProcFiles.Entry>> sessions = new HashMap<>();

  UsageOfRuns() {
    for (ProcFiles.Entry entry : ProcFiles.all()) {
      if (!entry.ended()) {
        children.computeIfAbsent(entry.parent(), pid -> new ArrayList<>()).add(entry);
        sessions.computeIfAbsent(entry.session(), pid -> new ArrayList<>()).add(entry);
      }
    }
  }

  Usage of(Run run, @Nullable ProcessIdentity keeper, @Nullable ProcessIdentity command) {
    Path leaf = Cgroups.of(run);
    Set<Integer> members = new HashSet<>(leaf == null ? Set.of() : Cgroups.members(leaf));
    Deque<Integer> open = new ArrayDeque<>(members);
    if (command != null && isThere(command)) {
      for (ProcFiles.Entry entry : sessions.getOrDefault(command.pid(), List.of())) {
        if (entry.startTicks() >= command.startTicks()) {
          members.add(entry.pid());
          open.add(entry.pid());
        }
      }
    }
    if (keeper != null && isThere(keeper)) {
      open.add(keeper.pid());
    }
    while (!open.isEmpty()) {
      for (ProcFiles.Entry child : children.getOrDefault(open.remove(), List.of())) {
        if (members.add(child.pid())) {
          open.add(child.pid());
        }
      }
    }
    Usage sum = Usage.NONE;
    for (int pid : members) {
      sum = sum.plus(ProcFiles.usage(pid));
    }
    long enclosed = leaf == null ? 0 : Cgroups.cpuMillis(leaf);
    return new Usage(sum.memoryBytes(), Math.max(sum.cpuMillis(), enclosed), sum.processes());
  }

  private static boolean isThere(ProcessIdentity process) {
    return ProcFiles.entry(process.pid())
        .filter(entry -> entry.startTicks() == process.startTicks())
        .isPresent();
  }
}
