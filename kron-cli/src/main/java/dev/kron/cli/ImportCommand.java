package dev.kron.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kron.cli.crontab.CrontabHost;
import dev.kron.cli.crontab.CrontabImport;
import dev.kron.cli.crontab.CrontabImport.Result;
import dev.kron.cli.crontab.ImportReport;
import dev.kron.cli.line.Command;
import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.CommandSpec.Exit;
import dev.kron.cli.line.Completion;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.Format;
import dev.kron.cli.line.Operand;
import dev.kron.cli.line.Option;
import dev.kron.cli.line.RefusedException;
import dev.kron.cli.line.Spans;
import dev.kron.cli.line.UsageException;
import dev.kron.cli.output.Surroundings;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;

/** {@code kron import crontab}: a krontab with the same times, and what is not the same. */
final class ImportCommand implements Command {
  private static final String STANDARD_INPUT = "-";
  private static final String WHAT = "crontab";
  private static final CrontabHost MACHINE = new CrontabHost(Path.of("/etc"));

  private final InputStream standardInput;

  ImportCommand(InputStream standardInput) {
    this.standardInput = standardInput;
  }

  @Override
  public String name() {
    return "import";
  }

  @Override
  public String summary() {
    return "make a krontab from a crontab, and tell what is not the same";
  }

  @Override
  public CommandSpec spec() {
    return new CommandSpec(
        name(),
        summary(),
        List.of(
            "kron import crontab FILE|- [--system | --user NAME] [--tz ZONE] [--spread D]"
                + " [--mailto-onfailure] [--output FILE [--force]] [--format text|json]"),
        new Operand(
            "crontab FILE",
            2,
            2,
            new Completion.WordThenPaths(WHAT),
            "the crontab to read; - is standard input, as from crontab -l"),
        List.of(
            Option.flag(
                "--system", "entries have a user column (default for /etc/crontab, /etc/cron.d)"),
            Option.value("--user", "NAME", "whose crontab it is (default: the user of krond)"),
            Option.value("--tz", "ZONE", "the time zone of cron (default: that of this machine)"),
            Option.value("--spread", "D", "give each job a window after its time, such as 30m"),
            Option.flag("--mailto-onfailure", "mail failures to whom MAILTO names"),
            Option.path("--output", "FILE", "write the krontab there, not to standard output"),
            Option.flag("--force", "replace FILE if it exists"),
            Format.OPTION),
        List.of(
            "Prints a krontab whose jobs run when cron ran them: the time zone is written out, the"
                + " variables above an entry stand on it, a command goes through its shell and"
                + " starts in its user's home, and its standard input after a % is fed to it. A day"
                + " field that begins with a star is taken as cron takes it. Names are made from"
                + " the commands; change them before the first run, they are the jobs' identities.",
            "What is left to chance, with a sleep of $((RANDOM % N)), H or 0~59, becomes a window."
                + " A crontab that may have a user column is not read before --system or --user"
                + " says what it is.",
            "With --output, variables that three or more entries share stand in a file beside the"
                + " krontab, mode 0600, which these entries name as their envfile.",
            "The report, on standard error, has one line for everything that is lost or will be"
                + " another way: each change of the clocks in the next two years at which cron and"
                + " krond part, with its date, MAILTO, and entries that cron does not"
                + " understand either. These stay in the krontab as comments.",
            "Unlike under cron, runs of a job do not overlap; @policy(concurrency=allow) lets"
                + " them."),
        List.of(
            new Example(
                "kron import crontab examples/cron/crontab --tz UTC", "look at it before using it"),
            new Example(
                "kron import crontab examples/cron/crontab --tz UTC --spread 30m",
                "with windows, so that not all begin together"),
            new Example(
                "crontab -l | kron import crontab - --output mine.krontab",
                "your own crontab, into a file")),
        List.of(
            new Exit(ExitCode.OK, "everything is carried over, and nothing differs"),
            new Exit(ExitCode.REFUSED, "made, but the report has something that is not the same"),
            new Exit(ExitCode.UNREADABLE, "the crontab could not be read; nothing was made"),
            new Exit(ExitCode.USAGE, "the command line was not understood"),
            new Exit(ExitCode.OUTPUT_FAILED, "the krontab could not be written")));
  }

  @Override
  public int run(CommandArguments arguments, Surroundings surroundings) throws IOException {
    if (!arguments.operands().getFirst().equals(WHAT)) {
      throw new UsageException(
          "only a crontab can be imported, not \"" + arguments.operands().getFirst() + "\"");
    }
    String source = arguments.operands().get(1);
    CrontabImport.Settings settings = settings(arguments, surroundings, source);
    String crontab = read(source, surroundings);
    if (!settings.system()
        && settings.user() == null
        && CrontabImport.looksLikeSystem(crontab, user -> MACHINE.home(user) != null)) {
      throw new UsageException(
          source
              + " looks like a system crontab, with a user after the times of each entry: say"
              + " --system if it is one, or --user NAME if it is the crontab of NAME");
    }
    String target = arguments.value("--output");
    Path file = target == null ? null : surroundings.directory().resolve(target).toAbsolutePath();
    Path envfile = file == null ? null : envfile(file.normalize());
    Result result =
        CrontabImport.of(crontab, settings, envfile == null ? null : envfile.toString());
    String krontab = heading(source) + result.krontab();
    if (file != null && envfile != null) {
      boolean replace = arguments.has("--force");
      refuseToReplace(file, replace);
      if (!result.envfile().isEmpty()) {
        String shared = heading(source) + String.join("\n", result.envfile()) + "\n";
        write(envfile, shared, "rw-------", replace); // before the file that names it
      }
      write(file, krontab, "rw-r--r--", replace);
    }
    if (Format.of(arguments) == Format.JSON) {
      ImportReport.json(krontab, result, surroundings.out());
    } else {
      if (target == null) {
        for (String line : krontab.lines().toList()) {
          surroundings.out().fileLine(line);
        }
      }
      ImportReport.text(source, result, surroundings.err());
    }
    return result.isSame() ? ExitCode.OK : ExitCode.REFUSED;
  }

