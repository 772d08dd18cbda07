package dev.kron.process;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The file by which a run tells its story, {@code record} in the run's directory. Making it is the
 * claim: it comes into being once, and whoever makes it has the run:
 *
 * <ul>
 *   <li>a keeper writes {@code <pid> <start ticks> <boot id>}, then {@code command <pid> <start
 *       ticks>}, then {@code exit <status>}. A line between the last two is the shell's own word
 *       for the signal that ended the command, and two lines after {@code exit} are what {@code
 *       times} says: of the keeper itself, and of its children;
 *   <li>a daemon that took the run away writes {@code daemon};
 *   <li>a daemon that could not start it writes {@code failed <stage> <reason>}.
 * </ul>
 *
 * Every line ends with a newline; one that does not was never finished and says nothing. All of a
 * keeper's lines fit in the block that the first of them was given, so a disk that fills up while
 * the command runs cannot lose its exit status.
 */
final class RunFiles {

  private static final int CLAIM_LIMIT_BYTES = 64 << 10;
  private static final String USER = "user";

  /** Begins the line after which the store keeps other files of a run that has ended. */
  private static final String KEPT = "kept ";

  /** Minutes and seconds of CPU time in user mode and in the kernel, as shells write them. */
  private static final Pattern TIMES =
      Pattern.compile("(\\d{1,9})m(\\d{1,2})[.,](\\d+)s (\\d{1,9})m(\\d{1,2})[.,](\\d+)s");

  private static final FileAttribute<?> PRIVATE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private RunFiles() {}

  /** The content of a claim. */
  sealed interface Claim {
    record None() implements Claim {}

    /**
     * A keeper's claim.
     *
     * @param command the process that was to become the command, once it was started
     * @param end how it ended, once it has
     */
    record ByKeeper(
        ProcessIdentity keeper, @Nullable ProcessIdentity command, RunStatus.@Nullable Ended end)
        implements Claim {}

    record ByDaemon() implements Claim {}

    record Refused(Stage stage, String reason) implements Claim {}

    /** A claim that exists and cannot be read as any other. */
    record Unreadable() implements Claim {}
  }

  static Path file(Run run) {
    return run.directory().resolve("record");
  }

  static Claim claim(Run run) throws IOException {
    Optional<String> text = read(file(run));
    if (text.isEmpty()) {
      return new Claim.None();
    }
    List<String> lines = finishedLines(text.get());
    if (lines.isEmpty()) {
      return new Claim.Unreadable();
    }
    String first = lines.getFirst();
    if (first.equals("daemon")) {
      return new Claim.ByDaemon();
    }
    String[] words = first.split(" ", 3);
    if (words.length < 3) {
      return new Claim.Unreadable();
    }
    Stage stage = Stage.of(words[1]);
    if (words[0].equals("failed") && stage != null) {
      return new Claim.Refused(stage, words[2]);
    }
    ProcessIdentity keeper = identity(words[0], words[1], words[2]);
    return keeper == null ? new Claim.Unreadable() : byKeeper(keeper, lines);
  }

  private static Claim byKeeper(ProcessIdentity keeper, List<String> lines) {
    ProcessIdentity command = null;
    RunStatus.Ended end = null;
    boolean remark = false;
    for (String line : lines.subList(1, lines.size())) {
      String[] words = line.split(" ");
      if (TIMES.matcher(line).matches()) {
        continue;
      }
      if (words.length == 3 && words[0].equals("command")) {
        command = identity(words[1], words[2], keeper.bootId());
      } else if (words.length == 2 && words[0].equals("exit")) {
        end = ended(words[1], remark);
      } else {
        remark = command != null;
      }
    }
    return new Claim.ByKeeper(keeper, command, end);
  }

  /** The CPU time of the command; null if it is not recorded. */
  static @Nullable Long cpuMillis(Run run) {
    List<String> lines;
    try {
      lines = finishedLines(read(file(run)).orElse(""));
    } catch (IOException e) {
      return null;
    }
    int exit = lines.size() - 3;
    if (exit < 1 || !lines.get(exit).startsWith("exit ")) {
      return null;
    }
    Matcher times = TIMES.matcher(lines.getLast());
    return times.matches() ? millis(times, 1) + millis(times, 4) : null;
  }

