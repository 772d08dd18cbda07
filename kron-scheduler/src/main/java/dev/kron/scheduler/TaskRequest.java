package dev.kron.scheduler;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A request that concerns one task: asked by any thread, done by the loop, answered when it is
 * durable.
 */
final class TaskRequest {
  final Kind kind;
  final String taskName;

  /** Whether it made any difference. */
  final CompletableFuture<Boolean> answer = new CompletableFuture<>();

  /** The kinds of requests. */
  enum Kind {
    RUN_NOW("run"),
    PAUSE("pause"),
    RESUME("resume");

    final String word;

    Kind(String word) {
      this.word = word;
    }
  }

  TaskRequest(Kind kind, String taskName) {
    this.kind = kind;
    this.taskName = taskName;
  }

  void refuse() {
    answer.completeExceptionally(
        new SchedulerNotActiveException(kind.word + " task \"" + taskName + "\""));
  }

  void fail(@Nullable Throwable cause) {
    answer.completeExceptionally(
        new TaskStoreException(
            "Cannot "
                + kind.word
                + " task \""
                + taskName
                + "\": that could not be written, and did not happen",
            cause));
  }
}
