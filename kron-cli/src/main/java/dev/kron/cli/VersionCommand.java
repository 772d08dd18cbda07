package dev.kron.cli;

import dev.kron.cli.line.Command;
import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.Format;
import dev.kron.cli.output.Output;
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
        List.of("kron version [--format text|json]", "kron --version"),
        null,
        List.of(Format.OPTION),
        List.of(),
        List.of(
            new Example("kron version", "for a bug report"),
            new Example("kron version --format json", "for a program")),
        List.of());
  }

  @Override
  public int run(CommandArguments arguments, Surroundings surroundings) throws IOException {
    Output out = surroundings.out();
    String vendor = System.getProperty("java.vm.vendor");
    if (Format.of(arguments) == Format.JSON) {
      out.json()
          .beginObject()
          .member("kron", version())
          .member("java", Runtime.version().toString())
          .member("vendor", vendor)
          .endObject()
          .end();
      return ExitCode.OK;
    }
    out.line("kron " + version());
    out.line("java " + Runtime.version() + ", " + vendor);
    return ExitCode.OK;
  }

  static String version() {
    String version = VersionCommand.class.getPackage().getImplementationVersion();
    return version == null ? "(not packaged)" : version;
  }
}
