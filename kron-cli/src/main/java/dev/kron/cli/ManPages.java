package dev.kron.cli;

import dev.kron.cli.line.Command;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.ManPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs when a distribution is built: writes the manual, one page a command. */
final class ManPages {
  private static final String DAEMON = "run";

  private ManPages() {}

  public static void main(String[] arguments) throws IOException {
    write(Path.of(arguments[0]), VersionCommand.version());
  }

  static void write(Path directory, String version) throws IOException {
    List<Command> commands = Commands.everything().all();
    Path first = Files.createDirectories(directory.resolve("man1"));
    Path eighth = Files.createDirectories(directory.resolve("man8"));
    Files.writeString(first.resolve("kron.1"), overview(commands, version));
    for (Command command : commands) {
      CommandSpec spec = command.spec();
      String title = "kron-" + spec.name();
      Files.writeString(
          first.resolve(title + ".1"),
          new ManPage(title, 1, version, spec.summary())
              .command(spec)
              .seeAlso(List.of("kron(1)", "krond(8)"))
              .toString());
      if (spec.name().equals(DAEMON)) {
        Files.writeString(
            eighth.resolve("krond.8"),
            new ManPage("krond", 8, version, "the same as kron run: " + spec.summary())
                .command(spec)
                .seeAlso(List.of("kron(1)", "kron-lint(1)"))
                .toString());
      }
    }
  }

  private static String overview(List<Command> commands, String version) {
    var page =
        new ManPage("kron", 1, version, "runs things on a machine and never loses track of them")
            .heading("Synopsis")
            .paragraph("kron COMMAND [ARGUMENT...]")
            .heading("Commands");
    List<String> pages = new ArrayList<>(List.of("krond(8)"));
    for (Command command : commands) {
      page.item("kron " + command.name(), command.summary());
      pages.add("kron-" + command.name() + "(1)");
    }
    return page.seeAlso(pages).toString();
  }
}
