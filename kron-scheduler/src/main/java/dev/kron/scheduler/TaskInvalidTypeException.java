package dev.kron.scheduler;

import org.jspecify.annotations.Nullable;

/** A field of a remembered task is of another type than expected. */
public final class TaskInvalidTypeException extends TaskTryDeserializeException {
  private static final long serialVersionUID = 1L;

  private final String actualType;

  TaskInvalidTypeException(
      String field, @Nullable Object value, String expectedType, String actualType, String source) {
    super(
        "Invalid type for field '" + field + "': expected " + expectedType + ", got " + actualType,
        field,
        value,
        expectedType,
        source);
    this.actualType = actualType;
  }

  public String actualType() {
    return actualType;
  }
}
