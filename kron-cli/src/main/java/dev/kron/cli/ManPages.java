package dev.kron.cli;

import dev.kron.cli.line.Command;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.ManPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs when a distribution is built: writes the manual, one page a command, and one for each kind
 * of file, made of the documentation.
 */
final class ManPages {
  private static final String DAEMON = "run";

  private ManPages() {}

  public static void main(String[] arguments) throws IOException {
    write(Path.of(arguments[0]), Path.of(arguments[1]), VersionCommand.version());
  }

  /**
   * @param docs the documentation's pages
   */
  static void write(Path directory, Path docs, String version) throws IOException {
    List<Command> commands = Commands.everything().all();
    Path first = Files.createDirectories(directory.resolve("man1"));
    Path eighth = Files.createDirectories(directory.resolve("man8"));
    formats(Files.createDirectories(directory.resolve("man5")), docs, version);
    Files.writeString(first.resolve("kron.1"), overview(commands, version));
    for (Command command : commands) {
      CommandSpec spec = command.spec();
      String title = "kron-" + spec.name();
      Files.writeString(
          first.resolve(title + ".1"),
          new ManPage(title, 1, version, spec.summary())
              .command(spec)
              .seeAlso(List.of("kron(1)", "krond(8)", "krontab(5)", "kron.service(5)"))
              .toString());
      if (spec.name().equals(DAEMON)) {
        Files.writeString(
            eighth.resolve("krond.8"),
            new ManPage("krond", 8, version, "the same as kron run: " + spec.summary())
                .command(spec)
                .seeAlso(List.of("kron(1)", "kron-lint(1)", "krontab(5)", "kron.service(5)"))
                .toString());
      }
    }
  }

  private static void formats(Path fifth, Path docs, String version) throws IOException {
    Files.writeString(
        fifth.resolve("krontab.5"),
        new ManPage("krontab", 5, version, "what krond runs when, one job a line")
            .markdown("## Description\n" + Files.readString(docs.resolve("krontab.md")))
            .heading("Schedules")
            .markdown(Files.readString(docs.resolve("schedules.md")))
            .seeAlso(List.of("krond(8)", "kron-lint(1)", "kron-explain(1)", "kron.service(5)"))
            .toString());
    Files.writeString(
        fifth.resolve("kron.service.5"),
        new ManPage("kron.service", 5, version, "a service that krond keeps up")
            .markdown("## Description\n" + Files.readString(docs.resolve("services.md")))
            .seeAlso(List.of("krond(8)", "kron-lint(1)", "kron-start(1)", "krontab(5)"))
            .toString());
  }

  private static String overview(List<Command> commands, String version) {
    var page =
        new ManPage("kron", 1, version, "runs things on a machine and never loses track of them")
            .heading("Synopsis")
            .paragraph("kron COMMAND [ARGUMENT...]")
            .heading("Commands");
    List<String> pages = new ArrayList<>(List.of("krond(8)", "krontab(5)", "kron.service(5)"));
    for (Command command : commands) {
      page.item("kron " + command.name(), command.summary());
      pages.add("kron-" + command.name() + "(1)");
    }
    return page.seeAlso(pages).toString();
  }
}
