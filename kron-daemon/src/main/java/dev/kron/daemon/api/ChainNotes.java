package dev.kron.daemon.api;

import dev.kron.cron.Boot;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobSpec;
import java.util.ArrayList;
import java.util.List;

/** Sentences on what makes a job run beside the calendar: a boot, and the jobs before it. */
final class ChainNotes {
  private ChainNotes() {}

  static List<String> of(JobSpec spec, Snapshot snapshot, List<HistoryEntry> history) {
    var notes = new ArrayList<String>();
    if (spec.schedule().times() == Boot.INSTANCE) {
      notes.add(
          "it runs once after each start of the machine; where it was added since, next time");
    }
    if (!spec.then().isEmpty()) {
      notes.add("each success of it starts " + String.join(", ", spec.then()));
    }
    for (JobView other : snapshot.jobs()) {
      JobSpec before = other.spec();
      if (before != null
          && before.file().equals(spec.file())
          && before.then().contains(spec.name())) {
        notes.add("it follows each success of " + before.name());
      }
    }
    history.reversed().stream()
        .filter(entry -> entry.cause() != null)
        .limit(3)
        .forEach(
            entry ->
                notes.add(
                    "run "
                        + entry.runId()
                        + " was caused by run "
                        + entry.cause()
                        + ": "
                        + (entry.reason() == null ? entry.outcome().text() : entry.reason())));
    return notes;
  }
}
