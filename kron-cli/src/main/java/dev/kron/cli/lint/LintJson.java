package dev.kron.cli.lint;

import dev.kron.cli.output.Output;
import dev.kron.config.Diagnostic;
import dev.kron.config.Diagnostic.Severity;
import dev.kron.json.JsonWriter;
import java.io.IOException;
import java.util.List;

/** Findings for programs: {@code {"files": [...]}}. */
public final class LintJson implements LintReport {
  private final JsonWriter json;

  public LintJson(Output out) {
    this.json = out.json();
  }

  @Override
  public void begin() throws IOException {
    json.beginObject().name("files").beginArray();
  }

  @Override
  public void file(String file, boolean valid, int jobs, int services, List<Diagnostic> findings)
      throws IOException {
    json.beginObject();
    json.member("file", file);
    json.member("valid", valid);
    list("errors", findings, Severity.ERROR);
    list("warnings", findings, Severity.WARNING);
    json.endObject();
  }

  @Override
  public void passedOver(Diagnostic finding) throws IOException {
    file(finding.file(), true, 0, 0, List.of(finding));
  }

  @Override
  public void end() throws IOException {
    json.endArray().endObject().end();
  }

  private void list(String name, List<Diagnostic> findings, Severity severity) throws IOException {
    json.name(name).beginArray();
    for (Diagnostic finding : findings) {
      if (finding.severity() == severity) {
        json.beginObject();
        json.member("line", finding.line());
        json.member("column", finding.column());
        json.member("message", finding.message());
        json.endObject();
      }
    }
    json.endArray();
  }
}
