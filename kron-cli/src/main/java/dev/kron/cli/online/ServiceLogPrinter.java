package dev.kron.cli.online;

import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.UsageException;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Surroundings;
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
    for (String option : List.of("--since", "--stdout", "--stderr")) {
      if (arguments.has(option)) {
        throw new UsageException(option + " is for jobs: a service has one log");
      }
    }
    String instance = String.valueOf(source.instance());
    String path =
        Api.path("services", source.word(), "logs")
            + "?"
            + Api.parameter("instance", instance)
            + "&";
    String tail = LogsCommand.tail(arguments, 1);
    String begin = tail.isEmpty() ? "" : tail.substring(1) + "&";
    boolean follow = arguments.has("-f");
    try (InputStream in = follow ? new FollowedLog(api, path, begin) : api.open(path + begin)) {
      LogsCommand.announceTail(in, arguments, surroundings);
      boolean asJson = OnlineCommand.wantsJson(arguments);
      String id = source.name();
      if (asJson && !follow) {
        JsonWriter json = surroundings.out().json();
        json.beginObject().member("instance", id);
        json.member("log", new String(in.readAllBytes(), StandardCharsets.UTF_8));
        json.endObject().end();
      } else {
        Output out = surroundings.out();
        new Follower(api, List.of(), out, asJson, LogsCommand.lines(arguments), source.prefix())
            .copy(in, new Follower.Origin("instance", id, null));
      }
    }
  }
}
