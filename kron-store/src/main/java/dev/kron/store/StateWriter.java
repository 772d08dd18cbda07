package dev.kron.store;

import dev.kron.job.ActiveRun;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobState;
import dev.kron.job.Links;
import dev.kron.job.Outcome;
import dev.kron.job.Reason;
import dev.kron.job.Retry;
import dev.kron.json.JsonText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The writer of state files: the specification's members in its order, then ours, then what else
 * the earlier file contained.
 */
final class StateWriter {
  /**
   * The limit of a history: half of what can be read back, so that a history never makes a state
   * unreadable.
   */
  private static final int HISTORY_LIMIT_BYTES = JobStates.LIMIT_BYTES / 2;

  private final JsonText json = new JsonText();
  private final @Nullable Kept kept;
  private final List<String> droppedRuns = new ArrayList<>(0);
  private long earlierSuccess;

  private StateWriter(@Nullable Kept kept) {
    this.kept = kept;
    this.earlierSuccess = kept == null ? 0 : kept.earlierSuccess;
  }

  /**
   * Writes a state.
   *
   * @param kept what to carry over from the file that is replaced; null if there is none
   */
  static StateWriter write(StateChange change, @Nullable Kept kept, int historyLimit) {
    StateWriter writer = new StateWriter(kept);
    writer.state(change.state(), change.entries(), historyLimit);
    writer.notices(change.notices());
    writer.end();
    return writer;
  }

  /** The bytes, of which only the first {@link #length} count. */
  byte[] bytes() {
    return json.array();
  }

  int length() {
    return json.length();
  }

  /** The runs whose history entries were dropped. */
  List<String> droppedRuns() {
    return droppedRuns;
  }

  private void state(JobState state, List<HistoryEntry> entries, int historyLimit) {
    List<ActiveRun> runs = state.active();
    json.ascii("{\"Version\":\"").ascii(version(state)).ascii("\",\n\"Identity\":");
    json.string(state.identity());
    boolean isBoot = !state.boots().isEmpty();
    period(
        ",\n\"LastHandledPeriodID\":",
        state.lastHandled(),
        isBoot ? state.boots().getLast() : null);
    String outcome = state.lastOutcome() == null ? "" : state.lastOutcome().text();
    json.ascii(",\n\"LastOutcome\":\"").ascii(outcome).ascii("\"");
    time(",\n\"LastChosenTime\":", state.lastChosen());
    time(",\n\"LastNominalTime\":", state.lastHandled());
    json.ascii(",\n\"ActiveExecution\":");
    if (runs.isEmpty()) {
      json.ascii("null");
    } else {
      run(runs.getLast());
    }
    history(entries, historyLimit);
    if (runs.size() > 1) {
      json.ascii(",\n\"OtherActive\":[");
      for (int i = 0; i < runs.size() - 1; i++) {
        json.ascii(i == 0 ? "\n" : ",\n");
        run(runs.get(i));
      }
      json.ascii("]");
    }
    json.ascii(",\n\"ScheduleFingerprint\":").string(state.fingerprint());
    time(",\n\"Since\":", state.since());
    if (state.pastLost()) {
      json.ascii(",\n\"PastLost\":true");
    }
    if (earlierSuccess != 0) {
      millis(",\n\"EarlierSuccess\":", earlierSuccess);
    }
    if (!state.begunAhead().isEmpty()) {
      String name = ",\n\"BegunAhead\":[";
      for (long begun : state.begunAhead()) {
        time(name, begun);
        name = ",";
      }
      json.ascii("]");
    }
    if (state.boots().size() > 1) {
      String name = ",\n\"EarlierBoots\":[";
      for (String boot : state.boots().subList(0, state.boots().size() - 1)) {
        json.ascii(name).string(boot);
        name = ",";
      }
      json.ascii("]");
    }
    if (state.retry() != null) {
      retry(state.retry());
    }
    links(state.links());
    json.ascii(",\n\"Suspended\":").ascii(Boolean.toString(state.suspended()));
    if (kept != null) {
      for (Kept.Slice member : kept.members) {
        json.ascii(",\n").raw(kept.bytes, member.start(), member.end());
      }
    }
  }

