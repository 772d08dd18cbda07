package dev.kron.cli;

import dev.kron.cli.line.Command;
import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.CommandSpec.Exit;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.Format;
import dev.kron.cli.line.Option;
import dev.kron.cli.line.UsageException;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Style;
import dev.kron.cli.output.Surroundings;
import dev.kron.json.JsonWriter;
import dev.kron.simulation.Script;
import dev.kron.simulation.Simulation;
import dev.kron.simulation.Simulation.Alarm;
import dev.kron.simulation.Simulation.Failure;
import dev.kron.simulation.Simulation.Outcome;
import dev.kron.simulation.fleet.FleetScenario;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.function.LongConsumer;

/**
 * {@code kron simulate}: the daemon, or a fleet, in a simulated world in which everything goes
 * wrong.
 */
final class SimulateCommand implements Command {
  private static final long DEFAULT_SEEDS = 1_000;
  private static final long MOST_SEEDS = 1_000_000_000L;
  private static final int MOST_STEPS = 10_000;

  private final Player player;

  /**
   * What is to be played.
   *
   * @param fleet of several nodes; otherwise one daemon
   * @param keepGoing after a history that went wrong
   */
  record Task(boolean fleet, long from, long seeds, int steps, boolean keepGoing) {
    private Script.Source source() {
      return fleet ? FleetScenario::of : Simulation.DAEMON;
    }
  }

  /** The player of histories; a test has one that fails. */
  interface Player {
    /**
     * @param progress told now and then how many were played
     */
    Outcome play(Task task, LongConsumer progress) throws InterruptedException;
  }

  SimulateCommand() {
    this(SimulateCommand::onAllProcessors);
  }

  SimulateCommand(Player player) {
    this.player = player;
  }

  private static Outcome onAllProcessors(Task task, LongConsumer progress)
      throws InterruptedException {
    int threads = (int) Math.min(task.seeds(), Runtime.getRuntime().availableProcessors());
    var simulation =
        new Simulation(task.source(), task.from(), task.seeds(), task.steps(), threads);
    return task.keepGoing() ? simulation.runAll(progress) : simulation.run(progress);
  }

  @Override
  public String name() {
    return "simulate";
  }

  @Override
  public String summary() {
    return "try to make the daemon lie, on a simulated machine";
  }

  @Override
  public CommandSpec spec() {
    return new CommandSpec(
        name(),
        summary(),
        List.of(
            "kron simulate [--fleet] [--seeds N] [--from SEED] [--steps M]",
            "              [--keep-going] [--history] [--format text|json]"),
        null,
        List.of(
            Option.flag("--fleet", "several nodes and the database between them"),
            Option.value(
                "--seeds", "N", "how many histories, one a seed (default: " + DEFAULT_SEEDS + ")"),
            Option.value("--from", "SEED", "the first seed (default: 1)"),
            Option.value(
                "--steps",
                "M",
                "steps of a history, on average (default: " + Simulation.STEPS + ")"),
            Option.flag(
                "--keep-going", "play all histories, however many go wrong, and list those"),
            Option.flag(
                "--history", "also print each history, line by line, in the order of seeds"),
            Format.OPTION),
        List.of(
            "Plays the real loop, machines and store of the daemon on a clock, a disk and processes"
                + " that are simulated: crashes and losses of power at any moment, disks that are"
                + " full or lie, clocks that jump, processes that hang, operators that change their"
                + " minds. After every event everything that the daemon promises is checked."
                + " Nothing outside is touched: no file, no process.",
            "With --fleet it plays what a node of a fleet does, on two to four machines with clocks"
                + " of their own, against a database in memory: nodes that are killed, stopped,"
                + " asleep, cut off, copied; answers that are lost, rows that are locked, failovers"
                + " that lose commits, clocks that jump, files that differ, requests.",
            "A seed is a history, the same on every machine, byte for byte. Where one goes wrong,"
                + " its seed, the promise that was broken and the shortest history found that"
                + " breaks it are printed. No later one is played then, but with --keep-going,"
                + " which lists all that went wrong at the end. docs/reliability.md has the list of"
                + " promises, and what was found."),
        List.of(
            new Example("kron simulate --seeds 100", "a hundred histories"),
            new Example("kron simulate --from 42 --seeds 1 --history", "one of them, to read"),
            new Example("kron simulate --fleet --seeds 100", "a hundred histories of fleets"),
            new Example("kron simulate --seeds 100 --keep-going", "all that go wrong of a hundred"),
            new Example(
                "kron simulate --seeds 20 --steps 200 --format json",
                "longer ones, for a program")),
        List.of(
            new Exit(ExitCode.OK, "everything held in every history"),
            new Exit(ExitCode.REFUSED, "at least one history went wrong; its seed is printed"),
            new Exit(ExitCode.USAGE, "the command line was not understood")));
  }

