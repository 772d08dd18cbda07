package dev.kron.notice;

import dev.kron.notice.Subject.Kind;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A rule that says which channels are told about which events.
 *
 * @param patterns matched against identities if they contain {@code :}, otherwise against names;
 *     {@code *} matches anything
 * @param channels by name
 * @param againAfter the interval of reminders; null for none
 */
public record Rule(
    Kind kind,
    List<String> patterns,
    Set<Word> on,
    List<String> channels,
    @Nullable Duration againAfter) {

  public Rule {
    patterns = List.copyOf(patterns);
    on = Set.copyOf(on);
    channels = List.copyOf(channels);
  }

  /**
   * The rule's key in state files: its subjects and words only, so that a change of channels or of
   * the interval does not turn an open problem into a new one.
   */
  public String key() {
    return hash(kind + "\n" + String.join("\n", patterns) + "\n" + new TreeSet<>(on), 8);
  }

  public boolean isFor(Subject subject) {
    if (subject.kind() != kind) {
      return false;
    }
    if (kind == Kind.DAEMON) {
      return true;
    }
    String name = subject.name();
    for (String pattern : patterns) {
      if (matches(pattern, pattern.indexOf(':') >= 0 ? subject.identity() : name)) {
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

  static String hash(String text, int bytes) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }
}
