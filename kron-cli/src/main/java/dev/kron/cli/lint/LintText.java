package dev.kron.cli.lint;

import dev.kron.cli.output.Output;
import dev.kron.cli.output.Style;
import dev.kron.config.Diagnostic;
import dev.kron.config.DiagnosticRenderer;
import java.io.IOException;
import java.util.List;

/** Findings for people: each with its place, the line and a caret, and a sum at the end. */
public final class LintText implements LintReport {
  private final Output out;
  private final DiagnosticRenderer renderer;
  private long files;
  private long jobs;
  private long services;
  private long errors;
  private long warnings;

  public LintText(Output out) {
    this.out = out;
    this.renderer = new DiagnosticRenderer(out.width());
  }

  @Override
  public void begin() {}

  @Override
  public void file(String file, boolean valid, int jobs, int services, List<Diagnostic> findings)
      throws IOException {
    this.files++;
    this.jobs += jobs;
    this.services += services;
    for (Diagnostic finding : findings) {
      show(finding);
    }
  }

  @Override
  public void passedOver(Diagnostic finding) throws IOException {
    show(finding);
  }

  private void show(Diagnostic finding) throws IOException {
    if (finding.isError()) {
      errors++;
    } else {
      warnings++;
    }
    String[] lines = renderer.render(finding).split("\n");
    out.styled(finding.isError() ? Style.RED : Style.YELLOW, lines[0]);
    out.line();
    for (int i = 1; i < lines.length; i++) {
      out.line(lines[i]);
    }
  }

  @Override
  public void end() throws IOException {
    String text =
        counted(files, "file")
            + ", "
            + counted(jobs, "job")
            + (services > 0 ? ", " + counted(services, "service") : "")
            + ": "
            + counted(errors, "error")
            + ", "
            + counted(warnings, "warning");
    out.styled(errors > 0 ? Style.RED : warnings > 0 ? Style.YELLOW : Style.GREEN, text);
    out.line();
  }

  private static String counted(long number, String thing) {
    return number + " " + thing + (number == 1 ? "" : "s");
  }
}
