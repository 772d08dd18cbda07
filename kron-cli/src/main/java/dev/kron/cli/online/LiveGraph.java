package dev.kron.cli.online;

import dev.kron.cli.graph.Drawing;
import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.Option;
import dev.kron.cli.output.Surroundings;
import dev.kron.json.Json;
import dev.kron.service.Dependencies;
import dev.kron.service.ServiceGraph;
import dev.kron.service.ServiceSpec;
import dev.kron.service.ServiceState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The services of the running daemon as it knows them, each with the state that it is in. */
public final class LiveGraph {
  /** Where the daemon listens. */
  public static final Option SOCKET = Api.SOCKET;

  private LiveGraph() {}

  public static Drawing of(CommandArguments arguments, Surroundings surroundings)
      throws IOException {
    Api api = Api.reach(arguments, surroundings);
    Map<String, Json> services = new HashMap<>();
    for (Json service : api.get(Api.path("services")).list("services")) {
      services.put(service.text("name"), service);
    }
    List<ServiceSpec> specs = new ArrayList<>();
    Map<String, String> symbols = new HashMap<>();
    for (Json node : api.get(Api.path("graph")).list("services")) {
      Json service = services.get(node.text("name"));
      if (service != null) {
        specs.add(spec(node, service));
        symbols.put(node.text("name"), symbol(node.text("state")));
      }
    }
    return new Drawing(ServiceGraph.of(specs), symbols);
  }

  private static String symbol(String state) {
    for (ServiceState.Kind kind : ServiceState.Kind.values()) {
      if (kind.text().equals(state)) {
        return kind.symbol();
      }
    }
    return "[" + state + "]"; // of a daemon that knows more than we do
  }

  /** As much of a service as is drawn. */
  private static ServiceSpec spec(Json node, Json service) {
    String name = node.text("name");
    ServiceSpec.Type type = ServiceSpec.Type.valueOf(service.text("type").toUpperCase(Locale.ROOT));
    var dependencies =
        new Dependencies(
            node.texts("requires"),
            node.texts("wants"),
            node.texts("after"),
            // The daemon tells them both ways; one line is enough.
            node.texts("conflicts").stream().filter(other -> name.compareTo(other) < 0).toList());
    return ServiceSpec.builder(
            name, type, type == ServiceSpec.Type.TARGET ? List.of() : List.of(name))
        .line(0)
        .instances(Math.max(1, service.list("instances").size()))
        .description(service.get("description").isNull() ? null : service.text("description"))
        .dependencies(dependencies)
        .build();
  }
}
