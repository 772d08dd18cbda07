package dev.kron.daemon;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Processes of one test, wherever they went: found by a word that they were started with. */
final class Marked {
  private Marked() {}

  static String unique() {
    return "mark" + ProcessHandle.current().pid() + "x" + System.nanoTime();
  }

  /** How many live; keepers and daemons, which know all words of their commands, do not count. */
  static int count(String mark) {
    try (Stream<Path> all = Files.list(Path.of("/proc"))) {
      return (int)
          all.filter(path -> path.getFileName().toString().matches("\\d+"))
              .filter(process -> carries(process, mark))
              .count();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static boolean carries(Path process, String mark) {
    try {
      String words = Files.readString(process.resolve("cmdline"));
      return words.contains(mark) && !words.contains("krond-keeper") && !words.contains("-cp");
    } catch (IOException e) {
      return false; // it has ended
    }
  }
}
