package dev.kron.daemon.loop;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The outcome of a {@link Request}. */
public sealed interface Answer {
  /** Whether it was done, and not refused. */
  default boolean isDone() {
    return !(this instanceof Refused);
  }

  /** What is said to whoever asked. */
  String text();

  /** The run that was started, where one was. */
  default @Nullable String runId() {
    return null;
  }

  /**
   * It is done, and durable.
   *
   * @param runId of the run that was started, where one was
   */
  record Done(String text, @Nullable String runId) implements Answer {}

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
    @Override
    public String text() {
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

    @Override
    public String text() {
      return reason;
    }
  }
}
