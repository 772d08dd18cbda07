package dev.kron.cli.line;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A declaration as a page of the manual, in the language of {@code man}. */
public final class ManPage {
  private final StringBuilder page = new StringBuilder();

  /**
   * @param title how the page is called, as in {@code man title}
   */
  public ManPage(String title, int section, String version, String summary) {
    request(".TH", title.toUpperCase(Locale.ROOT), "" + section, "", "kron " + version, "Kron");
    heading("Name");
    page.append(text(title)).append(" \\- ").append(text(summary)).append('\n');
  }

  /** All there is to know about one command. */
  public ManPage command(CommandSpec spec) {
    heading("Synopsis");
    page.append(".nf\n");
    spec.synopsis().forEach(this::line);
    page.append(".fi\n");
    if (!spec.description().isEmpty()) {
      heading("Description");
      spec.description().forEach(this::paragraph);
    }
    heading("Options");
    Operand operand = spec.operand();
    if (operand != null) {
      item(operand.name(), operand.help());
    }
    spec.options().forEach(option -> item(option.usage(), option.help()));
    item(Option.HELP.usage(), Option.HELP.help());
    if (!spec.examples().isEmpty()) {
      heading("Examples");
      spec.examples().forEach(example -> item(example.line(), example.purpose()));
    }
    if (!spec.exits().isEmpty()) {
      heading("Exit status");
      spec.exits().forEach(exit -> item("" + exit.code(), exit.meaning()));
    }
    return this;
  }

  public ManPage heading(String title) {
    request(".SH", title);
    return this;
  }

  public ManPage paragraph(String text) {
    page.append(".PP\n");
    if (text.startsWith(" ")) {
      page.append(".nf\n");
      text.lines().forEach(this::line);
      page.append(".fi\n");
    } else {
      line(text);
    }
    return this;
  }

  /** A word and what it means. */
  public ManPage item(String word, String meaning) {
    page.append(".TP\n");
    request(".B", word);
    line(meaning);
    return this;
  }

  /** A page of the documentation, without its title. */
  public ManPage markdown(String markdown) {
    page.append(ManText.of(markdown));
    return this;
  }

  /** Other pages, as {@code name(section)}. */
  public ManPage seeAlso(List<String> pages) {
    heading("See also");
    line(String.join(", ", pages));
    return this;
  }

  @Override
  public String toString() {
    return page.toString();
  }

  private void request(String name, String... words) {
    List<String> all = new ArrayList<>(List.of(name));
    for (String word : words) {
      all.add('"' + text(word).replace("\"", "\\(dq") + '"');
    }
    page.append(String.join(" ", all)).append('\n');
  }

  private void line(String line) {
    // A dot or quote at the begin of a line would be a request.
    page.append("\\&").append(text(line)).append('\n');
  }

  static String text(String text) {
    return text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq");
  }
}
