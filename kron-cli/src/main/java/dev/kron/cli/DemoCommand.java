package dev.kron.cli;

import dev.kron.cli.line.Command;
import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.CommandSpec.Exit;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Style;
import dev.kron.cli.output.Surroundings;
import dev.kron.config.KrontabParser;
import dev.kron.schedule.DueTimes;
import dev.kron.schedule.Schedule;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@code kron demo}: a daemon to look at, what it does, and what it survives. */
final class DemoCommand implements Command {
  private static final long TO_READ_MILLIS = 1_500;
  private static final Path TERMINAL = Path.of("/dev/tty");

  private static final String JOBS =
      """
      * * * * * name=tick command="/bin/echo tick"
      @manual name=backup shell=true command="echo begun; sleep 2; echo done"
      """;

  /** Once a minute, at a second that follows from the path of its file. */
  private static final String SOME_TIME = "* * * * * @win(after,1m)";

  private static final String REPORT =
      SOME_TIME
          + " name=report shell=true command=\"echo 'no paper in the printer' >&2; exit 3\"\n";

  /** In so many seconds the job is to run. */
  private static final int SOON_SECONDS = 3;

  private static final int MOST_FILES = 10_000;

  private static final String DATABASE =
      """
      [service]
      exec = "sleep 1000000"
      """;

  private static final String WEB =
      """
      [service]
      exec = "while :; do echo serving; sleep 1; done"
      shell = true

      [dependencies]
      requires = ["db"]

      [lifecycle]
      restart_delay_ms = 500
      """;

  @Override
  public String name() {
    return "demo";
  }

  @Override
  public String summary() {
    return "show jobs, services and a kill of the daemon, and leave nothing behind";
  }

  @Override
  public CommandSpec spec() {
    return new CommandSpec(
        name(),
        summary(),
        List.of("kron demo"),
        null,
        List.of(),
        List.of(
            "Starts a daemon of its own in a temporary directory, with three jobs and two services:"
                + " jobs run, one fails and is explained, a service crashes and comes back, and the"
                + " daemon is killed while a job runs, which loses nothing. Each command is shown"
                + " before what it says.",
            "On a terminal it then waits for Enter, so that there is something to look at from"
                + " another one. In the end, and on Ctrl-C, everything is ended and the directory"
                + " removed. A daemon that runs already is not touched."),
        List.of(new Example("kron demo", "half a minute")),
        List.of(
            new Exit(ExitCode.OK, "done"),
            new Exit(ExitCode.USAGE, "the command line was not understood")));
  }

  @Override
  public int run(CommandArguments arguments, Surroundings surroundings) throws IOException {
    Output out = surroundings.out();
    DemoDaemon shown;
    try (DemoDaemon daemon = new DemoDaemon(surroundings)) {
      shown = daemon;
      Runtime.getRuntime().addShutdownHook(new Thread(() -> end(daemon))); // Ctrl-C
      show(daemon, out);
    }
    say(out, "That was it: everything is ended, and " + shown.directory() + " is gone.");
    out.line("'kron init' makes a configuration of your own, 'kron run' runs it.");
    return ExitCode.OK;
  }

  private static void end(DemoDaemon daemon) {
    try {
      daemon.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void show(DemoDaemon daemon, Output out) throws IOException {
    daemon.write("demo", JOBS);
    daemon.write("db.toml", DATABASE);
    daemon.write("web.toml", WEB);
    say(out, "A daemon of its own, in " + daemon.directory() + ": three jobs, two services.");
    daemon.start();
    daemon.await("services", said -> said.matches("(?s).*\nweb +up +running .*"));
    does(daemon, out, "services");
    say(out, "A job now, and one by its schedule, which fails: why?");
    does(daemon, out, "trigger tick --wait");
    addReport(daemon);
    daemon.await("runs report", said -> said.contains("exit 3"));
    does(daemon, out, "jobs");
    does(daemon, out, "why report");
    does(daemon, out, "logs report");
    say(out, "A service crashes, and comes back.");
    does(daemon, out, "signal web KILL");
    String back = "(?s).*\nweb +up +running +\\S+ +\\d+ +\\S+ +\\S+ +1 .*"; // MEM, CPU, RESTARTS
    daemon.await("services", said -> said.matches(back));
    does(daemon, out, "why web");
    say(out, "The daemon is killed while a backup runs.");
    does(daemon, out, "trigger backup");
    daemon.await("logs backup", said -> said.startsWith("begun"));
    shown(out, "kill -9 " + daemon.pid());
    daemon.kill();
    say(
        out,
        "Another one is started: the services have the pids that they had, the backup went on.");
    daemon.start();
    daemon.await("services", said -> said.matches("(?s).*\nweb +up +running .*"));
    does(daemon, out, "services");
    daemon.await("runs backup", said -> said.contains("exit 0"));
    does(daemon, out, "runs backup");
    does(daemon, out, "logs backup");
    if (out.terminal()) {
      say(out, "Look around from another terminal; Enter ends everything.");
      out.line("  export KRON_SOCKET=" + daemon.socket());
      out.line("  kron watch");
      out.flush();
      awaitEnter();
    }
  }

  /** A job whose second is near: of files by many names it is put into the one that has it. */
  private static void addReport(DemoDaemon daemon) throws IOException {
    Schedule schedule = Schedule.parse(SOME_TIME);
    long now = System.currentTimeMillis() / 1000;
    String name = "report";
    for (int i = 0; i < MOST_FILES; i++) {
      String candidate = "report-" + i;
      String identity = KrontabParser.identityPath(daemon.file(candidate)) + ":report";
      DueTimes.Due due = DueTimes.of(schedule, identity).firstAfter(now);
      if (due != null && due.dueEpochSecond() == now + SOON_SECONDS) {
        name = candidate;
        break;
      }
    }
    daemon.write(name, REPORT);
    daemon.await("reload", said -> true);
  }

  private static void does(DemoDaemon daemon, Output out, String command) throws IOException {
    shown(out, "kron " + command);
    daemon.kron(out, command.split(" "));
    out.flush();
  }

  private static void say(Output out, String text) throws IOException {
    out.line();
    out.styled(Style.BOLD, text);
    out.line();
    out.flush();
  }

  private static void shown(Output out, String command) throws IOException {
    out.line();
    out.styled(Style.DIM, "$ " + command);
    out.line();
    out.flush();
    if (out.terminal()) {
      try {
        TimeUnit.MILLISECONDS.sleep(TO_READ_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static void awaitEnter() throws IOException {
    try (BufferedReader in = Files.newBufferedReader(TERMINAL, StandardCharsets.UTF_8)) {
      in.readLine();
    }
  }
}
