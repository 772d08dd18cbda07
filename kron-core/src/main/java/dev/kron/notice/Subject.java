package dev.kron.notice;

import java.util.Locale;

/**
 * The job, service or daemon that a problem concerns.
 *
 * @param identity of a job; the name of a service; empty for the daemon
 */
public record Subject(Kind kind, String identity) {
  /** The daemon itself. */
  public static final Subject DAEMON = new Subject(Kind.DAEMON, "");

  /** The kinds of subjects. */
  public enum Kind {
    JOB,
    SERVICE,
    DAEMON;

    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The name that people use. */
  public String name() {
    return kind == Kind.DAEMON
        ? "krond"
        : identity.substring(identity.lastIndexOf(':') + 1); // a service's name has no colon
  }

  /** Kind and identity as one text: {@code service:web}. */
  public String key() {
    return kind.text() + ":" + identity;
  }
}
