package dev.kron.cli.graph;

import dev.kron.cli.output.Output;
import dev.kron.service.GraphProblem.Relation;
import dev.kron.service.ServiceSpec;
import java.io.IOException;

/** A graph in Graphviz's language; an arrow leads to what is needed. */
public final class GraphDot {
  private GraphDot() {}

  public static void write(Drawing drawing, Output out) throws IOException {
    out.line("digraph services {");
    out.line("  rankdir=RL;");
    out.line("  node [shape=box, style=rounded, fontname=\"sans-serif\"];");
    for (ServiceSpec service : drawing.services()) {
      String kind = Drawing.kind(service);
      out.line(
          "  \"%s\" [label=\"%s %s%s\"%s];"
              .formatted(
                  service.name(),
                  drawing.symbol(service.name()),
                  service.name(),
                  kind.isEmpty() ? "" : "\\n" + kind,
                  service.isTarget() ? ", peripheries=2" : ""));
    }
    for (ServiceSpec service : drawing.services()) {
      for (Relation relation : Relation.values()) {
        for (String name : drawing.named(service, relation)) {
          out.line("  \"%s\" -> \"%s\"%s;".formatted(service.name(), name, look(relation)));
        }
      }
    }
    out.line("}");
  }

  private static String look(Relation relation) {
    return switch (relation) {
      case REQUIRES -> "";
      case WANTS -> " [style=dashed, constraint=false]";
      case AFTER -> " [style=dotted]";
      case CONFLICTS -> " [dir=none, color=red, constraint=false]";
    };
  }
}
