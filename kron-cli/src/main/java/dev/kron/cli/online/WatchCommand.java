package dev.kron.cli.online;

import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.RefusedException;
import dev.kron.cli.line.UsageException;
import dev.kron.cli.output.Keyboard;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Screen;
import dev.kron.cli.output.Surroundings;
import java.io.IOException;
import java.util.List;

/** {@code kron watch}: a live view in the terminal, until somebody leaves it. */
final class WatchCommand extends OnlineCommand {
  private static final long EVERY_MILLIS = 1000;

  /** A daemon with many jobs is not kept busy by being looked at. */
  private static final int REST = 10;

  WatchCommand() {
    super("watch", "a live view of jobs, services, runs and logs in the terminal");
  }

  @Override
  public CommandSpec spec() {
    return spec(
        "kron watch",
        null,
        List.of(),
        List.of(
            "Fills the terminal, and looks again every second. Tab or 1 to 5 change between status,"
                + " jobs, services, runs and events; the arrows (or j and k), PgUp, PgDn, Home and"
                + " End move; Enter shows what a job, a run or a service writes, as it writes; Esc"
                + " goes back; q or Ctrl-C leaves, and gives the terminal back as it was.",
            "/ shows only lines that have what is typed (Enter keeps it, Esc ends it), s changes"
                + " the order. Of the marked row, after a question that y answers: t triggers a job"
                + " or starts a service, x stops a job's runs, a run or a service, r restarts a"
                + " service, p suspends a job or resumes it. ? lists the keys.",
            "When the daemon goes away the last picture stays, with a word about it, until it is"
                + " back. Without a terminal there is nothing to fill: use kron status and kron"
                + " events -f."),
        List.of(new Example("kron watch", "look at it")));
  }

  @Override
  int run(Api api, CommandArguments arguments, Surroundings surroundings) throws IOException {
    Output out = surroundings.out();
    if (!out.terminal() || wantsJson(arguments)) {
      throw new UsageException("kron watch needs a terminal; use kron status and kron events -f");
    }
    try (WatchScreen watch = new WatchScreen(api, surroundings.now())) {
      watch.refresh(); // whoever may not look, or finds no daemon, is told so on a plain terminal
      try (Screen screen = new Screen(out)) {
        live(watch, screen);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return ExitCode.OK;
  }

  private static void live(WatchScreen watch, Screen screen)
      throws IOException, InterruptedException {
    while (true) {
      screen.measure();
      watch.draw(screen);
      Keyboard.Key key =
          screen.keyboard().next(Math.max(EVERY_MILLIS, REST * watch.lookedForMillis()));
      if (key == null) {
        refresh(watch);
      }
      while (key != null) {
        // The next key may be for what this one shows.
        if (watch.press(key)) {
          refresh(watch);
        }
        if (watch.isLeft()) {
          return;
        }
        key = screen.keyboard().next(0);
      }
    }
  }

  private static void refresh(WatchScreen watch) {
    try {
      watch.refresh();
    } catch (RefusedException e) {
      watch.troubled(e.lines().getFirst());
    } catch (IOException e) {
      watch.troubled("the daemon hung up: " + e.getMessage());
    }
  }
}