  private static String heading(String source) {
    return "# Made from "
        + (source.equals(STANDARD_INPUT) ? "a crontab" : source.replaceAll("\\p{Cntrl}", "?"))
        + " by kron import crontab.\n";
  }

  private static CrontabImport.Settings settings(
      CommandArguments arguments, Surroundings surroundings, String source) {
    String user = arguments.value("--user");
    if (user != null && arguments.has("--system")) {
      throw new UsageException("a system crontab names its users itself: --system or --user");
    }
    if (arguments.has("--force") && !arguments.has("--output")) {
      throw new UsageException("--force is about the file of --output");
    }
    String zone = arguments.value("--tz");
    if (zone != null && !CrontabHost.isZone(zone)) {
      throw new UsageException(
          "--tz is an IANA time zone such as Europe/Paris, not \"" + zone + "\"");
    }
    String own = surroundings.environment().variable("HOME");
    return new CrontabImport.Settings(
        user == null && (arguments.has("--system") || isSystem(source, surroundings)),
        user,
        zone == null ? MACHINE.zone() : zone,
        spread(arguments),
        arguments.has("--mailto-onfailure"),
        name -> name.isPresent() ? MACHINE.home(name.get()) : own,
        surroundings.now().getAsLong());
  }

  private static boolean isSystem(String source, Surroundings surroundings) {
    Path path = surroundings.directory().resolve(source).normalize();
    return !source.equals(STANDARD_INPUT) && isSystem(path);
  }

  private static boolean isSystem(Path path) {
    return path.equals(Path.of("/etc/crontab")) || path.startsWith(Path.of("/etc/cron.d"));
  }

  private static Duration spread(CommandArguments arguments) {
    String text = arguments.value("--spread", "0s");
    try {
      long seconds = Spans.seconds(text);
      if (seconds <= 366 * 86_400L) {
        return Duration.ofSeconds(seconds);
      }
    } catch (IllegalArgumentException | ArithmeticException e) {
      // Falls through to the same answer.
    }
    throw new UsageException(
        "--spread is a length of time such as 30m or 2h, at most 366d, not \"" + text + "\"");
  }

  private String read(String source, Surroundings surroundings) {
    try {
      byte[] content =
          source.equals(STANDARD_INPUT)
              ? standardInput.readAllBytes()
              : Files.readAllBytes(surroundings.directory().resolve(source));
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
    } catch (NoSuchFileException e) {
      throw unreadable(source, "it does not exist");
    } catch (CharacterCodingException e) {
      throw unreadable(source, "it is not valid UTF-8; convert it with iconv -f LATIN1 -t UTF-8");
    } catch (IOException e) {
      throw unreadable(source, String.valueOf(e.getMessage()));
    }
  }

  private static RefusedException unreadable(String source, String reason) {
    return new RefusedException(
        ExitCode.UNREADABLE, List.of(source + " cannot be read: " + reason));
  }

  /** The file beside a krontab for variables that many of its entries share. */
  private static Path envfile(Path krontab) {
    String name = String.valueOf(krontab.getFileName());
    int dot = name.lastIndexOf('.');
    return krontab.resolveSibling((dot > 0 ? name.substring(0, dot) : name) + ".env");
  }

  private static void refuseToReplace(Path file, boolean replace) {
    if (!replace && Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      throw exists(file);
    }
  }

  private static RefusedException exists(Path file) {
    return new RefusedException(
        ExitCode.OUTPUT_FAILED, List.of(file + " exists; --force replaces it"));
  }

  /** All of it or nothing, and never over another file unless told to. */
  private static void write(Path file, String text, String mode, boolean replace) {
    try {
      Path unfinished = Files.createTempFile(file.getParent(), ".kron-import", ".new"); // 0600
      try {
        Files.writeString(unfinished, text);
        Files.setPosixFilePermissions(unfinished, PosixFilePermissions.fromString(mode));
        if (replace) {
          Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
        } else {
          Files.createLink(file, unfinished); // fails where there is one
        }
      } finally {
        Files.deleteIfExists(unfinished);
      }
    } catch (FileAlreadyExistsException e) {
      throw exists(file);
    } catch (IOException e) {
      throw new RefusedException(
          ExitCode.OUTPUT_FAILED, List.of(file + " could not be written: " + e.getMessage()));
    }
  }
}
