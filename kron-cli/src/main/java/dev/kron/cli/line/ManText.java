package dev.kron.cli.line;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A page of the documentation in the language of {@code man}: the Markdown that our pages use
 * (headings, paragraphs, lists, tables, code), and no more of it.
 */
final class ManText {
  private static final String FENCE = "```";
  private static final String INDENT = "    ";
  private static final Pattern INLINE =
      Pattern.compile("`([^`]+)`|\\*\\*(.+?)\\*\\*|\\*([^*]+)\\*|\\[([^\\]]+)\\]\\([^)]+\\)");
  private static final Pattern CELL_END = Pattern.compile("(?<!\\\\)\\|");

  private final List<String> lines;
  private final StringBuilder page = new StringBuilder();
  private int at;

  private ManText(String markdown) {
    this.lines = markdown.lines().toList();
  }

  static String of(String markdown) {
    var text = new ManText(markdown);
    while (text.at < text.lines.size()) {
      text.block();
    }
    return text.page.toString();
  }

  private void block() {
    String line = lines.get(at);
    if (line.isBlank() || line.startsWith("# ")) {
      at++; // the title stands at the head of the page already
    } else if (line.startsWith("#")) {
      at++;
      String title = line.substring(line.indexOf(' ') + 1).replace("`", "");
      page.append(line.startsWith("###") ? ".SS \"" : ".SH \"");
      page.append(ManPage.text(title).replace("\"", "\\(dq")).append("\"\n");
    } else if (line.startsWith(FENCE)) {
      at++;
      code(0);
      at++;
    } else if (line.startsWith(INDENT)) {
      code(INDENT.length());
    } else if (line.startsWith("|")) {
      table();
    } else if (line.startsWith("- ")) {
      page.append(".IP \\(bu 2\n");
      at++;
      page.append("\\&").append(inline(joined(line.substring(2)))).append('\n');
    } else {
      at++;
      page.append(".PP\n\\&").append(inline(joined(line))).append('\n');
    }
  }

  /** This line and those that go on with it. */
  private String joined(String first) {
    var text = new StringBuilder(first.strip());
    while (at < lines.size() && goesOn(lines.get(at))) {
      text.append(' ').append(lines.get(at++).strip());
    }
    return text.toString();
  }

  private static boolean goesOn(String line) {
    return !line.isBlank()
        && !line.startsWith("- ")
        && !line.startsWith("#")
        && !line.startsWith("|")
        && !line.startsWith(FENCE);
  }

  /** Lines as they are: up to the next fence, or as long as they are indented. */
  private void code(int indent) {
    page.append(".PP\n.RS 4\n.nf\n");
    while (at < lines.size()
        && (indent == 0 ? !lines.get(at).startsWith(FENCE) : lines.get(at).startsWith(INDENT))) {
      page.append("\\&").append(ManPage.text(lines.get(at++).substring(indent))).append('\n');
    }
    page.append(".fi\n.RE\n");
  }

  /** A row is an item: its first cell, then the others, from the third on with their headings. */
  private void table() {
    List<String> headings = cells(lines.get(at));
    at += 2;
    while (at < lines.size() && lines.get(at).startsWith("|")) {
      List<String> cells = cells(lines.get(at++));
      page.append(".TP\n\\&").append(inline(cells.getFirst())).append("\n\\&");
      for (int i = 1; i < cells.size(); i++) {
        if (i > 1 && !cells.get(i).isEmpty()) {
          page.append("; ").append(inline(headings.get(i))).append(": ");
        }
        page.append(inline(cells.get(i)));
      }
      page.append('\n');
    }
  }

  private static List<String> cells(String row) {
    List<String> cells = new ArrayList<>();
    for (String cell : CELL_END.split(row.strip().substring(1))) {
      cells.add(cell.strip().replace("\\|", "|"));
    }
    return cells;
  }

  private static String inline(String text) {
    var line = new StringBuilder();
    Matcher mark = INLINE.matcher(text);
    int end = 0;
    while (mark.find()) {
      line.append(ManPage.text(text.substring(end, mark.start())));
      if (mark.group(1) != null) {
        line.append("\\fB").append(ManPage.text(mark.group(1))).append("\\fR");
      } else if (mark.group(2) != null) {
        line.append("\\fB").append(ManPage.text(mark.group(2).replace("`", ""))).append("\\fR");
      } else if (mark.group(3) != null) {
        line.append("\\fI").append(ManPage.text(mark.group(3))).append("\\fR");
      } else {
        line.append(inline(mark.group(4)));
      }
      end = mark.end();
    }
    return line.append(ManPage.text(text.substring(end))).toString();
  }
}
