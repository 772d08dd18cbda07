package dev.kron.cli.online;

import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.UsageException;
import dev.kron.cli.output.Surroundings;
import dev.kron.json.JsonWriter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What a service wrote. */
final class ServiceLogPrinter {
  private ServiceLogPrinter() {}

  private static String name(String word) {
    int at = word.lastIndexOf('@');
    return at < 0 ? word : word.substring(0, at);
  }

  private static String instance(String word) {
    int at = word.lastIndexOf('@');
    return at < 0 ? "0" : word.substring(at + 1);
  }

  /** Whether a word means a service, and no job. */
  static boolean isService(Api api, String word) throws IOException {
    return api.find(Api.path("services", name(word))) != null
        && api.find(Api.path("jobs", word)) == null;
  }

  static int print(Api api, String word, CommandArguments arguments, Surroundings surroundings)
      throws IOException {
    for (String option : List.of("--since", "--stdout", "--stderr")) {
      if (arguments.has(option)) {
        throw new UsageException(option + " is for jobs: a service has one log");
      }
    }
    String query = LogsCommand.tail(arguments, 1);
    String path =
        Api.path("services", name(word), "logs")
            + (query.isEmpty() ? "?" : query + "&")
            + Api.parameter("instance", instance(word))
            + (arguments.has("-f") ? "&follow=true" : "");
    try (InputStream in = api.open(path)) {
      LogsCommand.announceTail(in, arguments, surroundings);
      String id = name(word) + "@" + instance(word);
      boolean asJson = OnlineCommand.wantsJson(arguments);
      if (asJson && !arguments.has("-f")) {
        JsonWriter json = surroundings.out().json();
        json.beginObject().member("instance", id);
        json.member("log", new String(in.readAllBytes(), StandardCharsets.UTF_8));
        json.endObject().end();
      } else {
        new Follower(api, List.of(), surroundings.out(), asJson, LogsCommand.lines(arguments))
            .copy(in, new Follower.Origin("instance", id, null));
      }
    }
    return ExitCode.OK;
  }
}
