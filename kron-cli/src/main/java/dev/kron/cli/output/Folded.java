package dev.kron.cli.output;

import java.util.ArrayList;
import java.util.List;

/** Text that is broken between words, so that it fits. */
public final class Folded {
  private Folded() {}

  /**
   * The lines of a text.
   *
   * @param lead what stands before it in the first line
   * @param rest by how much the lines after that are indented
   */
  public static List<String> lines(String lead, String text, int rest, int width) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder(lead);
    int start = line.length();
    for (String word : text.split(" ")) {
      if (line.length() > start && line.length() + 1 + word.length() > width) {
        start = next(lines, line, rest);
      }
      if (line.length() > start) {
        line.append(' ');
      }
      String left = word;
      while (line.length() + left.length() > width && width > rest) {
        int room = Math.max(0, width - line.length());
        line.append(left, 0, room);
        left = left.substring(room);
        start = next(lines, line, rest);
      }
      line.append(left);
    }
    lines.add(line.toString());
    return lines;
  }

  private static int next(List<String> lines, StringBuilder line, int indent) {
    lines.add(line.toString());
    line.setLength(0);
    line.append(" ".repeat(indent));
    return indent;
  }
}
