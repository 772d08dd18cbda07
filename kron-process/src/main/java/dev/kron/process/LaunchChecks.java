package dev.kron.process;

import static dev.kron.process.Platform.O_APPEND;
import static dev.kron.process.Platform.O_CREAT;
import static dev.kron.process.Platform.O_NOFOLLOW;
import static dev.kron.process.Platform.O_NONBLOCK;
import static dev.kron.process.Platform.O_RDONLY;
import static dev.kron.process.Platform.O_WRONLY;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds out before a run is claimed whether it can start, and opens the files of its input and
 * output, with the rights that the calling thread has towards files. What passes here can still
 * fail a moment later; then the command's exit status tells, and nobody takes it for more than
 * that.
 *
 * <p>The owner of a path decides how long it takes to answer, so only {@link Inspection} uses this
 * class.
 */
final class LaunchChecks {

  private static final int NONE = -1;
  private static final int EXECUTE = 1;
  private static final int AT_EACCESS = 0x200;
  private static final int F_SETFL = 4;
  private static final int PRIVATE = 0600;
  private static final int ENXIO = 6;
  private static final int ELOOP = 40;

  /** The length up to which the kernel reads a script's first line. */
  private static final int SHEBANG_BYTES = 256;

  /**
   * A path that is being checked.
   *
   * @param subject the part of the launch that it belongs to
   */
  record Place(Stage stage, String subject, String path) {}

  private final Launch launch;
  private final Consumer<String> touched;
  private volatile Place place = new Place(Stage.SPAWN, "", "the system");

  /**
   * The checks of one launch.
   *
   * @param touched called with each path before the kernel is asked about it
   */
  LaunchChecks(Launch launch, Consumer<String> touched) {
    this.launch = launch;
    this.touched = touched;
  }

  private void at(Stage stage, String subject, String path) {
    place = new Place(stage, subject, path);
    touched.accept(path);
  }

  Launch launch() {
    return launch;
  }

  /** The path that is being checked now; for any thread. */
  Place place() {
    return place;
  }

  /** Whether another launch needs the path that is being checked now. */
  boolean isAlsoAskedBy(Launch other) {
    Place present = place;
    return switch (present.stage()) {
      case CWD -> present.subject().equals(String.valueOf(other.cwd()));
      case EXEC -> present.subject().equals(other.command().getFirst());
      case OUTPUT ->
          present.subject().equals(directory(other.stdout()))
              || present.subject().equals(directory(other.stderr()));
      case STDIN -> present.subject().equals(directory(other.stdin()));
      case USER, GROUP, ENV, SPAWN -> false;
    };
  }

  private static @Nullable String directory(InputSource input) {
    return input instanceof InputSource.Users(Path file) ? String.valueOf(file.getParent()) : null;
  }

  private static @Nullable String directory(OutputTarget output) {
    return output instanceof OutputTarget.Append(Path file)
        ? String.valueOf(file.getParent())
        : null;
  }

  Inspection.Targets checkAndOpen() throws LaunchFailure {
    try (Libc libc = new Libc()) {
      directory(libc);
      executable(libc);
      int stdin = NONE;
      int stdout = NONE;
      try {
        stdin = input(libc, launch.stdin());
        stdout = append(libc, launch.stdout());
        return new Inspection.Targets(stdin, stdout, append(libc, launch.stderr()));
      } catch (LaunchFailure e) {
        new Inspection.Targets(stdin, stdout, NONE).close();
        throw e;
      }
    } catch (InvalidPathException e) {
      throw new LaunchFailure(place.stage(), "no path can be " + e.getInput());
    }
  }

  private void directory(Libc libc) throws LaunchFailure {
    Path cwd = launch.cwd();
    if (cwd == null) {
      return;
    }
    at(Stage.CWD, cwd.toString(), cwd.toString());
    if (!cwd.isAbsolute()) {
      throw new LaunchFailure(Stage.CWD, cwd + " is relative, expected an absolute path");
    }
    int error = mayExecute(libc, cwd);
    if (error != 0) {
      throw new LaunchFailure(Stage.CWD, cwd + ": " + Libc.message(error));
    }
    if (!Files.isDirectory(cwd)) {
      throw new LaunchFailure(Stage.CWD, cwd + " is not a directory");
    }
  }

  private void executable(Libc libc) throws LaunchFailure {
    String name = launch.command().getFirst();
    at(Stage.EXEC, name, name);
    Path file = name.indexOf('/') >= 0 ? resolve(name) : find(libc, name);
    String problem = problem(libc, file);
    if (problem != null) {
      throw new LaunchFailure(Stage.EXEC, file + ": " + problem);
    }
    Path interpreter = interpreter(libc, file);
    if (interpreter != null) {
      String reason = problem(libc, interpreter);
      if (reason != null) {
        throw new LaunchFailure(
            Stage.EXEC, file + ": its interpreter " + interpreter + ": " + reason);
      }
    }
  }

  /**
   * Looks up a command as execvp does: the first executable file, or the reason why the last
   * candidate is not executable.
   */
  private Path find(Libc libc, String name) throws LaunchFailure {
    String path = searchPath();
    Path refused = null;
    for (String entry : path.split(":", -1)) {
      Path candidate = resolve(entry.isEmpty() ? name : entry + "/" + name);
      if (problem(libc, candidate) == null) {
        return candidate;
      }
      if (refused == null && Files.exists(candidate)) {
        refused = candidate;
      }
    }
    if (refused != null) {
      return refused;
    }
    throw new LaunchFailure(Stage.EXEC, name + " was not found in PATH=" + path);
  }