  @Override
  public int run(CommandArguments arguments, Surroundings surroundings) throws IOException {
    long seeds = arguments.longNumber("--seeds", DEFAULT_SEEDS, 1, MOST_SEEDS);
    long from = arguments.longNumber("--from", 1, 0, Long.MAX_VALUE - MOST_SEEDS);
    int steps = arguments.number("--steps", Simulation.STEPS, 1, MOST_STEPS);
    boolean json = Format.of(arguments) == Format.JSON;
    if (arguments.has("--history") && json) {
      throw new UsageException("--history is for people: leave out --format json");
    }
    var task =
        new Task(arguments.has("--fleet"), from, seeds, steps, arguments.has("--keep-going"));
    if (arguments.has("--history")) {
      for (long seed = from; seed < from + seeds; seed++) {
        for (String line : Simulation.history(task.source(), seed, steps)) {
          surroundings.out().line(line);
        }
      }
    }
    long start = System.nanoTime();
    Outcome outcome = play(task, surroundings.err(), start);
    double seconds = (System.nanoTime() - start) / 1e9;
    if (json) {
      write(surroundings.out().json(), outcome, task, seconds);
    } else {
      print(surroundings.out(), outcome, task, seconds);
    }
    return outcome.failure() == null ? ExitCode.OK : ExitCode.REFUSED;
  }

  private Outcome play(Task task, Output err, long start) throws IOException {
    boolean watched = err.terminal();
    try {
      return player.play(
          task,
          played -> {
            if (watched) {
              showProgress(err, played, task.seeds(), (System.nanoTime() - start) / 1e9);
            }
          });
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      if (watched) {
        err.rewrite("");
      }
    }
  }

  private static void showProgress(Output err, long played, long seeds, double seconds) {
    double rate = played / seconds;
    String left = played == 0 ? "" : ", " + Math.round((seeds - played) / rate) + " s to go";
    try {
      err.rewrite(
          String.format(
              Locale.ROOT, "%d of %d histories, %.0f a second%s", played, seeds, rate, left));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void print(Output out, Outcome outcome, Task task, double seconds)
      throws IOException {
    out.line(
        String.format(
            Locale.ROOT,
            "%d histories from seed %d, %d commands executed in them, %.0f histories a second",
            outcome.histories(),
            task.from(),
            outcome.executions(),
            outcome.histories() / seconds));
    Failure failure = outcome.failure();
    if (failure == null) {
      out.styled(Style.GREEN, "Everything held in every one of them.");
      out.line();
      return;
    }
    out.line();
    out.styled(Style.RED, "Seed " + failure.seed() + " violates " + failure.invariant());
    out.line(": " + failure.invariant().text());
    out.line(failure.message());
    out.line();
    out.line("The shortest history found that violates it has these steps:");
    for (String step : failure.shrunk()) {
      out.line("  " + step);
    }
    out.line();
    for (String line : failure.history()) {
      out.line(line);
    }
    out.line();
    out.line("To play it again: " + again(failure.seed(), task));
    if (task.keepGoing()) {
      out.line();
      out.line(outcome.alarms().size() + " of them went wrong:");
      for (Alarm alarm : outcome.alarms()) {
        out.line("  seed " + alarm.seed() + "  " + alarm.message());
      }
    }
  }

  private static String again(long seed, Task task) {
    return "kron simulate "
        + (task.fleet() ? "--fleet " : "")
        + "--from "
        + seed
        + " --seeds 1"
        + (task.steps() == Simulation.STEPS ? "" : " --steps " + task.steps());
  }

  private static void write(JsonWriter json, Outcome outcome, Task task, double seconds)
      throws IOException {
    json.beginObject()
        .member("fleet", task.fleet())
        .member("from", task.from())
        .member("seeds", task.seeds())
        .member("steps", task.steps())
        .member("histories", outcome.histories())
        .member("executions", outcome.executions())
        .name("seconds")
        .value(seconds)
        .name("historiesPerSecond")
        .value(outcome.histories() / seconds)
        .name("failure");
    Failure failure = outcome.failure();
    if (failure == null) {
      json.value((String) null);
    } else {
      json.beginObject()
          .member("seed", failure.seed())
          .member("invariant", failure.invariant().name())
          .member("meaning", failure.invariant().text())
          .member("message", failure.message());
      write(json.name("steps"), failure.shrunk());
      write(json.name("history"), failure.history());
      json.endObject();
    }
    json.name("alarms").beginArray();
    for (Alarm alarm : outcome.alarms()) {
      json.beginObject()
          .member("seed", alarm.seed())
          .member("invariant", alarm.invariant().name())
          .member("message", alarm.message())
          .endObject();
    }
    json.endArray().endObject().end();
  }

  private static void write(JsonWriter json, List<String> lines) throws IOException {
    json.beginArray();
    for (String line : lines) {
      json.value(line);
    }
    json.endArray();
  }
}
