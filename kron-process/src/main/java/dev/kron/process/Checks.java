package dev.kron.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Finds out before a run is claimed whether it can start, with the rights that the calling thread
 * has towards files. What passes here can still fail a moment later; then the command's exit status
 * tells, and nobody takes it for more than that.
 */
final class Checks {

  private static final int EXECUTE = 1;
  private static final int AT_EACCESS = 0x200;

  /** The kernel reads no more than this of a script's first line. */
  private static final int SHEBANG_BYTES = 256;

  private final Libc libc;
  private final Launch launch;

  Checks(Libc libc, Launch launch) {
    this.libc = libc;
    this.launch = launch;
  }

  void directory() throws LaunchFailure {
    Path cwd = launch.cwd();
    if (cwd == null) {
      return;
    }
    if (!cwd.isAbsolute()) {
      throw new LaunchFailure(Stage.CWD, cwd + " is relative, expected an absolute path");
    }
    int error = mayExecute(cwd);
    if (error != 0) {
      throw new LaunchFailure(Stage.CWD, cwd + ": " + Libc.message(error));
    }
    if (!Files.isDirectory(cwd)) {
      throw new LaunchFailure(Stage.CWD, cwd + " is not a directory");
    }
  }

  void executable() throws LaunchFailure {
    String name = launch.command().getFirst();
    Path file = name.indexOf('/') >= 0 ? resolve(name) : find(name);
    String problem = problem(file);
    if (problem != null) {
      throw new LaunchFailure(Stage.EXEC, file + ": " + problem);
    }
    Path interpreter = interpreter(file);
    if (interpreter != null) {
      String reason = problem(interpreter);
      if (reason != null) {
        throw new LaunchFailure(
            Stage.EXEC, file + ": its interpreter " + interpreter + ": " + reason);
      }
    }
  }

  /**
   * Looks a command up as execvp does: the first that can be executed, else why the last cannot.
   */
  private Path find(String name) throws LaunchFailure {
    String path = searchPath();
    Path refused = null;
    for (String entry : path.split(":", -1)) {
      Path candidate = resolve(entry.isEmpty() ? name : entry + "/" + name);
      if (problem(candidate) == null) {
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

  private @Nullable String problem(Path file) {
    if (Files.isDirectory(file)) {
      return "is a directory, expected a program";
    }
    int error = mayExecute(file);
    if (error == Libc.EACCES && Files.exists(file)) {
      return "may not be executed by " + who();
    }
    return error == 0 ? null : Libc.message(error);
  }

  private String who() {
    Credentials credentials = launch.credentials();
    return credentials == null ? "the daemon's user" : "user " + credentials.user();
  }

  private int mayExecute(Path file) {
    return -libc.syscall(
        Platform.SYS_FACCESSAT2,
        Libc.AT_FDCWD,
        libc.string(file.toString()).address(),
        EXECUTE,
        AT_EACCESS);
  }

  private static @Nullable Path interpreter(Path file) {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(file)) {
      return null;
    }
    byte[] head;
    try (InputStream in = Files.newInputStream(file)) {
      head = in.readNBytes(SHEBANG_BYTES);
    } catch (IOException e) {
      // Executable and not readable is allowed.
      return null;
    }
    String line = new String(head, StandardCharsets.UTF_8).lines().findFirst().orElse("");
    if (!line.startsWith("#!")) {
      return null;
    }
    String[] words = line.substring(2).strip().split("[ \t]", 2);
    return words[0].startsWith("/") ? Path.of(words[0]) : null;
  }
}
