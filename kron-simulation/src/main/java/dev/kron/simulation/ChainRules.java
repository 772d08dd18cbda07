package dev.kron.simulation;

import dev.kron.simulation.StateView.Active;
import dev.kron.simulation.StateView.Entry;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;

/** Chains: each success is followed by one run, or one skip, of each job that is to follow. */
final class ChainRules {
  private static final long SECOND = 1_000_000_000L;

  private final Machine machine;
  private final Circumstances around;
  private final BiFunction<Invariant, String, Violation> fail;

  /** Successes on record by the ids of their runs. */
  private final Set<String> successes = new HashSet<>();

  /** Links that were taken: the cause, a blank, the identity of the job that follows. */
  private final Set<String> taken = new HashSet<>();

  /** Executions of links, by cause, job and attempt. */
  private final Map<String, Execution> executed = new HashMap<>();

  /** The runs that have to follow, and since when. */
  private final Map<String, Due> due = new LinkedHashMap<>();

  /**
   * @param entry what the file said of the job that follows
   */
  private record Due(String identity, JobEntry entry, long sinceNanos) {}

  ChainRules(Machine machine, Circumstances around, BiFunction<Invariant, String, Violation> fail) {
    this.machine = machine;
    this.around = around;
    this.fail = fail;
  }

  private static String link(String cause, String identity) {
    return cause + " " + identity;
  }

  /** A job has another entry on record. */
  void recorded(String identity, Entry entry) {
    if (!entry.causedBy().isEmpty()) {
      taken(identity, entry.causedBy(), entry.toString());
    }
    if (!entry.success()) {
      return;
    }
    successes.add(entry.runId());
    JobEntry spec = around.entry(identity);
    boolean sure = around.isSettled() && !around.undecided;
    if (spec != null && sure && !machine.disk.troubled()) {
      for (String target : spec.then()) {
        JobEntry follows = around.entry(target);
        String link = link(entry.runId(), target);
        if (follows != null && !taken.contains(link)) {
          due.put(link, new Due(target, follows, machine.clock.nanos()));
        }
      }
    }
  }

  /** A job has another run on record. */
  void decided(String identity, Active run) {
    if (!run.cause().isEmpty()) {
      taken(identity, run.cause(), run.toString());
    }
  }

  private void taken(String identity, String cause, String what) {
    String link = link(cause, identity);
    taken.add(link);
    due.remove(link);
    if (!successes.contains(cause)) {
      throw fail.apply(
          Invariant.LINKS_FOLLOW_SUCCESSES,
          identity + " follows what is no success on record: " + what);
    }
  }

  void began(Execution execution) {
    if (execution.cause.isEmpty()) {
      return;
    }
    String key = link(execution.cause, execution.identity) + " " + execution.attempt;
    Execution before = executed.put(key, execution);
    if (before != null && !before.unknowable) {
      throw fail.apply(
          Invariant.LINKS_FOLLOW_SUCCESSES,
          "%s follows %s as run %s and as run %s"
              .formatted(execution.identity, execution.cause, before.run.id(), execution.run.id()));
    }
  }

  /**
   * A run of a chain reads what the run before it wrote.
   *
   * @param inForce what files say of its job
   */
  void reads(Execution execution, List<JobEntry> inForce) {
    boolean fed = inForce.stream().anyMatch(JobEntry::readsCause);
    boolean unfed = inForce.stream().anyMatch(it -> !it.readsCause());
    String read = execution.input;
    String output = Keepers.output(execution.cause);
    // Nobody syncs it: a loss of power leaves of it what it pleases.
    boolean torn = read != null && machine.keepers.mayHaveLostOutput(execution.cause);
    boolean right =
        read == null
            ? unfed || execution.cause.isEmpty()
            : fed && !execution.cause.isEmpty() && (torn || read.equals(output));
    if (!inForce.isEmpty() && !right) {
      throw fail.apply(
          Invariant.INPUT_IS_THE_CAUSES_OUTPUT,
          "run %s of %s, caused by '%s', reads '%s'"
              .formatted(execution.run.id(), execution.identity, execution.cause, read));
    }
  }

  /** The file of a job is lost, and with it the links that it owed and had taken. */
  void excused(String identity) {
    due.clear(); // whose run a cause is, nobody knows by its id
    executed.keySet().removeIf(key -> key.contains(" " + identity + " "));
  }

  /** Not all that this job has put on record could be seen: it may have taken what it follows. */
  void unseen(String identity) {
    due.values().removeIf(it -> it.identity.equals(identity));
  }

  /** Time has passed. */
  void look() {
    if (due.isEmpty() || around.leaving) {
      return;
    }
    due.values().removeIf(it -> !Objects.equals(around.known.get(it.identity), it.entry));
    due.forEach(
        (link, it) -> {
          if (around.hadTime(it.sinceNanos)) {
            throw fail.apply(
                Invariant.LINKS_ARE_NOT_LOST,
                "%s is owed for %s s"
                    .formatted(link, (machine.clock.nanos() - it.sinceNanos) / SECOND));
          }
        });
  }
}
