package dev.kron.scheduler;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One task's state as a JSON object on one line, and back. */
final class TaskJson {
  private static final String NAME = "name";
  private static final String CRON_EXPRESSION = "cronExpression";
  private static final String RETRY_DELAY = "retryDelay";
  private static final String LAST_ATTEMPT_AT = "lastAttemptAt";
  private static final String LAST_SUCCESS_AT = "lastSuccessAt";
  private static final String LAST_FAILURE_AT = "lastFailureAt";
  private static final String PENDING_RETRY_UNTIL = "pendingRetryUntil";
  private static final String RUNNING_UNDER = "runningUnder";
  private static final String ATTEMPTS = "attempts";
  private static final String SCHEDULED_AT = "scheduledAt";
  private static final String PAUSED_AT = "pausedAt";

  private static final Set<String> FIELDS =
      Set.of(
          NAME,
          CRON_EXPRESSION,
          RETRY_DELAY,
          LAST_ATTEMPT_AT,
          LAST_SUCCESS_AT,
          LAST_FAILURE_AT,
          PENDING_RETRY_UNTIL,
          RUNNING_UNDER,
          ATTEMPTS,
          SCHEDULED_AT,
          PAUSED_AT);

  private static final byte[] NAME_KEY = JsonBuffer.ascii("{\"" + NAME + "\":");
  private static final byte[] CRON_EXPRESSION_KEY = key(CRON_EXPRESSION);
  private static final byte[] RETRY_DELAY_KEY = key(RETRY_DELAY);
  private static final byte[] LAST_ATTEMPT_AT_KEY = key(LAST_ATTEMPT_AT);
  private static final byte[] LAST_SUCCESS_AT_KEY = key(LAST_SUCCESS_AT);
  private static final byte[] LAST_FAILURE_AT_KEY = key(LAST_FAILURE_AT);
  private static final byte[] PENDING_RETRY_UNTIL_KEY = key(PENDING_RETRY_UNTIL);
  private static final byte[] RUNNING_UNDER_KEY = key(RUNNING_UNDER);
  private static final byte[] ATTEMPTS_KEY = key(ATTEMPTS);
  private static final byte[] SCHEDULED_AT_KEY = key(SCHEDULED_AT);
  private static final byte[] PAUSED_AT_KEY = key(PAUSED_AT);
  private static final byte[] NULL = JsonBuffer.ascii("null");
  private static final byte[] END = JsonBuffer.ascii("}");

  private TaskJson() {}

  private static byte[] key(String field) {
    return JsonBuffer.ascii(",\"" + field + "\":");
  }

  static void write(TaskState task, JsonBuffer to) {
    to.raw(NAME_KEY).string(task.name());
    to.raw(CRON_EXPRESSION_KEY).string(task.cronExpression());
    to.raw(RETRY_DELAY_KEY).string(task.retryDelay().toString());
    instant(LAST_ATTEMPT_AT_KEY, task.lastAttemptAt(), to);
    instant(LAST_SUCCESS_AT_KEY, task.lastSuccessAt(), to);
    instant(LAST_FAILURE_AT_KEY, task.lastFailureAt(), to);
    instant(PENDING_RETRY_UNTIL_KEY, task.pendingRetryUntil(), to);
    to.raw(RUNNING_UNDER_KEY);
    if (task.runningUnder() == null) {
      to.raw(NULL);
    } else {
      to.string(task.runningUnder());
    }
    // What few tasks have is left out for the others.
    if (task.attempts() > 0) {
      to.raw(ATTEMPTS_KEY).raw(Integer.toString(task.attempts()));
    }
    if (task.scheduledAt() != null) {
      instant(SCHEDULED_AT_KEY, task.scheduledAt(), to);
    }
    if (task.pausedAt() != null) {
      instant(PAUSED_AT_KEY, task.pausedAt(), to);
    }
    to.raw(END);
  }

  private static void instant(byte[] key, @Nullable Instant instant, JsonBuffer to) {
    to.raw(key);
    if (instant == null) {
      to.raw(NULL);
    } else {
      to.instant(instant);
    }
  }

