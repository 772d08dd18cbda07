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
 * @param channels those that get messages, by name
 * @param pings those that get signs of life and no messages, by name
 * @param againAfter the interval of reminders; null for none
 */
public record Rule(
    Kind kind,
    List<String> patterns,
    Set<Word> on,
    List<String> channels,
    List<String> pings,
    @Nullable Duration againAfter) {

  /** A rule without pings. */
  public Rule(
      Kind kind,
      List<String> patterns,
      Set<Word> on,
      List<String> channels,
      @Nullable Duration againAfter) {
    this(kind, patterns, on, channels, List.of(), againAfter);
  }

  public Rule {
    patterns = List.copyOf(patterns);
    on = Set.copyOf(on);
    channels = List.copyOf(channels);
    pings = List.copyOf(pings);
  }

  /**
   * The rule's key in state files: its subjects and words only, so that a change of channels or of
   * the interval does not turn an open problem into a new one.
   */
  public String key() {
    return hash(kind + "\n" + String.join("\n", patterns) + "\n" + new TreeSet<>(on), 8);
  }

  /** The same rule for a subject of which nobody wants to be reminded at present. */
  public Rule withoutReminders() {
    return new Rule(kind, patterns, on, channels, pings, null);
  }

  public boolean isFor(Subject subject) {
    if (subject.kind() != kind) {
      return false;
    }
    return kind == Kind.DAEMON || subject.matches(patterns);
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
