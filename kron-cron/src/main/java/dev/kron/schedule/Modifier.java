package dev.kron.schedule;

import dev.kron.text.Suggestion;
import dev.kron.text.VisibleText;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The words that may follow an {@code @}. */
enum Modifier {
  TZ(1, "tz", "@tz(Europe/Paris)"),
  WIN(2, "win", "@win(after,2h)"),
  DIST(4, "dist", "@dist(normal,sigma=10m)"),
  SEED(8, "seed", "@seed(daily,salt=blue)"),
  POLICY(16, "policy", "@policy(concurrency=forbid,deadline=10m)"),
  ONLY(32, "only", "@only(hours=9-17;dow=MON-FRI)"),
  AVOID(64, "avoid", "@avoid(between=12:00-12:59)"),
  DST(128, "dst", "@dst(shift)"),
  CHOOSE(256, "choose", "@choose(exact)"),
  EVERY(512, "every", "@every(90m)"),
  MANUAL(1024, "manual", "@manual"),
  BOOT(2048, "boot", "@boot");

  private static final Modifier[] ALL = values();
  private static final List<String> WORDS =
      Arrays.stream(ALL)
          .filter(modifier -> !modifier.standsForFields())
          .map(modifier -> modifier.word)
          .toList();

  /** For sets of modifiers. */
  final int bit;

  private final String word;
  private final String example;

  Modifier(int bit, String word, String example) {
    this.bit = bit;
    this.word = word;
    this.example = example;
  }

  static @Nullable Modifier named(String text, int start, int end) {
    for (Modifier modifier : ALL) {
      if (modifier.word.length() == end - start && text.startsWith(modifier.word, start)) {
        return modifier;
      }
    }
    return null;
  }

  /** The message for a token with no known word; its {@code @} stands at {@code start}. */
  static String unknown(String text, int start, int end) {
    return "unknown modifier "
        + VisibleText.quote(text, start, end)
        + Suggestion.didYouMean(text.substring(start + 1, end), WORDS, "@")
        + "; known are "
        + WORDS.stream().map(word -> "@" + word).collect(Collectors.joining(", "));
  }

  /** As it is written. */
  String word() {
    return "@" + word;
  }

  String example() {
    return example;
  }

  /** Whether it stands in place of the five cron fields, and nowhere else. */
  boolean standsForFields() {
    return this == EVERY || isAlone();
  }

  /** Whether it takes no value. */
  boolean isAlone() {
    return this == MANUAL || this == BOOT;
  }

  /** Whether it may appear more than once. */
  boolean repeats() {
    return this == ONLY || this == AVOID;
  }
}
