package dev.kron.daemon.loop;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What came of a {@link Request}. */
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

    /** For people: {@code 1 added, 0 changed, 2 removed; services: restart web}. */
    public String summary() {
      String jobs =
          "%s added, %s changed, %s removed"
              .formatted(added.size(), changed.size(), removed.size());
      return services.isEmpty() ? jobs : jobs + "; services: " + String.join("; ", services);
    }
  }

  /**
   * It was understood, and cannot be done.
   *
   * @param details one reason each, where there are several
   */
  record Refused(String reason, List<String> details) implements Answer {
    public Refused(String reason) {
      this(reason, List.of());
    }

    public Refused {
      details = List.copyOf(details);
    }
  }
}
