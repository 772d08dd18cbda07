package dev.kron.daemon;

import dev.kron.daemon.jobs.JobLog;
import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.loop.Errands;
import dev.kron.job.HistoryEntry;
import dev.kron.store.DiskException;
import dev.kron.store.HistoryFiles;
import dev.kron.store.Past;
import dev.kron.store.PastEvent;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The writer of the history files, beside the loop, once a second. What is too much, or what the
 * disk does not take, is completed from the jobs' states later. A daemon that is driven by hand
 * writes none.
 */
final class PastRecorder implements AutoCloseable {
  private static final long TOGETHER_MILLIS = 1000;
  private static final int MOST_WAITING = 20_000;

  /** The most entries that a leaving daemon still writes. */
  private static final int MOST_AT_THE_END = 500;

  private static final String SERVICE = "service:";
  private static final String JOB = "job:";
  private static final String DAEMON = "daemon:";
  private static final String ADDED = "added";

  private final HistoryFiles files;
  private final Errands errands;
  private final EventLog log;
  private final Object writing = new Object();
  private Waiting waiting = new Waiting();
  private boolean scheduled;
  private boolean failing;

  /** The waiting entries of one job or service. */
  private record Batch(ZoneId zone, List<HistoryEntry> entries, List<PastEvent> events) {}

  /** All that waits to be written. */
  private static final class Waiting {
    final Map<String, Batch> batches = new LinkedHashMap<>();
    final Set<String> passedOver = new HashSet<>();
    int count;
  }

  PastRecorder(HistoryFiles files, Errands errands, EventLog log) {
    this.files = files;
    this.errands = errands;
    this.log = log;
  }

  /** The recorded past of a job. */
  Past ofJob(String identity) {
    return files.read(identity);
  }

  Past ofService(String name) {
    return files.read(SERVICE + name);
  }

  /** When a command last resumed a job, in milliseconds; 0 if none did. */
  long resumedMillis(String identity) {
    return files.read(JOB + identity).events().stream()
        .filter(event -> event.what().equals(JobLog.RESUMED))
        .mapToLong(PastEvent::atMillis)
        .max()
        .orElse(0);
  }

  /** What has happened to a job other than its runs, and to the daemon, oldest first. */
  List<PastEvent> aroundJob(String identity) {
    List<PastEvent> events = new ArrayList<>(files.read(JOB + identity).events());
    events.addAll(files.read(DAEMON).events());
    return events;
  }

  /** Something other than a run has happened to a job. */
  void happenedToJob(String identity, String what, long atMillis) {
    add(JOB + identity, ZoneOffset.UTC, null, new PastEvent(atMillis, "", what, null, null, null));
  }

  /** Something has happened that concerns all jobs. */
  void happenedToDaemon(String what, long atMillis, @Nullable String reason) {
    add(DAEMON, ZoneOffset.UTC, null, new PastEvent(atMillis, "", what, null, reason, null));
  }

  /** A run or a period of a job has ended, and is durable. */
  void ended(String identity, ZoneId zone, HistoryEntry entry) {
    add(identity, zone, entry, null);
  }

  /** Something has happened to a service, and is durable. */
  void happened(PastEvent event) {
    int at = event.instance().lastIndexOf('@');
    String service = at < 0 ? event.instance() : event.instance().substring(0, at);
    add(SERVICE + service, ZoneOffset.UTC, null, event);
  }

  private void add(
      String identity, ZoneId zone, @Nullable HistoryEntry entry, @Nullable PastEvent event) {
    if (errands.byHand()) {
      return;
    }
    synchronized (this) {
      if (waiting.count >= MOST_WAITING) {
        waiting.passedOver.add(identity);
        return;
      }
      Batch batch =
          waiting.batches.computeIfAbsent(
              identity, key -> new Batch(zone, new ArrayList<>(1), new ArrayList<>(1)));
      waiting.count++;
      if (entry != null) {
        batch.entries().add(entry);
      }
      if (event != null) {
        batch.events().add(event);
      }
      if (scheduled) {
        return;
      }
      scheduled = true;
    }
    schedule();
  }

  private void schedule() {
    errands.after(TOGETHER_MILLIS, Errands.Place.KEEP_HISTORY, this::write, thrown -> schedule());
  }

  private void write() {
    Waiting taken;
    synchronized (this) {
      taken = waiting;
      waiting = new Waiting();
      scheduled = false;
    }
    synchronized (writing) {
      write(taken);
    }
  }

  private void write(Waiting taken) {
    taken.passedOver.forEach(files::forget);
    try {
      for (Map.Entry<String, Batch> of : taken.batches.entrySet()) {
        Batch batch = of.getValue();
        if (!batch.entries().isEmpty()) {
          files.append(of.getKey(), batch.zone(), batch.entries());
        }
        if (isWorthKeeping(of.getKey(), batch.events())) {
          files.appendEvents(of.getKey(), batch.events());
        }
      }
      failing = false;
    } catch (DiskException e) {
      files.reset(); // the files may be gone, with their directory
      if (!failing) {
        failing = true;
        log.warn("store", "history_not_written", "reason", e.getMessage());
      }
    }
  }

  /** Whether events need a file. That a job was added is recorded only if it was removed before. */
  private boolean isWorthKeeping(String key, List<PastEvent> events) {
    boolean added = events.stream().allMatch(event -> event.what().equals(ADDED));
    return !events.isEmpty()
        && !(key.startsWith(JOB) && added && files.read(key).events().isEmpty());
  }

  /** Makes room on a full disk; returns whether it could. Called beside the loop. */
  boolean giveWay() {
    if (errands.byHand()) {
      return false;
    }
    long freed = 0;
    try {
      freed = files.giveWay();
    } catch (DiskException e) {
      // A disk that does not delete has other troubles, which are told of.
    }
    if (freed > 0) {
      log.warn("store", "history_dropped", "bytes", freed, "reason", "the disk is full");
    }
    return freed > 0;
  }

  /**
   * Writes the waiting entries, unless they are many: the next daemon finds them in the jobs'
   * states.
   */
  @Override
  public void close() {
    boolean few;
    synchronized (this) {
      few = waiting.count <= MOST_AT_THE_END;
    }
    if (few) {
      write();
    }
  }
}