  /**
   * @param source where the object stands, for messages
   */
  static TaskState read(@Nullable Object json, String source) {
    if (!(json instanceof Map<?, ?> object)) {
      throw new TaskInvalidStructureException(
          "Task state must be an object, got " + TaskJsonReader.typeOf(json), json, source);
    }
    for (Object key : object.keySet()) {
      if (!FIELDS.contains(key)) {
        throw new TaskInvalidStructureException(
            "Unknown field '" + key + "' in task state", json, source);
      }
    }
    String name = string(object, NAME, source);
    if (name.isEmpty()) {
      throw new TaskInvalidValueException(NAME, name, "string", "must not be empty", source);
    }
    return new TaskState(
        name,
        string(object, CRON_EXPRESSION, source),
        retryDelay(object, source),
        instant(object, LAST_ATTEMPT_AT, source),
        instant(object, LAST_SUCCESS_AT, source),
        instant(object, LAST_FAILURE_AT, source),
        instant(object, PENDING_RETRY_UNTIL, source),
        optionalString(object, RUNNING_UNDER, source),
        attempts(object, source),
        object.containsKey(SCHEDULED_AT) ? instant(object, SCHEDULED_AT, source) : null,
        object.containsKey(PAUSED_AT) ? instant(object, PAUSED_AT, source) : null);
  }

  private static int attempts(Map<?, ?> object, String source) {
    if (!object.containsKey(ATTEMPTS)) {
      return 0;
    }
    Object value = object.get(ATTEMPTS);
    if (!(value instanceof Number)) {
      throw new TaskInvalidTypeException(
          ATTEMPTS, value, "number", TaskJsonReader.typeOf(value), source);
    }
    if (!(value instanceof Long number) || number < 0 || number > Integer.MAX_VALUE) {
      throw new TaskInvalidValueException(
          ATTEMPTS, value, "number", "must be a whole number that is not negative", source);
    }
    return number.intValue();
  }

  private static Duration retryDelay(Map<?, ?> object, String source) {
    String text = string(object, RETRY_DELAY, source);
    Duration delay;
    try {
      delay = Duration.parse(text);
    } catch (DateTimeException notADuration) {
      throw new TaskInvalidValueException(
          RETRY_DELAY, text, "string", "must be an ISO 8601 duration such as PT5M", source);
    }
    if (delay.isNegative()) {
      throw new TaskInvalidValueException(
          RETRY_DELAY, text, "string", "must not be negative", source);
    }
    return delay;
  }

  private static @Nullable Instant instant(Map<?, ?> object, String field, String source) {
    String text = optionalString(object, field, source);
    if (text == null) {
      return null;
    }
    Instant instant;
    try {
      instant = Instant.parse(text);
    } catch (DateTimeException notAnInstant) {
      throw new TaskInvalidValueException(
          field,
          text,
          "string",
          "must be an ISO 8601 instant such as 2026-03-01T00:00:00Z",
          source);
    }
    return requireRange(instant, field, source);
  }

  /** A store of the host's own, or a database, may hold what our files refuse. */
  static void requireRange(TaskState state, String store) {
    String source = "task \"" + state.name() + "\" in " + store;
    requireRange(state.lastAttemptAt(), "lastAttemptAt", source);
    requireRange(state.lastSuccessAt(), "lastSuccessAt", source);
    requireRange(state.lastFailureAt(), "lastFailureAt", source);
    requireRange(state.pendingRetryUntil(), "pendingRetryUntil", source);
    requireRange(state.scheduledAt(), "scheduledAt", source);
    requireRange(state.pausedAt(), "pausedAt", source);
  }

  /** Instants that a clock can show to a scheduler, and no others. */
  @Nullable
  static Instant requireRange(@Nullable Instant instant, String field, String source) {
    if (instant != null
        && (instant.isBefore(Instant.ofEpochMilli(SafeClock.FIRST_MILLIS))
            || instant.isAfter(Instant.ofEpochMilli(SafeClock.LAST_MILLIS)))) {
      throw new TaskInvalidValueException(
          field, instant, "string", "must lie in the years 1 to 9999", source);
    }
    return instant;
  }

  private static String string(Map<?, ?> object, String field, String source) {
    String value = optionalString(object, field, source);
    if (value == null) {
      throw new TaskInvalidTypeException(field, null, "string", "null", source);
    }
    return value;
  }

  private static @Nullable String optionalString(Map<?, ?> object, String field, String source) {
    if (!object.containsKey(field)) {
      throw new TaskMissingFieldException(field, "string", source);
    }
    Object value = object.get(field);
    if (value == null || value instanceof String) {
      return (String) value;
    }
    throw new TaskInvalidTypeException(
        field, value, "string", TaskJsonReader.typeOf(value), source);
  }
}
