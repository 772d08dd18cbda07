package dev.kron.store;

import dev.kron.service.FailureReason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The reader of states: a name, or an object of one member with that name. */
record ProcessStateReader(JsonCursor cursor) {

  ProcessState read() throws MalformedStateException {
    if (cursor.peek() == '"') {
      return switch (cursor.readString()) {
        case "Starting" -> new ProcessState.Starting();
        case "Running" -> new ProcessState.Running();
        case "Stopping" -> new ProcessState.Stopping();
        default -> throw cursor.malformed("an unknown state");
      };
    }
    cursor.expect('{');
    cursor.readKey();
    ProcessState state =
        switch (cursor.key()) {
          case "Stopped" -> stopped();
          case "Blocked" -> blocked();
          case "Exited" -> exited();
          case "Failed" -> failed();
          default -> throw cursor.malformed("an unknown state");
        };
    cursor.expect('}');
    return state;
  }

  private ProcessState stopped() throws MalformedStateException {
    Fields fields = new Fields().read();
    return new ProcessState.Stopped(fields.exitCode);
  }

  private ProcessState blocked() throws MalformedStateException {
    Fields fields = new Fields().read();
    return new ProcessState.Blocked(fields.waitingOn, fields.conflictsWith);
  }

  private ProcessState exited() throws MalformedStateException {
    Fields fields = new Fields().read();
    return new ProcessState.Exited(fields.exitCode, fields.time());
  }

  private ProcessState failed() throws MalformedStateException {
    Fields fields = new Fields().read();
    if (fields.reason == null) {
      throw cursor.malformed("a reason expected");
    }
    return new ProcessState.Failed(fields.reason, fields.time());
  }

  /**
   * The fields of all states. An unknown field is skipped and not written again: it belongs to the
   * state, not to the process.
   */
  private final class Fields {
    @Nullable Integer exitCode;
    @Nullable Instant at;
    @Nullable FailureReason reason;
    List<String> waitingOn = List.of();
    List<String> conflictsWith = List.of();

    Fields read() throws MalformedStateException {
      cursor.expect('{');
      if (cursor.take('}')) {
        return this;
      }
      do {
        cursor.readKey();
        switch (cursor.key()) {
          case "exit_code" -> exitCode = number();
          case "exited_at", "failed_at" -> at = ProcessStateReader.time(cursor);
          case "waiting_on" -> waitingOn = texts(cursor);
          case "conflicts_with" -> conflictsWith = texts(cursor);
          case "reason" -> reason = reason();
          default -> cursor.skipValue();
        }
      } while (cursor.take(','));
      cursor.expect('}');
      return this;
    }

    Instant time() throws MalformedStateException {
      if (at == null) {
        throw cursor.malformed("a time expected");
      }
      return at;
    }
  }

  private FailureReason reason() throws MalformedStateException {
    if (cursor.peek() == '"') {
      return switch (cursor.readString()) {
        case "StartTimeout" -> new FailureReason.StartTimeout();
        case "StopTimeout" -> new FailureReason.StopTimeout();
        default -> throw cursor.malformed("an unknown reason");
      };
    }
    cursor.expect('{');
    cursor.readKey();
    FailureReason reason =
        switch (cursor.key()) {
          case "ExitCode" -> new FailureReason.ExitCode(cursor.readInt());
          case "Signal" -> new FailureReason.Signal(cursor.readInt());
          case "HealthCheckFailed" -> {
            member('{', "attempts");
            int attempts = cursor.readInt();
            cursor.expect('}');
            yield new FailureReason.HealthCheckFailed(attempts);
          }
          case "DependencyFailed" -> new FailureReason.DependencyFailed(onlyText("service"));
          case "SpawnError" -> new FailureReason.SpawnError(onlyText("message"));
          case "HookFailed" -> {
            member('{', "hook");
            String hook = cursor.readString();
            member(',', "problem");
            String problem = cursor.readString();
            cursor.expect('}');
            yield new FailureReason.HookFailed(hook, problem);
          }
          default -> throw cursor.malformed("an unknown reason");
        };
    cursor.expect('}');
    return reason;
  }

  private String onlyText(String name) throws MalformedStateException {
    member('{', name);
    String text = cursor.readString();
    cursor.expect('}');
    return text;
  }

  private void member(char before, String name) throws MalformedStateException {
    cursor.expect(before);
    cursor.readKey();
    if (!cursor.keyIs(name)) {
      throw cursor.malformed(name + " expected");
    }
  }

  private @Nullable Integer number() throws MalformedStateException {
    return cursor.takeNull() ? null : (Integer) cursor.readInt();
  }

  static List<String> texts(JsonCursor cursor) throws MalformedStateException {
    List<String> texts = new ArrayList<>();
    cursor.expect('[');
    if (!cursor.take(']')) {
      do {
        texts.add(cursor.readString());
      } while (cursor.take(','));
      cursor.expect(']');
    }
    return texts;
  }

  static Instant time(JsonCursor cursor) throws MalformedStateException {
    long millis = cursor.readMillis();
    if (millis == Timestamps.EMPTY) {
      throw cursor.malformed("a time expected");
    }
    return Instant.ofEpochMilli(millis);
  }
}