  private static long millis(Matcher times, int group) {
    String fraction = (times.group(group + 2) + "00").substring(0, 3);
    return Long.parseLong(times.group(group)) * 60_000
        + Long.parseLong(times.group(group + 1)) * 1_000
        + Long.parseLong(fraction);
  }

  /** Makes the claim with the given line, completely or not at all. */
  static boolean claim(Run run, String line) throws IOException {
    Path draft = run.directory().resolve("record." + UUID.randomUUID());
    try {
      Files.createFile(draft, PRIVATE);
      try {
        Files.writeString(draft, line + "\n", StandardOpenOption.WRITE);
        Files.createLink(file(run), draft);
        return true;
      } finally {
        Files.deleteIfExists(draft);
      }
    } catch (FileAlreadyExistsException e) {
      return false;
    } catch (IOException e) {
      throw new IOException("cannot claim run " + run.id() + ": " + e.getMessage(), e);
    }
  }

  static String failureLine(Stage stage, String reason) {
    return "failed " + stage.text() + " " + reason.replace('\n', ' ');
  }

  /**
   * Notes the user of a run before it begins; a run of the daemon's own user has no such note.
   *
   * @param uid the user as whom its command will run
   */
  static void note(Run run, int uid) throws IOException {
    Path file = run.directory().resolve(USER);
    try {
      Files.deleteIfExists(file);
      Files.createFile(file, PRIVATE);
      Files.writeString(file, Integer.toUnsignedString(uid) + "\n", StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new IOException("cannot note the user of run " + run.id() + ": " + e.getMessage(), e);
    }
  }

  static boolean hasUser(Run run) {
    return Files.exists(run.directory().resolve(USER), LinkOption.NOFOLLOW_LINKS);
  }

  /**
   * The user as whom a run was launched.
   *
   * @param self the daemon's own
   */
  static int user(Run run, int self) throws IOException {
    try {
      return read(run.directory().resolve(USER))
          .filter(text -> text.endsWith("\n"))
          .map(text -> Integer.parseUnsignedInt(text.strip()))
          .orElse(self);
    } catch (NumberFormatException e) {
      return self;
    }
  }

  private static RunStatus.@Nullable Ended ended(String status, boolean remark) {
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
    return end < 0
        ? List.of()
        : Arrays.stream(text.substring(0, end).split("\n"))
            .takeWhile(line -> !line.startsWith(KEPT))
            .toList();
  }

  /** What the store joined to the record beside a file in place of it; null if it did not. */
  static byte @Nullable [] joined(Path file) throws IOException {
    // One byte is one character in this charset, so lengths and positions are those of the file.
    Optional<String> read = read(file.resolveSibling("record"), ISO_8859_1);
    String text = "\n" + read.orElse("");
    int mark = text.indexOf("\n" + KEPT);
    int at = text.indexOf('\n', mark + 1) + 1;
    if (mark < 0 || at == 0) {
      return null;
    }
    String[] words = text.substring(mark + 1, at - 1).split(" ");
    try {
      for (int i = 2; i + 1 < words.length; i += 2) {
        int end = at + Integer.parseUnsignedInt(words[i + 1]);
        if (words[i].equals(String.valueOf(file.getFileName()))) {
          return text.substring(at, end).getBytes(ISO_8859_1);
        }
        at = end;
      }
    } catch (NumberFormatException | IndexOutOfBoundsException e) {
      return null;
    }
    return null;
  }

  private static Optional<String> read(Path file) throws IOException {
    return read(file, UTF_8);
  }

  private static Optional<String> read(Path file, Charset charset) throws IOException {
    try (var in = Files.newInputStream(file)) {
      return Optional.of(new String(in.readNBytes(CLAIM_LIMIT_BYTES), charset));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new IOException("cannot read " + file + ": " + e.getMessage(), e);
    }
  }
}
