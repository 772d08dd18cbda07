package dev.kron.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The files of {@code /proc} about processes. Any of them may be gone by the time it is read. */
final class ProcFiles {

  private static final Path PROC = Path.of("/proc");

  /** The limit up to which an environment is read; a process may have a larger one. */
  private static final int ENVIRONMENT_LIMIT_BYTES = 4 << 20;

  private ProcFiles() {}

  /**
   * One line of {@code /proc/PID/stat}.
   *
   * @param state {@code Z} or {@code X} once it has ended
   */
  record Entry(int pid, char state, int parent, int group, int session, long startTicks) {
    boolean ended() {
      return state == 'Z' || state == 'X' || state == 'x';
    }
  }

  static String bootId() {
    try {
      return Files.readString(PROC.resolve("sys/kernel/random/boot_id")).strip();
    } catch (IOException e) {
      throw new IllegalStateException(
          "cannot read /proc/sys/kernel/random/boot_id; is /proc mounted?", e);
    }
  }

  /** The umask of this process. */
  static int ownUmask() {
    try (var lines = Files.lines(PROC.resolve("self/status"))) {
      return lines
          .filter(line -> line.startsWith("Umask:"))
          .map(line -> Integer.parseInt(line.substring("Umask:".length()).strip(), 8))
          .findFirst()
          .orElseThrow(() -> new IllegalStateException("/proc/self/status has no umask"));
    } catch (IOException e) {
      throw new IllegalStateException("cannot read /proc/self/status; is /proc mounted?", e);
    }
  }

  static Optional<Entry> entry(int pid) {
    try {
      return parse(Files.readString(PROC.resolve(pid + "/stat"), StandardCharsets.ISO_8859_1));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /**
   * Parses a line. A process's name may contain spaces and parentheses, so fields are counted from
   * the last parenthesis.
   */
  static Optional<Entry> parse(String stat) {
    int open = stat.indexOf(' ');
    int close = stat.lastIndexOf(") ");
    if (open < 0 || close < 0) {
      return Optional.empty();
    }
    String[] fields = stat.substring(close + 2).split(" ");
    if (fields.length < 20) {
      return Optional.empty();
    }
    return Optional.of(
        new Entry(
            Integer.parseInt(stat.substring(0, open)),
            fields[0].charAt(0),
            Integer.parseInt(fields[1]),
            Integer.parseInt(fields[2]),
            Integer.parseInt(fields[3]),
            Long.parseLong(fields[19])));
  }

  /** The counters of one process; zero once it is gone. */
  static Usage usage(int pid) {
    String stat = new String(read(pid, "stat"), StandardCharsets.ISO_8859_1);
    String status = new String(read(pid, "status"), StandardCharsets.ISO_8859_1);
    int close = stat.lastIndexOf(") ");
    if (close < 0) {
      return Usage.NONE;
    }
    String[] fields = stat.substring(close + 2).split(" ");
    long ticks = 0;
    for (int i = 11; i < 15; i++) { // utime, stime, and both of children that were waited for
      ticks += Long.parseLong(fields[i]);
    }
    int line = status.indexOf("\nVmRSS:");
    long kibibytes =
        line < 0
            ? 0
            : Long.parseLong(
                status
                    .substring(line + 7, status.indexOf('\n', line + 1))
                    .replace("kB", "")
                    .strip());
    return new Usage(kibibytes << 10, BootClock.millis(ticks), 1);
  }

  static List<Entry> all() {
    List<Entry> entries = new ArrayList<>();
    try (DirectoryStream<Path> directories = Files.newDirectoryStream(PROC, "[0-9]*")) {
      for (Path directory : directories) {
        entry(Integer.parseInt(directory.getFileName().toString())).ifPresent(entries::add);
      }
    } catch (IOException | DirectoryIteratorException e) {
      throw new IllegalStateException("cannot list /proc", e);
    }
    return entries;
  }

  /** The threads of a process; none once it is gone. */
  static List<Integer> threads(int pid) {
    List<Integer> threads = new ArrayList<>();
    try (DirectoryStream<Path> directories =
        Files.newDirectoryStream(PROC.resolve(pid + "/task"))) {
      directories.forEach(each -> threads.add(Integer.valueOf(each.getFileName().toString())));
    } catch (IOException | DirectoryIteratorException e) {
      // The process is gone.
    }
    return threads;
  }

  /** The children of one thread, ended or not; empty if the kernel does not have this list. */
  static Optional<List<Integer>> children(int pid, int thread) {
    try {
      String text = Files.readString(PROC.resolve(pid + "/task/" + thread + "/children")).strip();
      return Optional.of(
          text.isEmpty()
              ? List.of()
              : Arrays.stream(text.split(" ")).map(Integer::valueOf).toList());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** The values of a variable in the environment with which a process was started; usually one. */
  static Set<String> values(int pid, String name) {
    byte[] wanted = (name + "=").getBytes(StandardCharsets.UTF_8);
    byte[] environment = read(pid, "environ");
    Set<String> values = new HashSet<>();
    int start = 0;
    for (int i = 0; i <= environment.length; i++) {
      if (i == environment.length || environment[i] == 0) {
        int value = start + wanted.length;
        if (value <= i && Arrays.equals(environment, start, value, wanted, 0, wanted.length)) {
          values.add(new String(environment, value, i - value, StandardCharsets.UTF_8));
        }
        start = i + 1;
      }
    }
    return values;
  }

  /**
   * The user ids of a process.
   *
   * @param real the user who started it; a set-user-id program does not change it
   */
  record UserIds(int real, int effective, int saved) {
    boolean areAll(int uid) {
      return real == uid && effective == uid && saved == uid;
    }
  }

  /** The user ids of a process; empty once it is gone. */
  static Optional<UserIds> users(int pid) {
    String status = new String(read(pid, "status"), StandardCharsets.ISO_8859_1);
    // The name of the process stands before this line; its newlines are escaped.
    int line = status.indexOf("\nUid:\t");
    if (line < 0) {
      return Optional.empty();
    }
    String[] ids = status.substring(line + 6, status.indexOf('\n', line + 1)).split("\t");
    return Optional.of(
        new UserIds(
            Integer.parseUnsignedInt(ids[0]),
            Integer.parseUnsignedInt(ids[1]),
            Integer.parseUnsignedInt(ids[2])));
  }

  /**
   * Whether a child of this process has just been started and cannot be told apart yet: for a
   * moment after {@code posix_spawn} returned the kernel does not show its command line. An orphan
   * of another user that hides its command line is not counted.
   */
  static boolean hasNewborn(int self, int uid) {
    return all().stream()
        .anyMatch(
            entry ->
                entry.parent() == self
                    && !entry.ended()
                    && users(entry.pid()).filter(users -> users.areAll(uid)).isPresent()
                    && arguments(entry.pid()).isEmpty());
  }

  /** The environment with which a process was started, {@code NAME=value} each. */
  static List<String> environment(int pid) {
    return List.of(new String(read(pid, "environ"), StandardCharsets.UTF_8).split("\0"));
  }

  /** The command line with which a process was started. */
  static List<String> arguments(int pid) {
    String text = new String(read(pid, "cmdline"), StandardCharsets.UTF_8);
    return text.isEmpty() ? List.of() : List.of(text.split("\0", -1));
  }

  private static byte[] read(int pid, String file) {
    try (InputStream in = Files.newInputStream(PROC.resolve(pid + "/" + file))) {
      return in.readNBytes(ENVIRONMENT_LIMIT_BYTES);
    } catch (IOException e) {
      // The process is gone or belongs to another user; in both cases nothing is known.
      return new byte[0];
    }
  }
}
