package dev.kron.cli.line;

import java.util.List;

/** What a shell may offer in the place of a value. */
public sealed interface Completion {
  /** Nothing: the value is free text. */
  enum Nothing implements Completion {
    NOTHING
  }

  /** Names of files and directories. */
  enum Paths implements Completion {
    PATHS
  }

  /** One of a few words. */
  record Words(List<String> words) implements Completion {
    public Words {
      words = List.copyOf(words);
    }
  }
}
