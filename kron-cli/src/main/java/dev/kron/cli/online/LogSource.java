package dev.kron.cli.online;

import dev.kron.cli.line.CommandArguments;
import dev.kron.json.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job, or an instance of a service, whose output is shown.
 *
 * @param word as it was written: a job
 * @param instance of a service, by its number; null for a job
 * @param prefix before each line; empty where there is only one source
 */
record LogSource(String word, @Nullable String instance, String prefix) {
  boolean isService() {
    return instance != null;
  }

  String name() {
    return instance == null ? word : word + "@" + instance;
  }

  /** What the words mean: a service without a number means all its instances. */
  static List<LogSource> of(Api api, CommandArguments arguments) throws IOException {
    List<LogSource> sources = new ArrayList<>();
    for (String word : ServiceWords.expanded(api, arguments.operands())) {
      sources.addAll(meant(api, word, arguments.has("--run")));
    }
    if (sources.size() == 1) {
      return sources;
    }
    int width = sources.stream().mapToInt(source -> source.name().length()).max().orElse(0);
    return sources.stream()
        .map(
            source ->
                new LogSource(
                    source.word(),
                    source.instance(),
                    source.name() + " ".repeat(width - source.name().length()) + " | "))
        .toList();
  }

  /** A job comes before a service by the same name. */
  private static List<LogSource> meant(Api api, String word, boolean job) throws IOException {
    int at = word.lastIndexOf('@');
    String name = at < 0 ? word : word.substring(0, at);
    Json service = job ? null : api.find(Api.path("services", name));
    if (service == null || api.find(Api.path("jobs", word)) != null) {
      return List.of(new LogSource(word, null, ""));
    }
    if (at >= 0) {
      return List.of(new LogSource(name, word.substring(at + 1), ""));
    }
    List<LogSource> all = new ArrayList<>();
    for (Json instance : service.list("instances")) {
      String id = instance.text("instance");
      all.add(new LogSource(name, id.substring(id.lastIndexOf('@') + 1), ""));
    }
    return all.isEmpty() ? List.of(new LogSource(name, "0", "")) : all;
  }
}
