package dev.kron.cli.line;

import dev.kron.cli.output.Folded;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Style;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A declaration, for the person who asks. */
public final class HelpText {
  private static final int INDENT = 2;

  private HelpText() {}

  /** Prints all there is to know about one command. */
  public static void print(CommandSpec spec, Output out) throws IOException {
    wrap(out, "", "kron " + spec.name() + ": " + spec.summary(), 0, INDENT);
    out.line();
    heading(out, "Usage");
    for (String form : spec.synopsis()) {
      wrap(out, "", form, INDENT, INDENT + 4);
    }
    for (String paragraph : spec.description()) {
      out.line();
      if (paragraph.startsWith(" ")) {
        out.line(paragraph);
      } else {
        wrap(out, "", paragraph, 0, 0);
      }
    }
    out.line();
    heading(out, "Options");
    table(out, rows(spec));
    if (!spec.examples().isEmpty()) {
      out.line();
      heading(out, "Examples");
      for (CommandSpec.Example example : spec.examples()) {
        out.print("  ");
        out.styled(Style.DIM, "# " + example.purpose());
        out.line();
        out.line("  " + example.line());
      }
    }
    if (!spec.exits().isEmpty()) {
      out.line();
      heading(out, "Exit codes");
      List<Row> rows = new ArrayList<>();
      spec.exits().forEach(exit -> rows.add(new Row("" + exit.code(), exit.meaning())));
      table(out, rows);
    }
  }

  private static List<Row> rows(CommandSpec spec) {
    List<Row> rows = new ArrayList<>();
    Operand operand = spec.operand();
    if (operand != null) {
      rows.add(new Row(operand.name(), operand.help()));
    }
    spec.options().forEach(option -> rows.add(new Row(option.usage(), option.help())));
    rows.add(new Row(Option.HELP.usage(), Option.HELP.help()));
    return rows;
  }

  /** What stands left and right in a table. */
  public record Row(String left, String right) {}

  /** Prints two columns, the right one wrapped. */
  public static void table(Output out, List<Row> rows) throws IOException {
    int width = 0;
    for (Row row : rows) {
      width = Math.max(width, row.left().length());
    }
    int column = Math.min(width, 24) + INDENT + 2;
    for (Row row : rows) {
      String left = " ".repeat(INDENT) + row.left();
      if (left.length() + 2 > column) {
        out.line(left);
        left = "";
      }
      wrap(out, left + " ".repeat(column - left.length()), row.right(), 0, column);
    }
  }

  public static void heading(Output out, String text) throws IOException {
    out.styled(Style.BOLD, text);
    out.line();
  }

  private static void wrap(Output out, String lead, String text, int first, int rest)
      throws IOException {
    for (String line : Folded.lines(lead + " ".repeat(first), text, rest, out.width())) {
      out.line(line);
    }
  }
}
