package dev.kron.cli.graph;

import dev.kron.cli.output.Output;
import dev.kron.json.JsonWriter;
import dev.kron.service.GraphProblem.Relation;
import dev.kron.service.ServiceSpec;
import java.io.IOException;
import java.util.Locale;

/** A graph for programs: {@code {"services": [...], "startOrder": [...]}}. */
public final class GraphJson {
  private GraphJson() {}

  public static void write(Drawing drawing, Output out) throws IOException {
    JsonWriter json = out.json();
    json.beginObject().name("services").beginArray();
    for (ServiceSpec service : drawing.services()) {
      json.beginObject();
      json.member("name", service.name());
      json.member("type", service.type().name().toLowerCase(Locale.ROOT));
      json.member("state", Drawing.stateOf(drawing.symbol(service.name())));
      json.member("instances", service.instances());
      json.member("autostart", service.autostart());
      json.member("file", service.file());
      for (Relation relation : Relation.values()) {
        json.name(relation.key()).beginArray();
        for (String name : drawing.named(service, relation)) {
          json.value(name);
        }
        json.endArray();
      }
      json.endObject();
    }
    json.endArray().name("startOrder").beginArray();
    for (String name : drawing.graph().startOrder()) {
      json.value(name);
    }
    json.endArray().endObject().end();
  }
}
