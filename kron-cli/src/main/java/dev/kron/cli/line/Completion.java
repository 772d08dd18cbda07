package dev.kron.cli.line;

import java.util.List;
import java.util.Locale;

/** The words that a shell may offer in the place of a value. */
public sealed interface Completion {
  /** Nothing: the value is free text. */
  enum Nothing implements Completion {
    NOTHING
  }

  /** Names of files and directories. */
  enum Paths implements Completion {
    PATHS
  }

  /** A word that comes first, and paths after it. */
  record WordThenPaths(String word) implements Completion {}

  /** Names that a running daemon knows. */
  enum Names implements Completion {
    JOBS,
    SERVICES,
    RUNS,
    PROFILES,
    ANYTHING;

    /** The word by which {@code kron completion --names} is asked for them. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The first of these for the first word, and so on; the last one for all that follow. */
  record InTurn(List<Completion> turns) implements Completion {
    public InTurn {
      turns = List.copyOf(turns);
    }
  }

  /** One of a few words. */
  record Words(List<String> words) implements Completion {
    public Words {
      words = List.copyOf(words);
    }
  }
}
