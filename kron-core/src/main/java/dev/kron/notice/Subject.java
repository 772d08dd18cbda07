package dev.kron.notice;

import java.util.List;
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

    /** The kind of a text; a job where a newer daemon wrote it, so that it is told all the same. */
    static Kind of(String text) {
      try {
        return valueOf(text.toUpperCase(Locale.ROOT));
      } catch (IllegalArgumentException e) {
        return JOB;
      }
    }
  }

  /** The name that people use. */
  public String name() {
    return kind == Kind.DAEMON
        ? "krond"
        : identity.substring(identity.lastIndexOf(':') + 1); // a service's name has no colon
  }

  /** Whether one of the patterns is for it: with {@code :} its identity, otherwise its name. */
  public boolean matches(List<String> patterns) {
    String name = name();
    for (String pattern : patterns) {
      if (matches(pattern, pattern.indexOf(':') >= 0 ? identity : name)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether a pattern matches a text. The time is bounded by the product of both lengths, whatever
   * the pattern.
   */
  static boolean matches(String pattern, String text) {
    int at = 0;
    int star = -1;
    int resume = 0;
    int i = 0;
    while (i < text.length()) {
      if (at < pattern.length() && pattern.charAt(at) == '*') {
        star = at++;
        resume = i;
      } else if (at < pattern.length() && pattern.charAt(at) == text.charAt(i)) {
        at++;
        i++;
      } else if (star >= 0) {
        at = star + 1;
        i = ++resume;
      } else {
        return false;
      }
    }
    while (at < pattern.length() && pattern.charAt(at) == '*') {
      at++;
    }
    return at == pattern.length();
  }

  /** Kind and identity as one text: {@code service:web}. */
  public String key() {
    return kind.text() + ":" + identity;
  }

  /** The subject of a {@link #key}. */
  public static Subject ofKey(String key) {
    int colon = key.indexOf(':');
    return new Subject(Kind.of(key.substring(0, Math.max(0, colon))), key.substring(colon + 1));
  }
}