  /**
   * Writes the notification state.
   *
   * @param notices null keeps the present one
   */
  private void notices(@Nullable String notices) {
    if (notices != null && !notices.isEmpty()) {
      byte[] bytes = notices.getBytes(StandardCharsets.UTF_8);
      json.ascii(",\n\"Notices\":").raw(bytes, 0, bytes.length);
    } else if (notices == null && kept != null && kept.notices != null) {
      json.ascii(",\n\"Notices\":").raw(kept.bytes, kept.notices.start(), kept.notices.end());
    }
  }

  private void end() {
    json.ascii("}\n");
  }

  private static String version(JobState state) {
    boolean knowsBoots =
        !state.boots().isEmpty()
            || state.active().stream().anyMatch(run -> run.bootPeriod() != null)
            || (state.retry() != null && state.retry().failed().bootPeriod() != null);
    if (knowsBoots) {
      return StateReader.BOOT_VERSION;
    }
    boolean plain =
        state.retry() == null
            && state.links().isEmpty()
            && state.active().stream().allMatch(run -> run.attempt() == 1 && run.cause() == null);
    return plain ? StateReader.PLAIN_VERSION : StateReader.VERSION;
  }

  private void links(Links links) {
    String name = ",\n\"OwedLinks\":[";
    for (Links.Owed owed : links.owed()) {
      json.ascii(name).ascii("{\"Target\":").string(owed.target());
      json.ascii(",\"Cause\":").string(owed.cause());
      millis(",\"SucceededAt\":", owed.at());
      json.ascii("}");
      name = ",";
    }
    json.ascii(links.owed().isEmpty() ? "" : "]");
    name = ",\n\"TakenLinks\":[";
    for (String taken : links.taken()) {
      json.ascii(name).string(taken);
      name = ",";
    }
    json.ascii(links.taken().isEmpty() ? "" : "]");
  }

  private void retry(Retry retry) {
    period(",\n\"Retry\":{\"PeriodID\":", retry.failed().nominal(), retry.failed().bootPeriod());
    json.ascii(",\"Cause\":").string(Objects.requireNonNullElse(retry.failed().cause(), ""));
    json.ascii(",\"Attempt\":").ascii(Integer.toString(retry.attempt()));
    millis(",\"NotBefore\":", retry.notBefore());
    json.ascii(",\"ScheduleFingerprint\":").string(retry.fingerprint());
    json.ascii(",\"Failed\":");
    writeEntry(retry.failed());
    json.ascii("}");
  }

  private void run(ActiveRun run) {
    period("{\"PeriodID\":", run.nominal(), run.bootPeriod());
    if (run.bootPeriod() != null) {
      time(",\"NominalTime\":", run.nominal());
    }
    json.ascii(",\"PID\":").ascii(Integer.toString(run.pid()));
    millis(",\"StartedAt\":", run.startedAt());
    time(",\"ChosenTime\":", run.chosen());
    json.ascii(",\"RunID\":").string(run.runId());
    json.ascii(",\"BootID\":").string(run.bootId());
    json.ascii(",\"StartTicks\":").ascii(Long.toString(run.startTicks()));
    json.ascii(",\"Phase\":\"").ascii(RunWords.word(run.phase())).ascii("\"");
    if (run.ending() != null) {
      json.ascii(",\"Ending\":\"").ascii(RunWords.word(run.ending())).ascii("\"");
    }
    String endedBy = run.endedBy();
    if (endedBy != null) {
      json.ascii(",\"EndedBy\":").string(endedBy);
    }
    time(",\"DueTime\":", run.due());
    if (run.manual()) {
      json.ascii(",\"Manual\":true");
    }
    if (run.attempt() > 1) {
      json.ascii(",\"Attempt\":").ascii(Integer.toString(run.attempt()));
    }
    optional(",\"Cause\":", run.cause());
    if (run.outdated()) {
      json.ascii(",\"Outdated\":true");
    }
    if (kept != null) {
      for (Kept.Slice member : kept.membersOfRun(run.runId())) {
        json.ascii(",").raw(kept.bytes, member.start(), member.end());
      }
    }
    json.ascii("}");
  }

