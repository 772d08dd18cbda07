package dev.kron.cli.graph;

import dev.kron.cli.output.Output;
import dev.kron.service.GraphProblem.Relation;
import dev.kron.service.ServiceSpec;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/**
 * A graph as one self-contained SVG: no script, no font, nothing to load; readable on a light and
 * on a dark page. Services that start first are on the left; an arrow points to the required
 * service.
 */
public final class GraphSvg {
  private static final int BOX_WIDTH = 168;
  private static final int BOX_HEIGHT = 44;
  private static final int COLUMN = BOX_WIDTH + 88;
  private static final int ROW = BOX_HEIGHT + 24;
  private static final int LEFT = 24;
  private static final int TOP = 92;
  private static final int MOST_LETTERS = 18;

  private static final String CSS =
      """
        svg { background: #ffffff; font: 13px system-ui, sans-serif; }
        text { fill: #24292f; }
        .title { font-size: 18px; font-weight: 600; }
        .kind { font-size: 11px; fill: #57606a; }
        .symbol { font-family: ui-monospace, monospace; }
        rect { fill: #f6f8fa; stroke: #57606a; stroke-width: 1.2; }
        .inner { fill: none; stroke-width: 0.8; }
        path { fill: none; stroke: #57606a; stroke-width: 1.4; }
        .wants { stroke-dasharray: 7 4; }
        .after { stroke-dasharray: 1.5 4; }
        .conflicts { stroke: #cf222e; }
        .running rect { stroke: #1a7f37; } .running .symbol { fill: #1a7f37; }
        .failed rect { stroke: #cf222e; } .failed .symbol { fill: #cf222e; }
        .starting .symbol, .stopping .symbol, .blocked .symbol { fill: #9a6700; }
        marker path { fill: #57606a; stroke: none; }
        @media (prefers-color-scheme: dark) {
          svg { background: #0d1117; }
          text { fill: #e6edf3; }
          .kind { fill: #8b949e; }
          rect { fill: #161b22; stroke: #8b949e; }
          .inner { fill: none; }
          path { stroke: #8b949e; }
          .conflicts { stroke: #ff7b72; }
          .running rect { stroke: #3fb950; } .running .symbol { fill: #3fb950; }
          .failed rect { stroke: #ff7b72; } .failed .symbol { fill: #ff7b72; }
          .starting .symbol, .stopping .symbol, .blocked .symbol { fill: #d29922; }
          marker path { fill: #8b949e; stroke: none; }
        }
      """;

  private final Drawing drawing;
  private final Output out;
  private final Layout layout;

  public GraphSvg(Drawing drawing, Output out) {
    this.drawing = drawing;
    this.out = out;
    this.layout = new Layout(drawing);
  }

  public void print() throws IOException {
    int count = drawing.services().size();
    String title = count + (count == 1 ? " service" : " services");
    int width =
        Math.max(520, 2 * LEFT + Math.max(1, layout.columns()) * COLUMN - (COLUMN - BOX_WIDTH));
    int height = TOP + (int) Math.ceil(layout.rows() * ROW) + LEFT;
    out.line(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%s\" height=\"%s\" viewBox=\"0 0 %s %s\" role=\"img\" aria-labelledby=\"title description\">"
            .formatted(width, height, width, height));
    out.line("  <title id=\"title\">" + title + "</title>");
    out.line(
        "  <desc id=\"description\">In the order of starting: "
            + String.join(", ", drawing.graph().startOrder())
            + "</desc>");
    out.line("  <style>");
    for (String line : CSS.split("\n")) {
      out.line("  " + line);
    }
    out.line("  </style>");
    out.line(
        "  <defs><marker id=\"needs\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\""
            + " markerHeight=\"7\" orient=\"auto-start-reverse\"><path d=\"M0 0 L8 4 L0 8"
            + " z\"/></marker></defs>");
    out.line("  <text class=\"title\" x=\"%s\" y=\"32\">%s</text>".formatted(LEFT, title));
    legend();
    links();
    for (ServiceSpec service : drawing.services()) {
      box(service);
    }
    out.line("</svg>");
  }

  private void legend() throws IOException {
    int x = LEFT;
    for (Relation relation : Relation.values()) {
      out.line(
          "  <path class=\"%s\" d=\"M%s 56 h32\"%s/><text class=\"kind\" x=\"%s\" y=\"60\">%s</text>"
              .formatted(relation.key(), x, marker(relation, "end"), x + 38, relation.key()));
      x += 116;
    }
  }

