package dev.kron.cli.crontab;

import dev.kron.cli.crontab.CrontabImport.Result;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Style;
import java.io.IOException;

/** The account of an import, for people or for programs. */
public final class ImportReport {
  private ImportReport() {}

  /** One line a finding: {@code crontab:3: differs: backup: ...}. */
  public static void text(String source, Result result, Output out) throws IOException {
    for (Finding finding : result.findings()) {
      out.print(source + ":" + finding.line() + ": ");
      out.styled(style(finding), finding.kind().text());
      out.line(": " + (finding.job().isEmpty() ? "" : finding.job() + ": ") + finding.message());
    }
  }

  private static Style style(Finding finding) {
    return switch (finding.kind()) {
      case LOST -> Style.RED;
      case DIFFERS -> Style.YELLOW;
      case NOTE -> Style.DIM;
    };
  }

  /** {@code {"krontab": "...", "report": [...]}}. */
  public static void json(String krontab, Result result, Output out) throws IOException {
    var json = out.json();
    json.beginObject().member("krontab", krontab).name("report").beginArray();
    for (Finding finding : result.findings()) {
      json.beginObject();
      json.member("line", finding.line());
      json.member("kind", finding.kind().text());
      json.member("job", finding.job().isEmpty() ? null : finding.job());
      json.member("message", finding.message());
      json.endObject();
    }
    json.endArray().endObject().end();
  }
}
