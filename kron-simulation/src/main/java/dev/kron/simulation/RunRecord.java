package dev.kron.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kron.process.ProcessIdentity;
import dev.kron.process.Run;
import dev.kron.process.RunStatus;
import dev.kron.process.Stage;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The record of a run, read as docs/keeper.md describes it. */
sealed interface RunRecord {
  /** The record is not there. */
  record None() implements RunRecord {}

  /** A keeper's claim, as far as it was written. */
  record Kept(
      ProcessIdentity keeper, @Nullable ProcessIdentity command, RunStatus.@Nullable Ended end)
      implements RunRecord {}

  /** A daemon took the run away. */
  record Taken() implements RunRecord {}

  /** A daemon could not start it. */
  record Refused(Stage stage, String reason) implements RunRecord {}

  /** The record is there, and its first line was never finished. */
  record Unfinished() implements RunRecord {}

  static Path file(Run run) {
    return run.directory().resolve("record");
  }

  static RunRecord parse(byte @Nullable [] content) {
    if (content == null) {
      return new None();
    }
    String text = new String(content, UTF_8);
    int end = text.lastIndexOf('\n');
    if (end < 0) {
      return new Unfinished();
    }
    List<String> lines = List.of(text.substring(0, end).split("\n"));
    String first = lines.getFirst();
    if (first.equals("daemon")) {
      return new Taken();
    }
    String[] words = first.split(" ", 3);
    if (words.length == 3 && words[0].equals("failed")) {
      return new Refused(Stage.valueOf(words[1].toUpperCase(Locale.ROOT)), words[2]);
    }
    ProcessIdentity keeper = words.length == 3 ? identity(words[0], words[1], words[2]) : null;
    return keeper == null ? new Unfinished() : kept(keeper, lines);
  }

  private static Kept kept(ProcessIdentity keeper, List<String> lines) {
    ProcessIdentity command = null;
    RunStatus.Ended end = null;
    boolean remark = false;
    for (String line : lines.subList(1, lines.size())) {
      String[] words = line.split(" ");
      if (words.length == 3 && words[0].equals("command")) {
        command = identity(words[1], words[2], keeper.bootId());
      } else if (words.length == 2 && words[0].equals("exit")) {
        end = ended(words[1], remark);
      } else {
        remark = command != null;
      }
    }
    return new Kept(keeper, command, end);
  }

  private static RunStatus.@Nullable Ended ended(String status, boolean remark) {
    try {
      int code = Integer.parseInt(status);
      return code < 0 || code > 255
          ? null
          : new RunStatus.Ended(code, remark && code > 128 ? code - 128 : null);
    } catch (NumberFormatException e) {
      return null;
    }
  }

  private static @Nullable ProcessIdentity identity(String pid, String ticks, String bootId) {
    try {
      return new ProcessIdentity(Integer.parseInt(pid), Long.parseLong(ticks), bootId);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
