package dev.kron;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A page of the documentation that shows a machine: its diagram, then the table of its events. */
public final class MachinePage {
  private final String heading;
  private final Map<String, List<String>> arrows = new LinkedHashMap<>();
  private final StringBuilder rows = new StringBuilder();

  public MachinePage(String heading) {
    this.heading = heading;
  }

  /** Draws an arrow of the diagram, or gives one that is there another label. */
  public void arrow(Object from, Object to, String label) {
    arrows.computeIfAbsent(from + " --> " + to, arrow -> new ArrayList<>()).add(label);
  }

  /** Adds a row to the table; the first names its columns. */
  public void row(Object... cells) {
    boolean first = rows.isEmpty();
    for (Object cell : cells) {
      rows.append("| ").append(cell).append(' ');
    }
    rows.append("|\n");
    if (first) {
      rows.append("| ---".repeat(cells.length).replace("-|", "- |")).append(" |\n");
    }
  }

  /** Compares the page with the file in the documentation, or writes that anew where asked to. */
  public void check(String file, String ending) throws IOException {
    Path page = Path.of(System.getProperty("kron.root", ".."), "docs", file);
    String drawn = draw() + ending;
    if (Boolean.getBoolean("kron.update")) {
      Files.writeString(page, drawn);
    }
    assertEquals(
        Files.exists(page) ? Files.readString(page) : "(no such file)",
        drawn,
        page + " is not what the machine does; make it anew with -Dkron.update=true");
  }

  private String draw() {
    var page = new StringBuilder(heading);
    arrows.forEach(
        (arrow, labels) ->
            page.append("    ")
                .append(arrow)
                .append(" : ")
                .append(String.join("<br/>", labels))
                .append('\n'));
    return page.append("```\n\n").append(rows).toString();
  }
}
