package dev.kron.process;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;

/**
 * A snapshot of all processes, taken once for any number of runs. The environment of a process is
 * read when it is first asked for, and only once.
 */
final class Census {
  private final Map<Integer, ProcFiles.Entry> table = new HashMap<>();
  private final Map<Integer, List<ProcFiles.Entry>> children = new HashMap<>();
  private final Map<Integer, Set<String>> runIds = new HashMap<>();
  private final Map<Integer, Optional<ProcFiles.UserIds>> users = new HashMap<>();
  private final IntFunction<Set<String>> idsOf;

  Census() {
    this(process -> ProcFiles.values(process, Run.ID_VARIABLE));
  }

  /**
   * A snapshot of this moment.
   *
   * @param idsOf reads the run ids in the environment of a process
   */
  Census(IntFunction<Set<String>> idsOf) {
    this(ProcFiles.all(), idsOf);
  }

  private Census(List<ProcFiles.Entry> processes, IntFunction<Set<String>> idsOf) {
    this.idsOf = idsOf;
    for (ProcFiles.Entry entry : processes) {
      table.put(entry.pid(), entry);
      children.computeIfAbsent(entry.parent(), pid -> new ArrayList<>()).add(entry);
    }
  }

  /** A snapshot without a table: it answers only for single processes. */
  static Census ofNobody() {
    return new Census(List.of(), process -> ProcFiles.values(process, Run.ID_VARIABLE));
  }

  Collection<ProcFiles.Entry> all() {
    return table.values();
  }

  List<ProcFiles.Entry> children(int pid) {
    return children.getOrDefault(pid, List.of());
  }

  /**
   * Whether a process was started with this run's id in its environment, and is not the run's
   * alert.
   */
  boolean carries(int pid, Run run) {
    return runIds.computeIfAbsent(pid, idsOf::apply).contains(run.id())
        && ProcFiles.values(pid, Run.ALERT_VARIABLE).stream()
            .allMatch(String.valueOf(run.directory().getFileName())::equals);
  }

  /** The user ids of a process; empty once it is gone. */
  Optional<ProcFiles.UserIds> users(int pid) {
    return users.computeIfAbsent(pid, ProcFiles::users);
  }
}
