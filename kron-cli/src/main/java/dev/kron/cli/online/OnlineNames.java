package dev.kron.cli.online;

import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.RefusedException;
import dev.kron.cli.output.Surroundings;
import dev.kron.json.Json;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Names that a shell may offer; none where no daemon answers. */
public final class OnlineNames {
  private static final String SUFFIX = ".env";

  private OnlineNames() {}

  /**
   * @param kind jobs, services, runs, profiles, or anything for all but profiles
   */
  public static List<String> of(String kind, CommandArguments arguments, Surroundings surroundings)
      throws IOException {
    List<String> names = new ArrayList<>();
    try {
      Api api = Api.reach(arguments, surroundings);
      for (String list : List.of("jobs", "services")) {
        if (kind.equals(list) || kind.equals("anything")) {
          for (Json one : api.get(Api.path(list)).list(list)) {
            names.add(one.text("name"));
            List<Json> instances = one.list("instances");
            if (instances.size() > 1) {
              instances.forEach(instance -> names.add(instance.text("instance")));
            }
          }
        }
      }
      if (kind.equals("profiles")) {
        names.addAll(profiles(api));
      }
      if (kind.equals("anything") || kind.equals("runs")) {
        for (Json run : api.get(Api.path("runs") + "?limit=20").list("runs")) {
          names.add(run.text("runId"));
        }
      }
    } catch (RefusedException e) {
      return List.of(); // whoever presses Tab wants no message
    }
    names.removeIf(String::isEmpty);
    return names;
  }

  /** Profiles beside the first service's file, as far as this user may look there. */
  private static List<String> profiles(Api api) throws IOException {
    List<String> names = new ArrayList<>();
    List<Json> services = api.get(Api.path("services")).list("services");
    if (services.isEmpty()) {
      return names;
    }
    Json first = api.get(Api.path("services", services.getFirst().text("name")));
    Path place = Path.of(first.get("entry").text("file")).resolveSibling("credentials");
    try (DirectoryStream<Path> files = Files.newDirectoryStream(place, "*" + SUFFIX)) {
      for (Path file : files) {
        String name = file.getFileName().toString();
        names.add(name.substring(0, name.length() - SUFFIX.length()));
      }
    } catch (IOException e) {
      return List.of();
    }
    names.sort(null);
    return names;
  }
}
