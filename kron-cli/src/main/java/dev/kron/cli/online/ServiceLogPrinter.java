package dev.kron.cli.online;

import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.UsageException;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Surroundings;
import dev.kron.cli.output.Times;
import dev.kron.json.JsonWriter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The output of a service. */
final class ServiceLogPrinter {
  private ServiceLogPrinter() {}

  static void print(
      Api api, LogSource source, CommandArguments arguments, Surroundings surroundings)
      throws IOException {
    for (String option : List.of("--stdout", "--stderr")) {
      if (arguments.has(option)) {
        throw new UsageException(option + " is for jobs: a service has one log");
      }
    }
    Follower.Lines lines = LogsCommand.lines(arguments);
    String instance = String.valueOf(source.instance());
    String path =
        Api.path("services", source.word(), "logs")
            + "?"
            + Api.parameter("instance", instance)
            + "&"
            + lines.query();
    String begin =
        arguments.has("--since")
            ? Api.parameter("since", Times.utc(LogsCommand.since(arguments, surroundings))) + "&"
            : LogsCommand.tail(arguments, 1);
    boolean json = OnlineCommand.wantsJson(arguments);
    String id = source.name();
    Output out = surroundings.out();
    Follower follower = new Follower(api, List.of(), out, json, lines, source.prefix());
    Follower.Origin origin = new Follower.Origin("instance", id, null);
    try (InputStream in = api.open(path + begin)) {
      if (!arguments.has("--since")) {
        LogsCommand.announceTail(in, arguments, surroundings);
      }
      if (!arguments.has("-f")) {
        if (json && !lines.timed()) {
          json(in, id, out);
        } else {
          follower.copy(in, origin);
        }
        return;
      }
    }
    follower.follow(path, begin, origin);
  }

  private static void json(InputStream in, String id, Output out) throws IOException {
    JsonWriter writer = out.json();
    writer.beginObject().member("instance", id);
    writer.member("log", new String(in.readAllBytes(), StandardCharsets.UTF_8));
    writer.endObject().end();
  }
}
