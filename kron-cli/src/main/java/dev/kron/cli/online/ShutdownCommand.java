package dev.kron.cli.online;

import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.CommandSpec.Exit;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.Option;
import dev.kron.cli.line.RefusedException;
import dev.kron.cli.line.UsageException;
import dev.kron.cli.output.Surroundings;
import dev.kron.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** {@code kron shutdown}: ends the daemon, and what becomes of its jobs. */
final class ShutdownCommand extends OnlineCommand {
  ShutdownCommand() {
    super("shutdown", "end the daemon");
  }

  @Override
  public CommandSpec spec() {
    return spec(
        "kron shutdown [--wait | --kill]",
        null,
        List.of(
            Option.flag("--wait", "start nothing new, and wait for the runs that go on"),
            Option.flag(
                "--kill",
                "end all runs and services, within the daemon's --stop-timeout: TERM, then KILL")),
        List.of(
            "Without an option jobs go on without the daemon; the next one finds them again, or how"
                + " they ended. Returns when the daemon is gone. Interrupting a --wait does not"
                + " call it off. Only root and the daemon's user may do this."),
        List.of(
            new Example("kron shutdown", "for an upgrade: nothing is interrupted"),
            new Example("kron shutdown --wait", "before the machine is taken down")),
        new Exit(ExitCode.REFUSED, "--kill could not end everything; says what is left"));
  }

  @Override
  int run(Api api, CommandArguments arguments, Surroundings surroundings) throws IOException {
    boolean wait = arguments.has("--wait");
    boolean kill = arguments.has("--kill");
    if (wait && kill) {
      throw new UsageException("--wait and --kill exclude each other");
    }
    Json answer;
    var left = new AtomicReference<@Nullable String>();
    // A connection from before tells when it ends: whatever comes later may find nobody.
    try (InputStream events = api.open(Api.path("events"))) {
      answer =
          api.post(Api.path("shutdown") + "?jobs=" + (wait ? "wait" : kill ? "kill" : "leave"));
      awaitEnd(events, left, wait, surroundings);
    }
    awaitSilence(api);
    if (wantsJson(arguments)) {
      json(answer, surroundings);
    } else {
      surroundings.out().line("the daemon has ended");
    }
    String names = left.get();
    if (names != null) {
      throw new RefusedException("not everything could be ended; what may go on: " + names);
    }
    return ExitCode.OK;
  }

  private static void awaitEnd(
      InputStream events,
      AtomicReference<@Nullable String> left,
      boolean wait,
      Surroundings surroundings)
      throws IOException {
    Thread reader = Thread.ofVirtual().start(() -> left.set(whatIsLeft(events)));
    try (Progress progress = new Progress(surroundings)) {
      while (reader.isAlive()) {
        progress.show(wait ? "waiting for what runs to end" : "the daemon is stopping");
      }
    }
  }

  /** What the daemon could not end, from its last event. */
  static @Nullable String whatIsLeft(InputStream events) {
    String left = null;
    try {
      var lines = new BufferedReader(new InputStreamReader(events, StandardCharsets.UTF_8));
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("data: ")) {
          Json event = Json.parse(line.substring(6));
          if (event.text("event").equals("left_behind")) {
            left = event.text("what");
          }
        }
      }
    } catch (IOException e) {
      // It has ended in the middle of a word.
    }
    return left;
  }

  /** Waits until the daemon answers no more. */
  private static void awaitSilence(Api api) {
    for (int i = 0; i < 100 && api.isThere(); i++) {
      try {
        Thread.sleep(20);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
