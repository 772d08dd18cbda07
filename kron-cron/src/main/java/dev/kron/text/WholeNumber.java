package dev.kron.text;

import java.util.OptionalLong;

/** A whole number as somebody wrote it. */
public final class WholeNumber {
  private WholeNumber() {}

  /** The number that a text stands for, where it is one from the least to the most. */
  public static OptionalLong within(String text, long least, long most) {
    try {
      long number = Long.parseLong(text);
      return number >= least && number <= most ? OptionalLong.of(number) : OptionalLong.empty();
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }
}
