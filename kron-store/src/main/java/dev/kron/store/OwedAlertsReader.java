package dev.kron.store;

import dev.kron.service.Failure;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The reader of what is owed for the failures of an instance. Unknown members are skipped. */
final class OwedAlertsReader {
  private final byte[] bytes;
  private final JsonCursor cursor;

  OwedAlertsReader(byte[] bytes, JsonCursor cursor) {
    this.bytes = bytes;
    this.cursor = cursor;
  }

  List<OwedAlert> read() throws MalformedStateException {
    List<OwedAlert> alerts = new ArrayList<>();
    cursor.expect('[');
    if (!cursor.take(']')) {
      do {
        alerts.add(alert());
      } while (cursor.take(','));
      cursor.expect(']');
    }
    return alerts;
  }

  private OwedAlert alert() throws MalformedStateException {
    var members = new ObjectMembers(bytes, cursor, "an alert", ", ");
    @Nullable String runId = null;
    boolean gaveUp = false;
    @Nullable Integer exitCode = null;
    String reason = "";
    int restarts = 0;
    @Nullable Instant failedAt = null;
    while (members.next()) {
      switch (members.name()) {
        case "run_id" -> runId = cursor.readString();
        case "gave_up" -> gaveUp = cursor.readBoolean();
        case "exit_code" -> exitCode = cursor.takeNull() ? null : (Integer) cursor.readInt();
        case "reason" -> reason = cursor.readString();
        case "restarts" -> restarts = cursor.readInt();
        case "failed_at" -> failedAt = ProcessStateReader.time(cursor);
        default -> cursor.skipValue();
      }
    }
    String run = members.require("run_id", runId);
    if (!RunIds.isRunId(run)) { // it names a directory
      throw cursor.malformed("a run id expected");
    }
    long at = members.require("failed_at", failedAt).toEpochMilli();
    return new OwedAlert(run, new Failure(gaveUp, exitCode, reason, restarts, at));
  }
}
