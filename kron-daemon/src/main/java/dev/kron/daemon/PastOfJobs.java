package dev.kron.daemon;

import dev.kron.daemon.jobs.JobLog;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.Writability;
import dev.kron.job.HistoryEntry;
import java.time.ZoneId;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The recorder of a job's past for {@code kron why}: ends of runs, times when the job was suspended
 * or in no file, and times when nothing could be written. Those last ones are recorded when they
 * are over.
 */
final class PastOfJobs implements JobLog.Ended, Writability.Listener {
  private final Recent recent;
  private final PastRecorder past;
  private final Clocks clocks;
  private Consumer<String> counting = runId -> {};
  private @Nullable Writability writability;
  private @Nullable String trouble;
  private long troubledSince;

  PastOfJobs(Recent recent, PastRecorder past, Clocks clocks) {
    this.recent = recent;
    this.past = past;
    this.clocks = clocks;
  }

  /** Sets the source for why nothing can be written. */
  PastOfJobs asking(Writability writability) {
    this.writability = writability;
    return this;
  }

  /** Sets the listener for ended runs. */
  void counting(Consumer<String> counting) {
    this.counting = counting;
  }

  @Override
  public void ended(String identity, ZoneId zone, HistoryEntry entry) {
    recent.add(identity, entry);
    past.ended(identity, zone, entry);
    String runId = entry.runId();
    if (runId != null) {
      counting.accept(runId);
    }
  }

  @Override
  public void happened(String identity, String what, long atMillis) {
    past.happenedToJob(identity, what, atMillis);
  }

  @Override
  public void unwritable() {
    troubledSince = clocks.wallMillis();
    trouble = writability == null ? null : writability.trouble();
  }

  @Override
  public void writableAgain() {
    past.happenedToDaemon("unwritable", troubledSince, trouble);
    past.happenedToDaemon("writable", clocks.wallMillis(), null);
  }
}
