package dev.kron.cli;

import dev.kron.cli.line.Arguments;
import dev.kron.cli.line.Command;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.output.Surroundings;
import java.io.IOException;
import java.util.List;

/** {@code kron version}. */
final class VersionCommand implements Command {
  @Override
  public String name() {
    return "version";
  }

  @Override
  public String summary() {
    return "show the version of kron and of the Java that runs it";
  }

  @Override
  public CommandSpec spec() {
    return new CommandSpec(
        name(),
        summary(),
        List.of("kron version", "kron --version"),
        null,
        List.of(),
        List.of(),
        List.of(new Example("kron version", "for a bug report")),
        List.of());
  }

  @Override
  public int run(Arguments arguments, Surroundings surroundings) throws IOException {
    surroundings.out().line("kron " + version());
    surroundings
        .out()
        .line("java " + Runtime.version() + ", " + System.getProperty("java.vm.vendor"));
    return ExitCode.OK;
  }

  static String version() {
    String version = VersionCommand.class.getPackage().getImplementationVersion();
    return version == null ? "(not packaged)" : version;
  }
}
