package dev.kron.cli.online;

import dev.kron.cli.ExitCode;
import dev.kron.cli.line.Arguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.Option;
import dev.kron.cli.line.UsageException;
import dev.kron.cli.output.Surroundings;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;

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
            Option.flag("--kill", "end the runs that go on: TERM, 10 seconds, KILL")),
        List.of(
            "Without an option jobs go on without the daemon; the next one finds them again, or how"
                + " they ended. Returns when the daemon is gone. Interrupting a --wait does not"
                + " call it off. Only root and the daemon's user may do this."),
        List.of(
            new Example("kron shutdown", "for an upgrade: nothing is interrupted"),
            new Example("kron shutdown --wait", "before the machine is taken down")));
  }

  @Override
  int run(Api api, Arguments arguments, Surroundings surroundings) throws IOException {
    boolean wait = arguments.has("--wait");
    boolean kill = arguments.has("--kill");
    if (wait && kill) {
      throw new UsageException("--wait and --kill exclude each other");
    }
    Json answer;
    // A connection from before tells when it ends: whatever comes later may find nobody.
    try (InputStream events = api.open(Api.path("events"))) {
      answer =
          api.post(Api.path("shutdown") + "?jobs=" + (wait ? "wait" : kill ? "kill" : "leave"));
      awaitEnd(events, wait, surroundings);
    }
    awaitSilence(api);
    if (wantsJson(arguments)) {
      return json(answer, surroundings);
    }
    surroundings.out().line("the daemon has ended");
    return ExitCode.OK;
  }

  private static void awaitEnd(InputStream events, boolean wait, Surroundings surroundings)
      throws IOException {
    Thread reader = Thread.ofVirtual().start(() -> readToEnd(events));
    try (Progress progress = new Progress(surroundings)) {
      while (reader.isAlive()) {
        progress.show(wait ? "waiting for what runs to end" : "the daemon is stopping");
      }
    }
  }

  private static void readToEnd(InputStream events) {
    try {
      events.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      // It has ended in the middle of a word.
    }
  }

  /** It answers no more; it is gone when its socket is. */
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
