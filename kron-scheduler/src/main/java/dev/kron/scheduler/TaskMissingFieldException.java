package dev.kron.scheduler;

/** A field that every remembered task has is missing. */
public final class TaskMissingFieldException extends TaskTryDeserializeException {
  private static final long serialVersionUID = 1L;

  TaskMissingFieldException(String field, String expectedType, String source) {
    super("Missing required field: " + field, field, null, expectedType, source);
  }
}
