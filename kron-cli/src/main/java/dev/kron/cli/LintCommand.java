package dev.kron.cli;

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
import dev.kron.cli.lint.Accounts;
import dev.kron.cli.lint.Lint;
import dev.kron.cli.lint.LintJson;
import dev.kron.cli.lint.LintReport;
import dev.kron.cli.lint.LintText;
import dev.kron.cli.lint.ServiceSurprises;
import dev.kron.cli.lint.Surprises;
import dev.kron.cli.lint.ZoneHint;
import dev.kron.cli.output.Surroundings;
import dev.kron.config.Account;
import dev.kron.config.ConfigFiles;
import dev.kron.config.EntryInspector;
import dev.kron.config.KrontabParser;
import dev.kron.config.OtherUsers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code kron lint}: whether krontabs and services are valid, and what in them is legal but will
 * surprise.
 */
final class LintCommand implements Command {
  @Override
  public String name() {
    return "lint";
  }

  @Override
  public String summary() {
    return "check krontabs and services, and warn of what will surprise";
  }

  @Override
  public CommandSpec spec() {
    return new CommandSpec(
        name(),
        summary(),
        List.of(
            "kron lint [PATH...] [--notify FILE] [--strict] [--follow-symlinks] [--format"
                + " text|json]"),
        Operand.any(
            "PATH",
            Completion.Paths.PATHS,
            "krontabs, service files or directories (default: the configuration directory)"),
        List.of(
            Option.path("--notify", "FILE", "whom to tell, as krond --notify has it"),
            Option.flag("--strict", "refuse relative command paths, as krond --strict does"),
            Option.flag("--follow-symlinks", "read files that are symbolic links"),
            Format.OPTION),
        List.of(
            "Reports every error of every file at once, as file:line:column with the line and a"
                + " caret. A file must also be safe: not writable by others, owned by root or by"
                + " you.",
            "Warnings do not make a file invalid: periods that may find no allowed second, windows"
                + " that reach into the next period, runs that a change of the clocks skips or"
                + " doubles in the next two years, commands and directories that do not exist, a"
                + " timeout longer than the period under concurrency=forbid, users that do not"
                + " exist, steps longer than their field, dates long past, files that are passed"
                + " over, a file without @tz on a machine whose zone is not UTC.",
            "Everything is checked as the daemon of the user who asks would check it: a user= that"
                + " only root could have is an error.",
            "Service files, *.toml, are checked together: names that stand twice, dependencies that"
                + " are missing or wait for each other, a service that requires what it conflicts"
                + " with. Warnings: programs, users and credential profiles that are not there,"
                + " health checks that take longer than their interval.",
            "notify.toml in the first directory says whom to tell of what; secrets that its"
                + " channels need and do not have are warnings. fleet.toml makes this machine a"
                + " node of a fleet, whose krontabs are fleet/*.kron beside it; what its credential"
                + " profile lacks is an error."),
        List.of(
            new Example("kron lint", "what the daemon would read"),
            new Example("kron lint examples --strict", "a directory of krontabs"),
            new Example("kron lint examples/smooth.krontab --format json", "for a program")),
        List.of(
            new Exit(ExitCode.OK, "every file is valid; there may be warnings"),
            new Exit(ExitCode.REFUSED, "a file has errors"),
            new Exit(ExitCode.UNREADABLE, "a file or directory could not be read"),
            new Exit(ExitCode.USAGE, "the command line was not understood")));
  }

  @Override
  public int run(CommandArguments arguments, Surroundings surroundings) throws IOException {
    List<Path> paths = Krontabs.paths(arguments.operands(), surroundings);
    ConfigFiles.Settings files =
        ConfigFiles.Settings.of(Account.current())
            .withFollowLinks(arguments.has("--follow-symlinks"))
            .withNotifyFile(path(arguments.value("--notify"), surroundings));
    KrontabParser.Settings parsing =
        KrontabParser.Settings.DEFAULT.withStrict(arguments.has("--strict"));
    String search = surroundings.environment().variable("PATH");
    long now = surroundings.now().getAsLong();
    var accounts = new Accounts();
    OtherUsers others = Account.current().uid() == 0 ? null : new OtherUsers(accounts);
    EntryInspector surprises = new Surprises(now, search, files, accounts);
    LintReport report =
        Format.of(arguments) == Format.JSON
            ? new LintJson(surroundings.out())
            : new LintText(surroundings.out());
    ServiceSurprises services = new ServiceSurprises(search, files, accounts);
    Lint lint = new Lint(services, report, others, new ZoneHint(now, surroundings.zone()), files);
    report.begin();
    lint.end(
        ConfigFiles.forEach(
            paths, files, parsing, others == null ? surprises : others.and(surprises), lint));
    return lint.unreadable() ? ExitCode.UNREADABLE : lint.valid() ? ExitCode.OK : ExitCode.REFUSED;
  }

  private static @Nullable Path path(@Nullable String text, Surroundings surroundings) {
    return text == null ? null : surroundings.directory().resolve(text);
  }
}
