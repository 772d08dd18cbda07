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
      boolean named = arguments.operands().contains(word);
      sources.addAll(named ? meant(api, word, arguments.has("--run")) : instances(api, word));
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

  /**
   * @param job whether only a job can be meant
   */
  private static List<LogSource> meant(Api api, String word, boolean job) throws IOException {
    if (job || find(api, word) == null) {
      return List.of(new LogSource(word, null, ""));
    }
    ServiceWords.refuseBoth(word, api.find(Api.path("jobs", word)), find(api, word));
    return instances(api, word);
  }

  private static @Nullable Json find(Api api, String word) throws IOException {
    int at = word.lastIndexOf('@');
    return api.find(Api.path("services", at < 0 ? word : word.substring(0, at)));
  }

  private static List<LogSource> instances(Api api, String word) throws IOException {
    int at = word.lastIndexOf('@');
    if (at >= 0) {
      return List.of(new LogSource(word.substring(0, at), word.substring(at + 1), ""));
    }
    List<LogSource> all = new ArrayList<>();
    for (Json instance : api.get(Api.path("services", word)).list("instances")) {
      String id = instance.text("instance");
      all.add(new LogSource(word, id.substring(id.lastIndexOf('@') + 1), ""));
    }
    return all.isEmpty() ? List.of(new LogSource(word, "0", "")) : all;
  }
}
