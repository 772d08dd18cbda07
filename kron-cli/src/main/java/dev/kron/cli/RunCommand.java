package dev.kron.cli;

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
import dev.kron.cli.line.Sockets;
import dev.kron.cli.line.UsageException;
import dev.kron.cli.output.Surroundings;
import dev.kron.cli.output.Terminal;
import dev.kron.daemon.Daemon;
import dev.kron.daemon.Settings;
import dev.kron.daemon.api.ApiSettings;
import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.web.WebSettings;
import dev.kron.schedule.GoDuration;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** {@code kron run}: the daemon, in the foreground. */
final class RunCommand implements Command {
  @Override
  public String name() {
    return "run";
  }

  @Override
  public String summary() {
    return "run jobs and services: the daemon, also called krond";
  }

  @Override
  public CommandSpec spec() {
    return new CommandSpec(
        name(),
        summary(),
        List.of(
            "kron run [DIR...] [--state DIR] [--strict] [--follow-symlinks] [--onfailure COMMAND]",
            "         [--history N] [--output-limit MIB] [--stop-timeout D]",
            "         [--exit-with SERVICE] [--notify FILE] [--job-metrics JOBS]",
            "         [--socket PATH|none] [--reader-group G] [--operator-group G]",
            "         [--listen 127.0.0.1:PORT] [--token-file F]",
            "         [--web 127.0.0.1:PORT] [--web-origin URL]",
            "         [--log-format text|json] [--log-level debug|info|warn|error]"),
        Operand.any(
            "DIR",
            Completion.Paths.PATHS,
            "directories with krontabs, or krontabs (default: /etc/krond.d for root,"
                + " ~/.config/krond for anyone else)"),
        List.of(
            Option.path("--config", "DIR", "the same as DIR").repeated(),
            Option.path(
                "--state",
                "DIR",
                "what must survive (default: /var/lib/krond for root, $XDG_STATE_HOME/krond or"
                    + " ~/.local/state/krond for anyone else)"),
            Option.flag("--strict", "refuse relative command paths"),
            Option.flag("--follow-symlinks", "read krontabs that are symbolic links"),
            Option.value(
                "--onfailure",
                "COMMAND",
                "for /bin/sh -c, when a job or service without its own onfailure fails"),
            Option.value(
                "--history",
                "N",
                "history entries kept per job (default: " + Settings.DEFAULT_HISTORY_LIMIT + ")"),
            Option.value(
                "--output-limit", "MIB", "output kept of all ended runs (default: 1024 MiB)"),
            Option.value(
                "--stop-timeout",
                "D",
                "how long ending all jobs and services may take (default: 90s)"),
            Option.value(
                "--exit-with",
                "SERVICE",
                "when this service has ended for good, stop everything and leave with its exit"
                    + " code; for containers"),
            Option.path(
                "--notify",
                "FILE",
                "whom to tell of what (default: notify.toml in the first DIR, if it is there)"),
            Option.value(
                    "--job-metrics",
                    "JOBS",
                    "metrics of these jobs, each: names with * for anything, or with a colon"
                        + " identities, separated by commas (default: none)")
                .repeated(),
            Option.path(
                "--socket",
                "PATH",
                "where kron and others talk to it (default: /run/krond/krond.sock for root,"
                    + " $XDG_RUNTIME_DIR/krond/krond.sock or STATE/krond.sock for anyone else);"
                    + " none: nowhere"),
            Option.value(
                "--reader-group", "G", "members may look, beside root and the daemon's user"),
            Option.value(
                "--operator-group",
                "G",
                "members may also trigger, stop, suspend and reload; with both groups they must be"
                    + " in the first one too"),
            Option.value(
                "--listen",
                "127.0.0.1:PORT",
                "talk to it by TCP too, on this machine, with a token"),
            Option.path(
                "--token-file",
                "F",
                "the token, mode 0600; made if it is not there (default: STATE/token)"),
            Option.choice(
                "--service-output",
                List.of("stdout", "none"),
                "stdout: also show what services write, each line with the service's name before"
                    + " it (default: stdout as PID 1 of a container, otherwise none)"),
            Option.value(
                "--web",
                "127.0.0.1:PORT",
                "serve the dashboard there, always (default: at any free port, while somebody who"
                    + " asked for it by kron dashboard has it open)"),
            Option.value(
                    "--web-origin",
                    "URL",
                    "another address under which the dashboard is reached, such as"
                        + " https://kron.example.org, through a proxy or a tunnel")
                .repeated(),
            Option.choice(
                "--log-format",
                List.of("text", "json"),
                "one event a line, with everything (default: text; at a terminal a shorter form,"
                    + " with the time of day)"),
            Option.choice(
                "--log-level", List.of("debug", "info", "warn", "error"), "default: info")),
        List.of(
            "Stays in the foreground and logs to standard error; service managers want that. All"
                + " files are checked first, and with one error nothing starts. SIGHUP reads them"
                + " again: with an error everything goes on as it was.",
            "SIGTERM and SIGINT stop the daemon and leave its jobs and services running; the next"
                + " daemon finds them again, or how they ended. As PID 1 of a container they end"
                + " these too, services in reverse order."),
        List.of(
            new Example("kron run", "with the usual directories"),
            new Example("kron run examples --state /tmp/kron-tour", "to try it out"),
            new Example("kron run /etc/krond.d --exit-with web", "as the command of a container")),
        List.of(
            new Exit(Daemon.OK, "stopped cleanly"),
            new Exit(Daemon.CONFIGURATION, "the configuration has errors; nothing was started"),
            new Exit(Daemon.STATE, "the state directory cannot be used"),
            new Exit(Daemon.LOCK, "another daemon holds the state directory"),
            new Exit(Daemon.NOT_WRITTEN, "state could not be written at the stop"),
            new Exit(Daemon.LEFT_BEHIND, "not everything that was to end with it could be ended"),
            new Exit(ExitCode.USAGE, "the command line was not understood")));
  }

