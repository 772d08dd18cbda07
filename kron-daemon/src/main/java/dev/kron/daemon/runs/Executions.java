package dev.kron.daemon.runs;

import dev.kron.process.Credentials;
import dev.kron.process.Launch;
import dev.kron.process.Users;
import dev.kron.store.DiskException;
import dev.kron.store.RunDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Commands that were or would be executed, including everything that they inherit from the daemon,
 * so that "it works in my shell" has an answer. The executed command is noted when a run begins,
 * with its secrets masked.
 */
public final class Executions {
  /** A placeholder for the id of a run that does not exist yet. */
  public static final String SOME_RUN = "<run-id>";

  private final Users.Account self;
  private final List<Integer> groups;
  private final int umask;
  private final String cwd = Path.of("").toAbsolutePath().toString();

  public Executions(Users users) {
    this.self = users.self();
    Map<String, String> status = status();
    this.umask = Integer.parseInt(status.getOrDefault("Umask", "0022"), 8);
    this.groups = numbers(status.getOrDefault("Groups", ""));
  }

  private static Map<String, String> status() {
    Map<String, String> facts = new HashMap<>();
    try {
      for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
        int colon = line.indexOf(':');
        facts.put(line.substring(0, colon), line.substring(colon + 1).strip());
      }
    } catch (IOException e) {
      return facts;
    }
    return facts;
  }

  private static List<Integer> numbers(String text) {
    return Arrays.stream(text.split("[ ,]+"))
        .filter(word -> !word.isEmpty())
        .map(Integer::parseUnsignedInt)
        .toList();
  }

  /**
   * The command of a launch.
   *
   * @param problem why it cannot be started nevertheless; null if nothing is known
   * @param hidden names of variables whose values are not shown
   */
  public ExactCommand of(
      @Nullable String problem, Launch launch, Set<String> hidden, ExactCommand.Streams streams) {
    Credentials who = launch.credentials();
    Path directory = launch.cwd();
    Integer mask = launch.umask();
    return new ExactCommand(
        problem,
        launch.command(),
        who == null ? self.name() : who.user(),
        who == null ? self.uid() : who.uid(),
        who == null ? self.gid() : who.gid(),
        who == null ? groups : who.groups(),
        directory == null ? cwd : directory.toString(),
        mask == null ? umask : mask,
        hide(launch.environment(), hidden),
        streams);
  }

  private static List<String> hide(List<String> environment, Set<String> hidden) {
    return hidden.isEmpty()
        ? environment
        : environment.stream().map(variable -> hide(variable, hidden)).toList();
  }

  private static String hide(String variable, Set<String> hidden) {
    String name = variable.substring(0, variable.indexOf('='));
    return hidden.contains(name) ? name + "=" + ExactCommand.MASKED : variable;
  }

  /** The command that was wanted, if it cannot be started. */
  public ExactCommand refused(
      String problem,
      List<String> command,
      @Nullable String user,
      @Nullable String directory,
      @Nullable Integer mask,
      List<String> environment,
      ExactCommand.Streams streams) {
    return new ExactCommand(
        problem,
        command,
        user == null ? self.name() : user,
        -1,
        -1,
        List.of(),
        directory == null ? cwd : directory,
        mask == null ? umask : mask,
        environment,
        streams);
  }

  /** The beginning of a run's note: the command that is executed. */
  public static NoteLines.Draft note(ExactCommand execution) {
    var note = new NoteLines.Draft();
    execution.argv().forEach(word -> note.line("argv", word));
    note.line("user", execution.user())
        .line("uid", execution.uid())
        .line("gid", execution.gid())
        .line("groups", execution.groups().toString().replaceAll("[\\[\\]]", ""))
        .line("cwd", execution.cwd())
        .line("umask", Integer.toOctalString(execution.umask() == null ? 0 : execution.umask()))
        .line("from_stdin", execution.streams().stdin())
        .line("to_stdout", execution.streams().stdout())
        .line("to_stderr", execution.streams().stderr());
    execution.environment().forEach(variable -> note.line("env", variable));
    return note;
  }

  /** The executed command from a run's note; null if the note has none. */
  public static @Nullable ExactCommand noted(RunDirectories directories, String runId) {
    try {
      NoteLines note = NoteLines.read(directories, runId);
      List<String> argv = note.all("argv");
      if (argv.isEmpty()) {
        return null;
      }
      return new ExactCommand(
          null,
          argv,
          note.text("user", ""),
          Integer.parseInt(note.text("uid", "-1")),
          Integer.parseInt(note.text("gid", "-1")),
          numbers(note.text("groups", "")),
          note.text("cwd", ""),
          Integer.parseInt(note.text("umask", "0"), 8),
          note.all("env"),
          new ExactCommand.Streams(
              note.text("from_stdin", ExactCommand.Streams.NOTHING),
              note.text("to_stdout", ""),
              note.text("to_stderr", "")));
    } catch (DiskException | IllegalArgumentException e) {
      return null;
    }
  }
}
