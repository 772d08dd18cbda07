package dev.kron.process;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The search for keepers whose runs no file tells of any more. A keeper names its run in its
 * command line, and whose run it is in the variables that it wraps for its command. Only processes
 * that are wholly the daemon's user are believed.
 */
final class LivingKeepers {
  private static final String OWN = "KRON_";

  private LivingKeepers() {}

  /**
   * The runs below a directory that have a keeper.
   *
   * @param self the daemon's own user, as whom keepers run
   */
  static List<KeptRun> below(Path directory, String bootId, int self) {
    List<KeptRun> found = new ArrayList<>();
    for (ProcFiles.Entry entry : ProcFiles.all()) {
      Path run = entry.ended() ? null : Members.kept(entry, self);
      if (run != null && directory.equals(run.getParent())) {
        var keeper = new ProcessIdentity(entry.pid(), entry.startTicks(), bootId);
        found.add(new KeptRun(String.valueOf(run.getFileName()), keeper, variables(entry.pid())));
      }
    }
    return found;
  }

  /** The variables of its command: {@code kron_keeper_7=KRON_SERVICE=web}. */
  private static Map<String, String> variables(int keeper) {
    Map<String, String> variables = new HashMap<>();
    for (String wrapped : ProcFiles.environment(keeper)) {
      int name = wrapped.indexOf('=') + 1;
      int value = wrapped.indexOf('=', name);
      if (wrapped.startsWith(Environment.RESERVED_PREFIX)
          && value > 0
          && wrapped.startsWith(OWN, name)) {
        variables.put(wrapped.substring(name, value), wrapped.substring(value + 1));
      }
    }
    return variables;
  }
}