  @Override
  public int run(CommandArguments arguments, Surroundings surroundings) throws IOException {
    List<String> named = new ArrayList<>(arguments.operands());
    named.addAll(arguments.values("--config"));
    String onFailure = arguments.value("--onfailure");
    Path state = state(arguments.value("--state"), surroundings);
    List<Path> config;
    try {
      config = Krontabs.paths(named, surroundings);
    } catch (RefusedException e) {
      throw new RefusedException(Daemon.CONFIGURATION, e.lines());
    }
    var settings =
        Settings.builder(config, state)
            .strict(arguments.has("--strict"))
            .followSymlinks(arguments.has("--follow-symlinks"))
            .logFormat(logFormat(arguments.value("--log-format")))
            .logLevel(EventLog.Level.valueOf(upper(arguments.value("--log-level", "info"))))
            .onFailure(onFailure == null ? List.of() : List.of("/bin/sh", "-c", onFailure))
            .historyLimit(
                arguments.number("--history", Settings.DEFAULT_HISTORY_LIMIT, 0, 1_000_000))
            .outputLimitBytes(arguments.longNumber("--output-limit", 1024, 0, 1 << 30) << 20)
            .stopTimeout(stopTimeout(arguments.value("--stop-timeout")))
            .api(api(arguments, state, surroundings))
            .exitWith(arguments.value("--exit-with"))
            .observing(observing(arguments, surroundings))
            .web(web(arguments))
            .build();
    try {
      return new Daemon(settings, System.out, System.err).alone().run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return ExitCode.INTERNAL;
    }
  }

  private static Settings.Observing observing(
      CommandArguments arguments, Surroundings surroundings) {
    String file = arguments.value("--notify");
    String usual = ProcessHandle.current().pid() == 1 ? "stdout" : "none";
    return new Settings.Observing(
        file == null ? null : surroundings.directory().resolve(file),
        arguments.value("--service-output", usual).equals("stdout"),
        jobMetrics(arguments.values("--job-metrics")));
  }

  /** Patterns of jobs, as in a rule of {@code notify.toml}; each value may be a list of them. */
  private static List<String> jobMetrics(List<String> values) {
    List<String> patterns = new ArrayList<>();
    for (String value : values) {
      for (String pattern : value.split(",", -1)) {
        if (pattern.isBlank()) {
          throw new UsageException(
              "--job-metrics is a list of names, such as backup,db/*, not \"" + value + "\"");
        }
        patterns.add(pattern.strip());
      }
    }
    return patterns;
  }