  private void history(List<HistoryEntry> entries, int limit) {
    List<byte[]> all = new ArrayList<>();
    if (kept != null) {
      for (Kept.Slice slice : kept.history) {
        all.add(Arrays.copyOfRange(kept.bytes, slice.start(), slice.end()));
      }
    }
    for (HistoryEntry entry : entries) {
      byte[] bytes = entry(entry);
      // A commit that failed after its rename is repeated; its entries are in the file already.
      if (all.stream().noneMatch(there -> Arrays.equals(there, bytes))) {
        all.add(bytes);
      }
    }
    int dropped = dropped(all, limit);
    for (byte[] bytes : all.subList(0, dropped)) {
      rememberDropped(bytes);
    }
    json.ascii(",\n\"History\":[");
    for (int i = dropped; i < all.size(); i++) {
      json.ascii(i == dropped ? "\n" : ",\n").raw(all.get(i), 0, all.get(i).length);
    }
    json.ascii("]");
  }

  /** The number of oldest entries to drop so that the rest keeps both limits. */
  private static int dropped(List<byte[]> entries, int limit) {
    int first = entries.size();
    long bytes = 0;
    while (first > Math.max(0, entries.size() - limit)) {
      bytes += entries.get(first - 1).length + 2;
      if (bytes > HISTORY_LIMIT_BYTES) {
        break;
      }
      first--;
    }
    return first;
  }

  private void rememberDropped(byte[] bytes) {
    try {
      HistoryEntry entry = HistoryReader.read(bytes, new Kept.Slice(0, bytes.length));
      if (entry.runId() != null) {
        droppedRuns.add(entry.runId());
      }
      if (entry.success()) {
        earlierSuccess = entry.completedAt();
      }
    } catch (MalformedStateException e) {
      // An entry that we cannot read names no run that we could clean up after, and no success.
    }
  }

  static byte[] entry(HistoryEntry entry) {
    StateWriter writer = new StateWriter(null);
    writer.writeEntry(entry);
    return writer.json.toByteArray();
  }

  private void writeEntry(HistoryEntry entry) {
    period("{\"PeriodID\":", entry.nominal(), entry.bootPeriod());
    json.ascii(",\"Outcome\":\"").ascii(entry.outcome().text()).ascii("\"");
    time(",\"NominalTime\":", entry.nominal());
    time(",\"ChosenTime\":", entry.chosen());
    millis(",\"CompletedAt\":", entry.completedAt());
    json.ascii(",\"ExitCode\":").ascii(String.valueOf(entry.exitCode()));
    if (entry.why() != null) {
      why(entry.why(), entry.cause() == null ? "Cause" : "ReasonCause");
    }
    optional(",\"Cause\":", entry.cause());
    if (entry.signal() != null) {
      json.ascii(",\"Signal\":").ascii(Integer.toString(entry.signal()));
    }
    optional(",\"Stage\":", entry.stage());
    optional(",\"RunID\":", entry.runId());
    if (entry.startedAt() != 0) {
      millis(",\"StartedAt\":", entry.startedAt());
    }
    if (entry.outcome() == Outcome.EXECUTED) {
      json.ascii(",\"Success\":").ascii(Boolean.toString(entry.success()));
    }
    if (entry.outcome() == Outcome.EXECUTED || entry.attempt() > 1) {
      json.ascii(",\"Attempt\":").ascii(Integer.toString(entry.attempt()));
    }
    if (entry.cpuMillis() != null) {
      json.ascii(",\"CPUMillis\":").ascii(Long.toString(entry.cpuMillis()));
    }
    json.ascii("}");
  }

  private void why(Reason why, String causeName) {
    json.ascii(",\"Reason\":").string(why.text());
    json.ascii(",\"").ascii(causeName).ascii("\":\"").ascii(why.cause().word()).ascii("\"");
    if (why.cause() == Reason.Cause.LATE) {
      json.ascii(",\"LateSeconds\":").ascii(Long.toString(why.lateSeconds()));
      json.ascii(",\"DeadlineSeconds\":").ascii(Long.toString(why.deadlineSeconds()));
    }
  }

  private void optional(String name, @Nullable String value) {
    if (value != null) {
      json.ascii(name).string(value);
    }
  }

  private void period(String name, long nominal, @Nullable String boot) {
    if (boot == null) {
      time(name, nominal);
    } else {
      json.ascii(name).string(boot);
    }
  }

  private void time(String name, long epochSecond) {
    json.ascii(name).ascii("\"").ascii(Timestamps.ofSecond(epochSecond)).ascii("\"");
  }

  private void millis(String name, long epochMillis) {
    json.ascii(name).ascii("\"").ascii(Timestamps.ofMillis(epochMillis)).ascii("\"");
  }
}
