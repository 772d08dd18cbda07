package dev.kron.cli.online;

import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.CommandSpec.Exit;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.Option;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Style;
import dev.kron.cli.output.Surroundings;
import dev.kron.json.Json;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code kron events}. */
final class EventsCommand extends OnlineCommand {
  /** Of what follows an event's first line on a terminal. */
  private static final int INDENT = 4;

  EventsCommand() {
    super("events", "show what happens in the daemon");
  }

  @Override
  public CommandSpec spec() {
    return spec(
        "kron events [-f] [--job JOB] [--after ID]",
        null,
        List.of(
            Option.flag("-f", "go on with what happens from now on"),
            Option.value("--job", "JOB", "only what concerns this job"),
            Option.value("--after", "ID", "begin after this event; 0: with all that are held")),
        List.of(
            "Without -f: the last events, which the daemon holds (4096 at most). With -f: those"
                + " from now on, or after the one that --after names, until interrupted. A follower"
                + " that loses its connection goes on where it was; if events were lost meanwhile,"
                + " that is said. docs/log-events.md explains them. --format json prints one a"
                + " line."),
        List.of(
            new Example("kron events", "what happened lately"),
            new Example("kron events -f --job backup", "follow one job")),
        new Exit(ExitCode.REFUSED, "there is no such job or event"));
  }

  @Override
  int run(Api api, CommandArguments arguments, Surroundings surroundings) throws IOException {
    boolean follow = arguments.has("-f");
    String job = arguments.value("--job");
    String after = arguments.value("--after");
    String path =
        Api.path("events")
            + "?follow="
            + follow
            + (job == null ? "" : "&" + Api.parameter("job", job));
    if (after == null && !follow) {
      after = "0";
    }
    boolean json = wantsJson(arguments);
    Output out = surroundings.out();
    EventStream events = new EventStream(api, path, after, follow);
    for (String event = events.next(); event != null; event = events.next()) {
      if (json) {
        out.line(event);
      } else {
        Json told = Json.parse(event);
        out.folded(style(told), line(told), INDENT);
      }
      if (!events.hasMore()) {
        out.flush();
      }
    }
    return ExitCode.OK;
  }

  /** In one line, however long that is. */
  static void print(Json event, Output out) throws IOException {
    Style style = style(event);
    if (style == null) {
      out.print(line(event));
    } else {
      out.styled(style, line(event));
    }
    out.line();
  }

  private static @Nullable Style style(Json event) {
    return switch (event.text("level")) {
      case "error" -> Style.RED;
      case "warn" -> Style.YELLOW;
      default -> null;
    };
  }

  static String line(Json event) {
    if (event.text("event").equals("lost")) {
      return count(event.number("count"), "event was", "events were") + " lost";
    }
    StringBuilder line = new StringBuilder(event.text("time"));
    line.append(' ').append(event.text("event"));
    for (String name : event.names()) {
      switch (name) {
        case "id", "time", "level", "component", "event", "seed" -> {}
        default -> line.append(' ').append(name).append('=').append(event.text(name));
      }
    }
    return line.toString();
  }
}
