package dev.kron.simulation;

import dev.kron.store.JobStates;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The memory that a witness has of one job. */
final class JobWitness {
  /** The file as it was last durable; null: none, or none that can be relied on. */
  @Nullable StateView last;

  /** The file as it was before it was lost; a daemon that lives on goes by it. */
  @Nullable StateView beforeLoss;

  /** The bytes of that which is durable. */
  byte @Nullable [] lastContent;

  /** Its file when reading worked again: of what could not be read it has nothing. */
  byte @Nullable [] readable;

  private @Nullable Path file;

  /** When an operator last wanted something that ends a wait. */
  long askedNanos = Long.MIN_VALUE / 2;

  /** The clock was set since an attempt began to wait. */
  boolean clockSet;

  /** The file went bad and has not been written since: what it said is not known to the daemon. */
  boolean damaged;

  /** Its file was taken away, and no daemon has been started since. */
  boolean vanished;

  /** The daemon that is there has found neither that file nor anything that tells of it. */
  boolean missing;

  /** The last period that was handled when calm came. */
  String handledBefore = "";

  /** Executions by period. */
  final Map<String, Execution> executed = new HashMap<>();

  /** Runs that were ever in its file. */
  final Set<String> runs = new HashSet<>();

  /** Periods that were ever in its file as under way, and since when. */
  final Map<String, Long> begun = new HashMap<>();

  /** Terminal outcomes that its file had before it was lost, by period. */
  final Map<String, String> lostOutcomes = new HashMap<>();

  /** Runs that had a terminal outcome before its file was lost. */
  final Set<String> lostRuns = new HashSet<>();

  /** Terminal outcomes by period. */
  final Map<String, String> outcomes = new HashMap<>();

  /** Runs that have a terminal outcome. */
  final Set<String> endedRuns = new HashSet<>();

  /** Runs that must not run beside others, by the policy under which they were decided. */
  final Set<String> alone = new HashSet<>();

  /** The moment before which nothing was seen for this job alone; wall clock. */
  long backMillis = Long.MIN_VALUE;

  /** When the daemon noticed that its file is lost; of windows that began before, none counts. */
  long lostAtMillis = Long.MIN_VALUE;

  /** The daemon that is there found a file that it could not read. */
  boolean unreadable;

  /** When its file was moved aside by a daemon that started, durably; wall clock. */
  long quarantinedMillis = Long.MIN_VALUE;

  /** The fingerprint of the schedule that a daemon took over last. */
  String fingerprint = "";

  /** The latest moment at which a daemon read its entry, by a wall clock that may go back. */
  long readAtMillis = Long.MIN_VALUE;

  /** The arrivals log is lost, and with it what changed since its file was written. */
  boolean arrivalLost;

  /** The moment before which a change of its schedule may have been lost. */
  long changesLostMillis = Long.MIN_VALUE;

  /** When each schedule that it may have was first noticed, by fingerprint; wall clock. */
  final Map<String, Long> noticedMillis = new HashMap<>();

  /** The very same bytes, not only equal ones. */
  @SuppressWarnings("ReferenceEquality")
  boolean isLast(byte @Nullable [] content) {
    return content != null && content == lastContent;
  }

  Path file(String identity) {
    Path present = file;
    if (present == null) {
      present = Machine.STATE.resolve(JobStates.fileName(identity));
      file = present;
    }
    return present;
  }
}
