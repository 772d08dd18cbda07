package dev.kron.cli.online;

import dev.kron.cli.ExitCode;
import dev.kron.cli.line.Arguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.UsageException;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Screen;
import dev.kron.cli.output.Surroundings;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** {@code kron watch}: a live view in the terminal, until interrupted. */
final class WatchCommand extends OnlineCommand {
  private static final int EVENTS = 200;
  private static final long EVERY_MILLIS = 1000;

  WatchCommand() {
    super("watch", "a live view of jobs, runs and events in the terminal");
  }

  @Override
  public CommandSpec spec() {
    return spec(
        "kron watch",
        null,
        List.of(),
        List.of(
            "Fills the terminal: health, what runs, what is next, what failed, and below it what"
                + " happens, as it happens. Ctrl-C leaves. Without a terminal there is nothing to"
                + " fill: use kron status and kron events -f."),
        List.of(new Example("kron watch", "look at it")));
  }

  @Override
  int run(Api api, Arguments arguments, Surroundings surroundings) throws IOException {
    Output out = surroundings.out();
    if (!out.terminal() || wantsJson(arguments)) {
      throw new UsageException("kron watch needs a terminal; use kron status and kron events -f");
    }
    Deque<String> events = new ArrayDeque<>();
    EventStream stream = new EventStream(api, Api.path("events") + "?follow=true", "0", true);
    Thread reader = Thread.ofVirtual().start(() -> read(stream, events));
    try (Screen screen = new Screen(out)) {
      while (reader.isAlive()) {
        Json status = api.get(Api.path("status") + "?limit=" + Math.max(3, screen.height() / 8));
        screen.begin();
        StatusCommand.print(status, screen.output());
        screen.output().line();
        below(screen, events);
        screen.end();
        Thread.sleep(EVERY_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return ExitCode.OK;
  }

  private static void below(Screen screen, Deque<String> events) throws IOException {
    List<String> newest;
    synchronized (events) {
      newest = new ArrayList<>(events);
    }
    int room = Math.max(0, screen.left());
    int from = Math.max(0, newest.size() - room);
    for (String event : newest.subList(from, newest.size())) {
      EventsCommand.print(Json.parse(event), screen.output());
    }
  }

  private static void read(EventStream stream, Deque<String> events) {
    try {
      for (String event = stream.next(); event != null; event = stream.next()) {
        synchronized (events) {
          if (events.size() == EVENTS) {
            events.removeFirst();
          }
          events.addLast(event);
        }
      }
    } catch (IOException e) {
      // The daemon is gone; the view ends with it.
    }
  }
}