  /** The log format: short lines for people at a terminal, unless an option says otherwise. */
  private static EventLog.Format logFormat(@Nullable String asked) {
    if (asked != null) {
      return EventLog.Format.valueOf(upper(asked));
    }
    if (!Terminal.isTerminal(Terminal.ERR)) {
      return EventLog.Format.TEXT;
    }
    return Terminal.look(Terminal.ERR).colour()
        ? EventLog.Format.COLOURED
        : EventLog.Format.TERMINAL;
  }

  private static String upper(String word) {
    return word.toUpperCase(Locale.ROOT);
  }

  private static Path state(@Nullable String named, Surroundings surroundings) {
    if (named != null) {
      return surroundings.directory().resolve(named);
    }
    Path usual = Sockets.usualState(surroundings);
    if (usual == null) {
      throw new UsageException("HOME is not set: say where the state is kept, with --state DIR");
    }
    return usual;
  }

  private static ApiSettings api(
      CommandArguments arguments, Path state, Surroundings surroundings) {
    String named = arguments.value("--socket");
    if ("none".equals(named)) {
      return ApiSettings.NONE;
    }
    Path inState = state.resolve(Sockets.FILE);
    String token = arguments.value("--token-file");
    return new ApiSettings(
        named == null
            ? Sockets.usual(surroundings, inState)
            : surroundings.directory().resolve(named),
        named == null ? inState : null,
        arguments.value("--reader-group"),
        arguments.value("--operator-group"),
        port("--listen", arguments.value("--listen"), ApiSettings.NO_PORT),
        token == null ? state.resolve("token") : surroundings.directory().resolve(token));
  }

  /**
   * The port of an option. Only this machine can connect; for others, put a server with encryption
   * before it.
   */
  private static int port(String option, @Nullable String listen, int otherwise) {
    if (listen == null) {
      return otherwise;
    }
    for (String host : List.of("127.0.0.1:", "localhost:")) {
      if (listen.startsWith(host)) {
        try {
          int port = Integer.parseInt(listen.substring(host.length()));
          if (port >= 0 && port <= 65_535) {
            return port;
          }
        } catch (NumberFormatException e) {
          break;
        }
      }
    }
    throw new UsageException(
        option + " is 127.0.0.1:PORT, not \"" + listen + "\"; other addresses are not served");
  }

  private static WebSettings web(CommandArguments arguments) {
    var origins = new ArrayList<String>();
    for (String origin : arguments.values("--web-origin")) {
      origins.add(origin(origin));
    }
    int port = port("--web", arguments.value("--web"), WebSettings.ON_DEMAND);
    if (arguments.value("--web") != null && port == WebSettings.ON_DEMAND) {
      throw new UsageException("--web needs a port from 1 to 65535; without --web any is taken");
    }
    if (port == WebSettings.ON_DEMAND && !origins.isEmpty()) {
      throw new UsageException(
          "--web-origin needs --web 127.0.0.1:PORT: what stands before the dashboard must find it");
    }
    return new WebSettings(port, origins);
  }

  /** Browsers sign on pages that came encrypted, or from their own machine. */
  private static String origin(String text) {
    String origin = text.toLowerCase(Locale.ROOT).replaceFirst("/$", "");
    String host = "[a-z0-9.-]+|\\[[0-9a-f:.]+]";
    if (origin.matches("https://(" + host + ")(:\\d{1,5})?")
        || origin.matches("http://(localhost|127\\.0\\.0\\.1|\\[::1])(:\\d{1,5})?")) {
      return origin.replaceFirst("^(https://.*):443$|^(http://.*):80$", "$1$2");
    }
    throw new UsageException(
        "--web-origin is https://HOST or http://localhost:PORT, without a path, not \""
            + text
            + "\"; browsers keep no key for pages that come unencrypted from elsewhere");
  }

  private static Duration stopTimeout(@Nullable String text) {
    if (text == null) {
      return Settings.DEFAULT_STOP_TIMEOUT;
    }
    try {
      return Duration.ofNanos(GoDuration.parseNanos(text));
    } catch (IllegalArgumentException e) {
      throw new UsageException("--stop-timeout: " + e.getMessage());
    }
  }
}
