package dev.kron.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The files by which a run tells its story:
 *
 * <ul>
 *   <li>{@code claim}, which comes into being once: {@code <pid> <start ticks> <boot id>} by a
 *       keeper, {@code daemon} by a daemon that took the run away, {@code failed <stage> <reason>}
 *       by one that could not start it;
 *   <li>{@code record}: {@code command <pid> <start ticks>}, then {@code exit <status>}. A line
 *       between them is the shell's own word for the signal that ended the command.
 * </ul>
 *
 * Every line ends with a newline; one that does not was never finished and says nothing.
 */
final class RunFiles {

  private static final int RECORD_LIMIT_BYTES = 64 << 10;

  private RunFiles() {}

  /** What the claim says. */
  sealed interface Claim {
    record None() implements Claim {}

    record ByKeeper(ProcessIdentity keeper) implements Claim {}

    record ByDaemon() implements Claim {}

    record Refused(Stage stage, String reason) implements Claim {}

    /** It is there, and cannot be read as any of the others. */
    record Unreadable() implements Claim {}
  }

  /**
   * What the record says.
   *
   * @param command the process that was to become the command
   * @param end an {@link RunStatus.Ended} or {@link RunStatus.FailedToStart}
   */
  record Story(@Nullable ProcessIdentity command, @Nullable RunStatus end) {}

  static Path claimFile(Run run) {
    return run.directory().resolve("claim");
  }

  static Path recordFile(Run run) {
    return run.directory().resolve("record");
  }

  static Claim claim(Run run) {
    Optional<String> text = read(claimFile(run));
    if (text.isEmpty()) {
      return new Claim.None();
    }
    List<String> lines = finishedLines(text.get());
    if (lines.isEmpty()) {
      return new Claim.Unreadable();
    }
    String line = lines.getFirst();
    if (line.equals("daemon")) {
      return new Claim.ByDaemon();
    }
    if (failure(line) instanceof RunStatus.FailedToStart(Stage stage, String reason)) {
      return new Claim.Refused(stage, reason);
    }
    String[] words = line.split(" ");
    ProcessIdentity keeper = words.length == 3 ? identity(words[0], words[1], words[2]) : null;
    return keeper == null ? new Claim.Unreadable() : new Claim.ByKeeper(keeper);
  }

  /** Reads the record; the boot id comes from the claim. */
  static Story record(Run run, String bootId) {
    ProcessIdentity command = null;
    RunStatus end = null;
    boolean remark = false;
    for (String line : finishedLines(read(recordFile(run)).orElse(""))) {
      String[] words = line.split(" ");
      if (words.length == 3 && words[0].equals("command")) {
        command = identity(words[1], words[2], bootId);
      } else if (words.length == 2 && words[0].equals("exit")) {
        end = ended(words[1], remark);
      } else if (failure(line) instanceof RunStatus.FailedToStart failed) {
        end = failed;
      } else {
        remark = command != null;
      }
    }
    return new Story(command, end);
  }

  /** Makes the claim with the given line, whole or not at all. */
  static boolean claim(Run run, String line) {
    Path draft = run.directory().resolve("claim." + UUID.randomUUID());
    try {
      Files.createFile(
          draft,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      try {
        Files.writeString(draft, line + "\n", StandardOpenOption.WRITE);
        Files.createLink(claimFile(run), draft);
        return true;
      } finally {
        Files.deleteIfExists(draft);
      }
    } catch (FileAlreadyExistsException e) {
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot claim run " + run.id() + ": " + e.getMessage(), e);
    }
  }

  static String failureLine(Stage stage, String reason) {
    return "failed " + stage.text() + " " + reason.replace('\n', ' ');
  }

  private static @Nullable RunStatus failure(String line) {
    String[] words = line.split(" ", 3);
    if (words.length < 2 || !words[0].equals("failed")) {
      return null;
    }
    Stage stage = Stage.of(words[1]);
    return stage == null
        ? null
        : new RunStatus.FailedToStart(stage, words.length == 3 ? words[2] : "");
  }

  private static @Nullable RunStatus ended(String status, boolean remark) {
    try {
      int code = Integer.parseInt(status);
      if (code < 0 || code > 255) {
        return null;
      }
      return new RunStatus.Ended(code, remark && code > 128 ? code - 128 : null);
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

  private static List<String> finishedLines(String text) {
    int end = text.lastIndexOf('\n');
    return end < 0 ? List.of() : List.of(text.substring(0, end).split("\n"));
  }

  private static Optional<String> read(Path file) {
    try (var in = Files.newInputStream(file)) {
      return Optional.of(new String(in.readNBytes(RECORD_LIMIT_BYTES), UTF_8));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file + ": " + e.getMessage(), e);
    }
  }
}
