package dev.kron.scheduler;

import org.jspecify.annotations.Nullable;

/** Remembered task state is not of the form that state has at all. */
public final class TaskInvalidStructureException extends TaskTryDeserializeException {
  private static final long serialVersionUID = 1L;

  TaskInvalidStructureException(String message, @Nullable Object value, String source) {
    super(message, "", value, "object", source);
  }
}
