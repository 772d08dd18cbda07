package dev.kron.cli.graph;

import dev.kron.cli.output.Output;
import dev.kron.cli.output.Style;
import dev.kron.service.GraphProblem.Relation;
import dev.kron.service.ServiceSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A graph for a terminal: trees that begin with services that no other needs. A service is shown
 * with its dependencies once.
 */
public final class GraphText {
  private final Drawing drawing;
  private final Output out;
  private final Set<String> unfolded = new HashSet<>();
  private final String branch;
  private final String lastBranch;
  private final String trunk;

  /** One line below a service. */
  private record Link(String name, Relation relation) {
    boolean isNeed() {
      return relation == Relation.REQUIRES || relation == Relation.WANTS;
    }
  }

  public GraphText(Drawing drawing, Output out) {
    this.drawing = drawing;
    this.out = out;
    this.branch = out.unicode() ? "├─ " : "|- ";
    this.lastBranch = out.unicode() ? "└─ " : "`- ";
    this.trunk = out.unicode() ? "│  " : "|  ";
  }

  public void print() throws IOException {
    Set<String> needed = new HashSet<>();
    for (ServiceSpec service : drawing.services()) {
      needed.addAll(drawing.named(service, Relation.REQUIRES));
      needed.addAll(drawing.named(service, Relation.WANTS));
    }
    for (ServiceSpec service : drawing.services()) {
      if (!needed.contains(service.name())) {
        tree(service);
      }
    }
    // Those that want each other in a circle, which is legal, hang on nothing.
    for (ServiceSpec service : drawing.services()) {
      if (!unfolded.contains(service.name())) {
        tree(service);
      }
    }
    if (drawing.services().isEmpty()) {
      out.line("no services");
    }
  }

  private void tree(ServiceSpec service) throws IOException {
    line("", service.name(), "", false);
    unfold("", service);
  }

  private void unfold(String indent, ServiceSpec service) throws IOException {
    unfolded.add(service.name());
    List<Link> links = links(service);
    for (int i = 0; i < links.size(); i++) {
      Link link = links.get(i);
      boolean last = i == links.size() - 1;
      ServiceSpec other = drawing.graph().services().get(link.name());
      boolean again = link.isNeed() && unfolded.contains(link.name()) && hasLinks(other);
      line(indent + (last ? lastBranch : branch), link.name(), word(link.relation()), again);
      if (other != null && link.isNeed() && !unfolded.contains(link.name())) {
        unfold(indent + (last ? "   " : trunk), other);
      }
    }
  }

  private boolean hasLinks(@org.jspecify.annotations.Nullable ServiceSpec service) {
    return service != null && !links(service).isEmpty();
  }

  private List<Link> links(ServiceSpec service) {
    List<Link> links = new ArrayList<>();
    for (Relation relation : Relation.values()) {
      for (String name : drawing.named(service, relation)) {
        links.add(new Link(name, relation));
      }
    }
    return links;
  }

  private static String word(Relation relation) {
    return switch (relation) {
      case REQUIRES -> "";
      case WANTS -> "wanted";
      case AFTER -> "before it";
      case CONFLICTS -> "conflicts";
    };
  }

  private void line(String branches, String name, String relation, boolean again)
      throws IOException {
    String symbol = drawing.symbol(name);
    out.print(branches);
    out.styled(style(symbol), symbol);
    out.print(" " + name);
    ServiceSpec service = drawing.graph().services().get(name);
    List<String> notes = new ArrayList<>();
    if (service != null && !Drawing.kind(service).isEmpty()) {
      notes.add(Drawing.kind(service));
    }
    if (!relation.isEmpty()) {
      notes.add(relation);
    }
    if (again) {
      notes.add("see above");
    }
    out.line(notes.isEmpty() ? "" : " (" + String.join(", ", notes) + ")");
  }

  private static Style style(String symbol) {
    return switch (Drawing.stateOf(symbol)) {
      case "running" -> Style.GREEN;
      case "failed" -> Style.RED;
      case "inactive", "exited" -> Style.DIM;
      default -> Style.YELLOW;
    };
  }
}