  private String searchPath() {
    String path = "/bin:/usr/bin";
    for (String variable : launch.environment()) {
      if (variable.startsWith("PATH=")) {
        path = variable.substring(5);
      }
    }
    return path;
  }

  private Path resolve(String name) {
    Path cwd = launch.cwd();
    Path path = Path.of(name);
    return cwd == null ? path.toAbsolutePath() : cwd.resolve(path);
  }

  private @Nullable String problem(Libc libc, Path file) {
    at(Stage.EXEC, launch.command().getFirst(), file.toString());
    int error = mayExecute(libc, file);
    if (error == 0 && Files.isRegularFile(file)) {
      return null;
    }
    if ((error != 0 && error != Libc.EACCES) || !Files.exists(file)) {
      return Libc.message(error == 0 ? Libc.ENOENT : error);
    }
    if (Files.isDirectory(file)) {
      return "is a directory, expected a program";
    }
    return Files.isRegularFile(file)
        ? "may not be executed by " + who()
        : "is not a regular file, expected a program"; // the kernel executes no pipe or device
  }

  private String who() {
    Credentials credentials = launch.credentials();
    return credentials == null ? "the daemon's user" : "user " + credentials.user();
  }

  private static int mayExecute(Libc libc, Path file) {
    return -libc.syscall(
        Platform.SYS_FACCESSAT2,
        Libc.AT_FDCWD,
        libc.string(file.toString()).address(),
        EXECUTE,
        AT_EACCESS);
  }

  /**
   * The program named in a script's first line; null if there is none that can be checked. Only
   * regular files are read, and nobody waits for a lease on one.
   */
  private static @Nullable Path interpreter(Libc libc, Path file) {
    int descriptor =
        libc.open(
            file.toString(), O_RDONLY | O_NONBLOCK | Platform.O_NOCTTY | Platform.O_CLOEXEC, 0);
    if (descriptor < 0) {
      return null; // executable and not readable is allowed
    }
    try {
      MemorySegment head = libc.arena().allocate(SHEBANG_BYTES);
      long count = libc.isRegularFile(descriptor) ? libc.read(descriptor, head) : 0;
      return count <= 0 ? null : interpreter(head.asSlice(0, count).toArray(JAVA_BYTE));
    } finally {
      libc.close(descriptor);
    }
  }

  private static @Nullable Path interpreter(byte[] head) {
    int end = 0;
    while (end < head.length && head[end] != '\n' && head[end] != 0) {
      end++; // to the kernel, too, a NUL ends the name
    }
    String line;
    try {
      line = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(head, 0, end)).toString();
    } catch (CharacterCodingException e) {
      return null; // a path that the kernel may know and no string can hold
    }
    if (!line.startsWith("#!")) {
      return null;
    }
    String[] words = line.substring(2).strip().split("[ \t]", 2);
    return words[0].startsWith("/") ? Path.of(words[0]) : null;
  }

  /** Opens what the command reads; its owner may put anything in its place until it is open. */
  private int input(Libc libc, InputSource input) throws LaunchFailure {
    if (!(input instanceof InputSource.Users(Path file))) {
      return NONE;
    }
    at(Stage.STDIN, String.valueOf(directory(input)), file.toString());
    // With O_NONBLOCK neither a pipe that nobody writes nor a lease holds this up.
    int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | Platform.O_CLOEXEC | Platform.O_NOCTTY;
    int descriptor = libc.open(file.toString(), flags, 0);
    if (descriptor < 0) {
      throw new LaunchFailure(Stage.STDIN, file + ": " + whyNotOpened(-descriptor));
    }
    if (!libc.isStoredFile(descriptor)) {
      libc.close(descriptor);
      throw new LaunchFailure(Stage.STDIN, file + ": is not a regular file");
    }
    libc.fcntl(descriptor, F_SETFL, 0);
    return descriptor;
  }

  private int append(Libc libc, OutputTarget output) throws LaunchFailure {
    if (!(output instanceof OutputTarget.Append(Path file))) {
      return NONE;
    }
    at(Stage.OUTPUT, String.valueOf(directory(output)), file.toString());
    // Without O_NONBLOCK a pipe without a reader, or a lease, would block this.
    int flags =
        O_WRONLY
            | O_APPEND
            | O_CREAT
            | O_NOFOLLOW
            | O_NONBLOCK
            | Platform.O_CLOEXEC
            | Platform.O_NOCTTY;
    int descriptor = libc.open(file.toString(), flags, PRIVATE);
    if (descriptor < 0) {
      throw new LaunchFailure(Stage.OUTPUT, file + ": " + whyNotOpened(-descriptor));
    }
    libc.fcntl(descriptor, F_SETFL, O_APPEND); // the command writes as it always did
    return descriptor;
  }

  private static String whyNotOpened(int errno) {
    return switch (errno) {
      case ELOOP -> "is a symbolic link, which is not followed";
      case ENXIO -> "is a pipe that nobody reads, or a socket";
      case Libc.EAGAIN -> "another process holds a lease on it";
      default -> Libc.message(errno);
    };
  }
}
