package dev.kron.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/**
 * A {@code notify.toml} as histories have it, and as the witness reads it.
 *
 * @param channels their names
 */
record NotifyEntry(List<String> channels, List<Rule> rules) {
  /** A channel that gathers messages. */
  private static final String OPS = "ops";

  /** A channel that does not gather messages. */
  private static final String PAGER = "pager";

  /** A channel that takes signs of life and no messages. */
  static final String BEAT = "beat";

  private static final int KEY_BYTES = 8;

  /**
   * A rule.
   *
   * @param jobs {@code *} or the name of one
   * @param on words in the order of the specification
   */
  record Rule(String jobs, List<String> on, List<String> told, long againSeconds) {
    boolean isFor(String identity) {
      return jobs.equals("*") || identity.equals(Files.identity(jobs));
    }

    boolean tells(String word) {
      return on.contains(word);
    }

    /** Whether anybody gets a message by it. */
    boolean hasMessages() {
      return told.stream().anyMatch(it -> !it.equals(BEAT));
    }

    /** The key of the rule in state files: whom it is for, and of what it tells. */
    String key() {
      String words =
          on.stream()
              .map(it -> it.toUpperCase(Locale.ROOT))
              .collect(Collectors.joining(", ", "[", "]"));
      try {
        byte[] hash =
            MessageDigest.getInstance("SHA-256")
                .digest(("JOB\n" + jobs + "\n" + words).getBytes(UTF_8));
        return HexFormat.of().formatHex(hash, 0, KEY_BYTES);
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  static NotifyEntry draw(RandomGenerator random) {
    List<String> channels = new ArrayList<>(List.of(OPS));
    if (random.nextInt(3) != 0) {
      channels.add(PAGER);
    }
    if (random.nextInt(3) == 0) {
      channels.add(BEAT);
    }
    var rules = new ArrayList<Rule>();
    List<String> on =
        random.nextInt(4) == 0
            ? List.of("failed", "missed")
            : List.of("failed", "missed", "recovered");
    rules.add(new Rule("*", on, channels, random.nextInt(2) == 0 ? 120 : 14_400));
    if (channels.contains(PAGER) && random.nextBoolean()) {
      rules.add(new Rule("a", List.of("failed", "skipped", "recovered"), List.of(PAGER), 300));
    }
    return new NotifyEntry(channels, rules);
  }

  List<Rule> rulesFor(String identity) {
    return rules.stream().filter(rule -> rule.isFor(identity)).toList();
  }

  String text() {
    var text = new StringBuilder();
    for (String channel : channels) {
      String type =
          switch (channel) {
            case PAGER -> "pagerduty";
            case BEAT -> "ping";
            default -> "webhook";
          };
      text.append(
          "[channel.%s]\ntype = \"%s\"\nprofile = \"%s\"\n".formatted(channel, type, channel));
    }
    for (Rule rule : rules) {
      text.append(
          "[[rule]]\njobs = [\"%s\"]\non = %s\nnotify = %s\nagain_after = \"%ss\"\n"
              .formatted(rule.jobs, list(rule.on), list(rule.told), rule.againSeconds));
    }
    return text.toString();
  }

  private static String list(List<String> words) {
    return words.stream().collect(Collectors.joining("\", \"", "[\"", "\"]"));
  }
}
