package dev.kron.simulation;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The memory that a witness has of all jobs and of their executions. */
final class JobWitnesses {
  private final Machine machine;

  /** Each job by its identity. */
  final Map<String, JobWitness> byIdentity = new TreeMap<>();

  /** Executions of jobs, by the id of the run. */
  final Map<String, Execution> byRun = new HashMap<>();

  /** Runs of which something was taken away before they began. */
  final Set<String> lostBeforeBegun = new HashSet<>();

  JobWitnesses(Machine machine) {
    this.machine = machine;
  }

  JobWitness job(String identity) {
    return byIdentity.computeIfAbsent(identity, it -> new JobWitness());
  }

  Collection<JobWitness> all() {
    return byIdentity.values();
  }

  void forEach(BiConsumer<String, JobWitness> action) {
    byIdentity.forEach(action);
  }

  /** The file of a job as it is durable; null: there is none that can be read. */
  @Nullable StateView platter(String identity) {
    byte[] content = machine.disk.platter(job(identity).file(identity));
    if (job(identity).isLast(content)) {
      return job(identity).last;
    }
    return content == null ? null : StateView.parse(content);
  }

  /** The file of a job as a daemon reads it now; null: there is none. */
  byte @Nullable [] content(String identity) {
    return machine.disk.content(job(identity).file(identity));
  }
}
