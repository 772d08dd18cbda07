package dev.kron.cli.online;

import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.RefusedException;
import dev.kron.cli.output.Surroundings;
import dev.kron.json.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Names that a shell may offer; none where no daemon answers. */
public final class OnlineNames {
  private OnlineNames() {}

  /**
   * @param kind jobs, services, or anything for both and the runs that go on
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
      if (kind.equals("anything")) {
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
}
