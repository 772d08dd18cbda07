package dev.kron.daemon.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What came of an {@link Action}. */
public sealed interface Answer {
  /**
   * It is done, and durable.
   *
   * @param runId of the run that was started, where one was
   */
  record Done(String message, @Nullable String runId) implements Answer {}

  /**
   * What a reload changes, or would change: identities.
   *
   * @param services what it means for services, in words; empty where nothing
   */
  record Plan(List<String> added, List<String> changed, List<String> removed, List<String> services)
      implements Answer {
    public Plan {
      services = List.copyOf(services);
      added = List.copyOf(added);
      changed = List.copyOf(changed);
      removed = List.copyOf(removed);
    }
  }

  /**
   * It was understood, and cannot be done.
   *
   * @param details one reason each, where there are several
   */
  record Refused(String reason, List<String> details) implements Answer {
    public Refused {
      details = List.copyOf(details);
    }
  }
}
