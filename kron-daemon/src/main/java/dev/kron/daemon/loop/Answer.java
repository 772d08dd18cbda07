package dev.kron.daemon.loop;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The outcome of a {@link Request}. */
public sealed interface Answer {
  /** Whether the request was done, not refused. */
  default boolean isDone() {
    return !(this instanceof Refused);
  }

  /** The sentence for the person who asked. */
  String text();

  /** The run that was started, or null. */
  default @Nullable String runId() {
    return null;
  }

  /**
   * The request is done, and durable.
   *
   * @param runId the run that was started, or null
   */
  record Done(String text, @Nullable String runId) implements Answer {}

  /**
   * The changes of a reload, made or planned, as identities.
   *
   * @param services the changes of services in words; empty if there are none
   * @param notices the changes of who is told of what, in words; empty if there are none
   * @param fleet how this machine's place in a fleet changes, in words; empty if it does not
   */
  record Plan(
      List<String> added,
      List<String> changed,
      List<String> removed,
      List<String> services,
      List<String> notices,
      List<String> fleet)
      implements Answer {
    public Plan {
      notices = List.copyOf(notices);
      fleet = List.copyOf(fleet);
      services = List.copyOf(services);
      added = List.copyOf(added);
      changed = List.copyOf(changed);
      removed = List.copyOf(removed);
    }

    /** The plan for people: {@code 1 added, 0 changed, 2 removed; services: restart web}. */
    @Override
    public String text() {
      String jobs =
          "%s added, %s changed, %s removed"
              .formatted(added.size(), changed.size(), removed.size());
      return jobs
          + (services.isEmpty() ? "" : "; services: " + String.join("; ", services))
          + (notices.isEmpty() ? "" : "; notices: " + String.join("; ", notices))
          + (fleet.isEmpty() ? "" : "; fleet: " + String.join("; ", fleet));
    }
  }

  /**
   * The request was understood, but cannot be done.
   *
   * @param details single reasons, if there are several
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