  private static String marker(Relation relation, String head) {
    return relation == Relation.CONFLICTS ? "" : " marker-%s=\"url(#needs)\"".formatted(head);
  }

  private void links() throws IOException {
    for (Layout.Route route : layout.routes()) {
      Layout.Node first = route.nodes().getFirst();
      Layout.Node last = route.nodes().getLast();
      String way = first.column == last.column ? beside(first, last) : curve(route.nodes());
      path(route.relation(), way, route.leftwards() ? "end" : "start");
    }
  }

  /**
   * @param head the end of the path at which the required service is
   */
  private void path(Relation relation, String way, String head) throws IOException {
    out.line(
        "  <path class=\"%s\" d=\"%s\"%s/>".formatted(relation.key(), way, marker(relation, head)));
  }

  private static String curve(List<Layout.Node> way) {
    double x = x(way.getFirst().column);
    double y = middle(way.getFirst());
    StringBuilder path = new StringBuilder("M" + number(x) + " " + number(y));
    for (int i = 1; i < way.size(); i++) {
      Layout.Node next = way.get(i);
      double toX = x(next.column) + BOX_WIDTH;
      double toY = middle(next);
      double bend = (x - toX) / 2;
      path.append(
          " C%s %s %s %s %s %s"
              .formatted(
                  number(x - bend),
                  number(y),
                  number(toX + bend),
                  number(toY),
                  number(toX),
                  number(toY)));
      x = toX;
      y = toY;
      if (i < way.size() - 1) {
        x = x(next.column);
        path.append(" H").append(number(x));
      }
    }
    return path.toString();
  }

  /** Between two of one column: out to the right and back. */
  private static String beside(Layout.Node from, Layout.Node to) {
    double x = x(from.column) + BOX_WIDTH;
    return "M%s %s C%s %s %s %s %s %s"
        .formatted(
            number(x),
            number(middle(from)),
            number(x + 40),
            number(middle(from)),
            number(x + 40),
            number(middle(to)),
            number(x),
            number(middle(to)));
  }

  private void box(ServiceSpec service) throws IOException {
    Layout.Node node = layout.nodes().get(service.name());
    if (node == null) {
      return;
    }
    String symbol = drawing.symbol(service.name());
    String kind = Drawing.kind(service);
    double x = x(node.column);
    double y = TOP + node.row * ROW;
    double textY = y + (kind.isEmpty() ? 27 : 20);
    out.line("  <g class=\"" + Drawing.stateOf(symbol) + "\">");
    out.line("    <title>" + escaped(service) + "</title>");
    rect("", x, y, 0);
    if (service.isTarget()) {
      rect(" class=\"inner\"", x, y, 3);
    }
    out.line(
        "    <text class=\"symbol\" x=\"%s\" y=\"%s\">%s</text>"
            .formatted(number(x + 12), number(textY), symbol.replace(">", "&gt;")));
    out.line(
        "    <text x=\"%s\" y=\"%s\">%s</text>"
            .formatted(number(x + 44), number(textY), shortened(service.name())));
    if (!kind.isEmpty()) {
      out.line(
          "    <text class=\"kind\" x=\"%s\" y=\"%s\">%s</text>"
              .formatted(number(x + 44), number(y + 35), kind));
    }
    out.line("  </g>");
  }

  private void rect(String attributes, double x, double y, int inset) throws IOException {
    out.line(
        "    <rect%s x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" rx=\"7\"/>"
            .formatted(
                attributes,
                number(x + inset),
                number(y + inset),
                BOX_WIDTH - 2 * inset,
                BOX_HEIGHT - 2 * inset));
  }

  private static String escaped(ServiceSpec service) {
    String description = service.description();
    String text = description == null ? service.name() : service.name() + ": " + description;
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private static String shortened(String name) {
    return name.length() <= MOST_LETTERS ? name : name.substring(0, MOST_LETTERS - 1) + "…";
  }

  private static double x(int column) {
    return LEFT + column * (double) COLUMN;
  }

  private static double middle(Layout.Node node) {
    return TOP + node.row * ROW + BOX_HEIGHT / 2.0;
  }

  private static String number(double value) {
    String text = String.format(Locale.ROOT, "%.1f", value);
    return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
  }
}
