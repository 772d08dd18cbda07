package dev.kron.cli;

import dev.kron.cli.line.Command;
import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.CommandSpec.Exit;
import dev.kron.cli.line.Completion;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.Operand;
import dev.kron.cli.line.RefusedException;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Surroundings;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** {@code kron init}: a configuration directory, with a commented example in it. */
final class InitCommand implements Command {
  /** The name of the krontab that is made. */
  static final String FILE = "jobs.kron";

  private static final Set<PosixFilePermission> DIRECTORY_MODE =
      PosixFilePermissions.fromString("rwxr-xr-x");
  private static final Set<PosixFilePermission> FILE_MODE =
      PosixFilePermissions.fromString("rw-r--r--");

  private static final String EXAMPLE =
      """
      # Jobs, one a line: when, a name, a command. Take a "#" away to have one.
      # Check with 'kron lint', apply with 'kron reload', see what comes with 'kron next'.
      #
      # minute hour day-of-month month day-of-week   then options, then fields

      # Every night at 02:00 in Paris; without @tz times are UTC.
      # 0 2 * * * @tz(Europe/Paris) name=backup command="/usr/local/bin/backup --all" timeout=2h

      # Some time in the three hours after midnight, always at the same second on this machine.
      # 0 0 * * * @win(after,3h) name=cleanup command="/usr/bin/find /var/tmp -mtime +30 -delete"

      # Every five minutes; with shell=true a shell reads the command.
      # */5 * * * * name=check command="df -h / | tail -1" shell=true onfailure="/bin/echo no disk"

      # A service, something that stays up, is a file NAME.toml beside this one:
      #
      #   [service]
      #   exec = "/usr/bin/python3 -m http.server 8080"
      #
      #   [health]
      #   http = "http://127.0.0.1:8080/"
      """;

  @Override
  public String name() {
    return "init";
  }

  @Override
  public String summary() {
    return "make a configuration directory with a commented example";
  }

  @Override
  public CommandSpec spec() {
    return new CommandSpec(
        name(),
        summary(),
        List.of("kron init [DIR]"),
        Operand.optional(
            "DIR",
            Completion.Paths.PATHS,
            "the directory (default: /etc/krond.d for root, ~/.config/krond for anyone else)"),
        List.of(),
        List.of(
            "Makes the directory that the daemon reads, and in it a krontab with examples that are"
                + " commented out. Nothing that is there already is changed: a directory with files"
                + " in it stays as it is."),
        List.of(
            new Example("kron init", "where the daemon looks"),
            new Example("kron init my-jobs", "somewhere else")),
        List.of(
            new Exit(ExitCode.OK, "the directory is there"),
            new Exit(ExitCode.UNREADABLE, "it could not be made"),
            new Exit(ExitCode.USAGE, "the command line was not understood")));
  }

  @Override
  public int run(CommandArguments arguments, Surroundings surroundings) throws IOException {
    List<String> named = arguments.operands();
    Path directory =
        named.isEmpty()
            ? Krontabs.configuration(surroundings)
            : Krontabs.paths(named, surroundings).getFirst();
    boolean made;
    try {
      made = make(directory);
    } catch (FileAlreadyExistsException | NotDirectoryException e) {
      throw new RefusedException(
          ExitCode.UNREADABLE, List.of(directory + " cannot be made: a file is in the way"));
    } catch (IOException e) {
      throw new RefusedException(
          ExitCode.UNREADABLE, List.of(directory + " cannot be made: " + e.getMessage()));
    }
    Output out = surroundings.out();
    if (!made) {
      out.line(directory + " has files already; nothing was changed.");
      return ExitCode.OK;
    }
    String where = named.isEmpty() ? "" : " " + named.getFirst();
    out.line("Made " + directory.resolve(FILE) + ", with examples that are commented out.");
    out.line("Write a job into it, then:");
    out.line("  kron lint" + where + "    checks it");
    out.line("  kron run" + where + "     runs it, in the foreground");
    return ExitCode.OK;
  }

  /** Makes a directory; returns false if something is there already. */
  private static boolean make(Path directory) throws IOException {
    if (Files.isDirectory(directory)) {
      try (Stream<Path> entries = Files.list(directory)) {
        if (entries.findAny().isPresent()) {
          return false;
        }
      }
    } else {
      Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(DIRECTORY_MODE));
    }
    Path file = directory.resolve(FILE);
    Files.writeString(file, EXAMPLE, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    Files.setPosixFilePermissions(file, FILE_MODE);
    return true;
  }
}
