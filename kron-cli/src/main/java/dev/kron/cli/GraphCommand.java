package dev.kron.cli;

import dev.kron.cli.graph.Drawing;
import dev.kron.cli.graph.GraphDot;
import dev.kron.cli.graph.GraphJson;
import dev.kron.cli.graph.GraphSvg;
import dev.kron.cli.graph.GraphText;
import dev.kron.cli.graph.JobChainDrawing;
import dev.kron.cli.line.Command;
import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.CommandSpec.Exit;
import dev.kron.cli.line.Completion;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.Operand;
import dev.kron.cli.line.Option;
import dev.kron.cli.line.RefusedException;
import dev.kron.cli.line.UsageException;
import dev.kron.cli.online.LiveGraph;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Surroundings;
import dev.kron.config.Account;
import dev.kron.config.ConfigFiles;
import dev.kron.config.Diagnostic;
import dev.kron.config.Krontab;
import dev.kron.config.KrontabParser;
import dev.kron.config.ServiceFile;
import dev.kron.job.JobSpec;
import dev.kron.service.ServiceGraph;
import dev.kron.service.ServiceSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** {@code kron graph}: what depends on what. */
final class GraphCommand implements Command {
  @Override
  public String name() {
    return "graph";
  }

  @Override
  public String summary() {
    return "draw which services depend on which";
  }

  @Override
  public CommandSpec spec() {
    return new CommandSpec(
        name(),
        summary(),
        List.of(
            "kron graph [PATH...] [--format text|dot|svg|json]",
            "kron graph --live [--socket PATH] [--format text|dot|svg|json]",
            "kron graph --jobs [PATH...] [--format text|dot|json]"),
        Operand.any(
            "PATH",
            Completion.Paths.PATHS,
            "service files or directories (default: the configuration directory)"),
        List.of(
            Option.choice(
                "--format",
                List.of("text", "dot", "svg", "json"),
                "trees for the terminal (the default), for Graphviz, a picture, or numbers"),
            Option.flag("--live", "ask the running daemon, for its services and their states"),
            Option.flag("--jobs", "which jobs follow which: chains of krontabs, by then=\"…\""),
            LiveGraph.SOCKET),
        List.of(
            "As text, each service stands above what it requires, and with a word what it wants,"
                + " what starts before it, and what it conflicts with. In a picture what starts"
                + " first stands left; an arrow leads to what is needed: solid is required, dashed"
                + " is wanted, dotted is order only, red is a conflict.",
            "Before a name stands its state: [-] inactive, [?] blocked, [>] starting, [+] running,"
                + " [!] stopping, [.] exited, [X] failed. From files alone all are inactive;"
                + " --live asks the daemon what it runs and in which state each is."),
        List.of(
            new Example("kron graph examples/shop", "trees"),
            new Example("kron graph examples/shop --format svg > shop.svg", "a picture"),
            new Example("kron graph examples/shop --format dot", "for Graphviz")),
        List.of(
            new Exit(ExitCode.OK, "drawn"),
            new Exit(ExitCode.REFUSED, "a service file has errors, or the files do not fit"),
            new Exit(ExitCode.UNREADABLE, "a file could not be read"),
            new Exit(ExitCode.USAGE, "the command line was not understood"),
            new Exit(ExitCode.UNAVAILABLE, "with --live: no daemon answers"),
            new Exit(ExitCode.NOT_ALLOWED, "with --live: you may not ask the daemon for that")));
  }

  @Override
  public int run(CommandArguments arguments, Surroundings surroundings) throws IOException {
    if (arguments.has("--jobs")) {
      jobs(arguments, surroundings);
      return ExitCode.OK;
    }
    write(drawing(arguments, surroundings), arguments, surroundings.out());
    return ExitCode.OK;
  }

  private static Drawing drawing(CommandArguments arguments, Surroundings surroundings)
      throws IOException {
    if (!arguments.has("--live")) {
      ServiceGraph graph = ServiceGraph.of(services(arguments.operands(), surroundings));
      return new Drawing(graph, Map.of());
    }
    if (!arguments.operands().isEmpty()) {
      throw new UsageException(
          "--live draws what the daemon runs, whatever is in "
              + arguments.operands().getFirst()
              + ": name files, or --live");
    }
    return LiveGraph.of(arguments, surroundings);
  }

  private static void write(Drawing drawing, CommandArguments arguments, Output out)
      throws IOException {
    switch (arguments.value("--format", "text")) {
      case "dot" -> GraphDot.write(drawing, out);
      case "json" -> GraphJson.write(drawing, out);
      case "svg" -> new GraphSvg(drawing, out).print();
      default -> new GraphText(drawing, out).print();
    }
  }

  private static void jobs(CommandArguments arguments, Surroundings surroundings)
      throws IOException {
    if (arguments.has("--live")) {
      throw new UsageException("--jobs reads files, and --live asks the daemon: name one of them");
    }
    ConfigFiles.Configuration configuration = read(arguments.operands(), surroundings);
    List<String> errors = new ArrayList<>();
    var follows = new TreeMap<String, List<String>>();
    for (Krontab krontab : configuration.krontabs()) {
      krontab.diagnostics().stream()
          .filter(Diagnostic::isError)
          .forEach(error -> errors.add(error.toString()));
      for (JobSpec job : krontab.jobs()) {
        if (!job.then().isEmpty()) {
          follows.put(job.identity(), job.rules().then());
          job.rules().then().forEach(next -> follows.putIfAbsent(next, List.of()));
        }
      }
    }
    if (!errors.isEmpty()) {
      throw new RefusedException(ExitCode.REFUSED, errors);
    }
    var drawing = new JobChainDrawing(follows);
    switch (arguments.value("--format", "text")) {
      case "dot" -> drawing.dot(surroundings.out());
      case "json" -> drawing.json(surroundings.out());
      case "svg" -> throw new UsageException("--jobs knows --format text, dot and json");
      default -> drawing.text(surroundings.out());
    }
  }

  private static ConfigFiles.Configuration read(List<String> named, Surroundings surroundings) {
    return ConfigFiles.read(
        Krontabs.paths(named, surroundings),
        ConfigFiles.Settings.of(Account.current()).withSecure(false).withFollowLinks(true),
        KrontabParser.Settings.DEFAULT);
  }

  /** Nothing is drawn from files with errors: the daemon would refuse them as well. */
  private static List<ServiceSpec> services(List<String> named, Surroundings surroundings) {
    ConfigFiles.Configuration configuration = read(named, surroundings);
    List<ServiceSpec> services = new ArrayList<>();
    List<String> errors = new ArrayList<>();
    boolean unreadable = false;
    for (ServiceFile file : configuration.services()) {
      ServiceSpec service = file.service();
      if (service != null) {
        services.add(service);
      }
      file.diagnostics().stream()
          .filter(Diagnostic::isError)
          .forEach(error -> errors.add(error.toString()));
      unreadable |= file.status() == Krontab.Status.UNREADABLE;
    }
    for (Krontab krontab : configuration.krontabs()) {
      if (krontab.status() == Krontab.Status.UNREADABLE) {
        krontab.diagnostics().forEach(error -> errors.add(error.toString()));
        unreadable = true;
      }
    }
    if (!errors.isEmpty()) {
      throw new RefusedException(unreadable ? ExitCode.UNREADABLE : ExitCode.REFUSED, errors);
    }
    return services;
  }
}
