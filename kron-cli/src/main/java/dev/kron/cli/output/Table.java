package dev.kron.cli.output;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows of cells under their headings. On a terminal a row is never wider than that: some columns
 * are left out, then the widest ones give way. Into a file or a pipe nothing is cut.
 */
public final class Table {
  private static final int GAP = 2;
  private static final int NARROWEST = 6;

  /** A column that has so much can be read. */
  private static final int READABLE = 14;

  private final List<String> headings;
  private final List<List<String>> rows = new ArrayList<>();
  private final List<@Nullable Style> styles = new ArrayList<>();
  private List<String> dispensable = List.of();

  public Table(String... headings) {
    this.headings = List.of(headings);
  }

  /** Columns that may be left out where there is no room for all, the first one first. */
  public Table dispensable(String... columns) {
    dispensable = List.of(columns);
    return this;
  }

  public void row(String... cells) {
    styled(null, cells);
  }

  public void styled(@Nullable Style style, String... cells) {
    rows.add(List.of(cells));
    styles.add(style);
  }

  public boolean isEmpty() {
    return rows.isEmpty();
  }

  /** The rows, or where there are none the sentence that says so. */
  public void printOr(String nothing, Output out) throws IOException {
    if (isEmpty()) {
      out.line(nothing);
    } else {
      print(out);
    }
  }

  public void print(Output out) throws IOException {
    print(out, "");
  }

  public void print(Output out, String indent) throws IOException {
    if (out.terminal() && !dispensable.isEmpty() && !isReadable(out.width() - indent.length())) {
      without(dispensable.getFirst()).print(out, indent);
      return;
    }
    int[] widths = widths(out, indent.length());
    out.print(indent);
    line(out, headings, widths, Style.DIM);
    for (int i = 0; i < rows.size(); i++) {
      out.print(indent);
      line(out, rows.get(i), widths, styles.get(i));
    }
  }

  /** Whether nothing has to be left out or cut in so many columns. */
  public boolean fits(int width) {
    int total = GAP * (headings.size() - 1);
    for (int column : measured()) {
      total += column;
    }
    return total <= width;
  }

  private int[] measured() {
    int[] widths = new int[headings.size()];
    measure(widths, headings);
    rows.forEach(row -> measure(widths, row));
    return widths;
  }

  private boolean isReadable(int width) {
    int[] widths = measured();
    int total = GAP * (widths.length - 1);
    for (int column : widths) {
      total += Math.min(column, READABLE);
    }
    return total <= width;
  }

  private Table without(String heading) {
    int left = headings.indexOf(heading);
    Table table = new Table(without(headings, left).toArray(String[]::new));
    table.dispensable = dispensable.subList(1, dispensable.size());
    rows.forEach(row -> table.rows.add(without(row, left)));
    table.styles.addAll(styles);
    return table;
  }

  private static List<String> without(List<String> cells, int left) {
    List<String> rest = new ArrayList<>(cells);
    rest.remove(left);
    return rest;
  }

  private int[] widths(Output out, int indent) {
    int[] widths = measured();
    if (out.terminal()) {
      int total = indent + GAP * (widths.length - 1);
      for (int width : widths) {
        total += width;
      }
      while (total > out.width()) {
        int widest = 0;
        for (int i = 1; i < widths.length; i++) {
          widest = widths[i] > widths[widest] ? i : widest;
        }
        if (widths[widest] <= NARROWEST) {
          break;
        }
        widths[widest]--;
        total--;
      }
    }
    return widths;
  }

  private static void measure(int[] widths, List<String> row) {
    for (int i = 0; i < widths.length; i++) {
      widths[i] = Math.max(widths[i], row.get(i).length());
    }
  }

  private static void line(Output out, List<String> row, int[] widths, @Nullable Style style)
      throws IOException {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String cell = cut(out, row.get(i), widths[i]);
      line.append(cell);
      if (i + 1 < widths.length) {
        line.append(" ".repeat(widths[i] - cell.length() + GAP));
      }
    }
    String text = line.toString().stripTrailing();
    if (style == null) {
      out.print(text);
    } else {
      out.styled(style, text);
    }
    out.line();
  }

  private static String cut(Output out, String cell, int width) {
    if (cell.length() <= width) {
      return cell;
    }
    return out.unicode() ? cell.substring(0, width - 1) + "…" : cell.substring(0, width - 2) + "..";
  }
}
