package dev.kron.cli.output;

/** How a piece of text stands out on a terminal that can. */
public enum Style {
  BOLD("\u001b[1m"),
  DIM("\u001b[2m"),
  RED("\u001b[31m"),
  GREEN("\u001b[32m"),
  YELLOW("\u001b[33m"),
  CYAN("\u001b[36m");

  static final String RESET = "\u001b[0m";

  private final String begin;

  Style(String begin) {
    this.begin = begin;
  }

  String begin() {
    return begin;
  }
}
