package dev.kron.cli.lint;

import dev.kron.cli.output.JsonWriter;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Style;
import dev.kron.config.ConfigFiles.Configuration;
import dev.kron.config.ConfigFiles.PassedOver;
import dev.kron.config.Diagnostic;
import dev.kron.config.Diagnostic.Severity;
import dev.kron.config.DiagnosticRenderer;
import dev.kron.config.Krontab;
import dev.kron.job.JobSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** All that was found in a configuration, file by file. */
public final class LintReport {
  private final Configuration configuration;
  private final Surprises surprises;
  private final Output out;
  private long errors;
  private long warnings;
  private long jobs;

  public LintReport(Configuration configuration, Surprises surprises, Output out) {
    this.configuration = configuration;
    this.surprises = surprises;
    this.out = out;
  }

  /** For programs: {@code {"files": [...]}}. */
  public void json() throws IOException {
    JsonWriter json = new JsonWriter(out);
    json.beginObject().name("files").beginArray();
    for (Krontab krontab : configuration.krontabs()) {
      List<Diagnostic> all = diagnostics(krontab);
      json.beginObject();
      json.member("file", krontab.file());
      json.member("valid", krontab.isValid());
      json.name("errors");
      list(json, all, Severity.ERROR);
      json.name("warnings");
      list(json, all, Severity.WARNING);
      json.endObject();
    }
    for (PassedOver file : configuration.passedOver()) {
      json.beginObject();
      json.member("file", file.file().toString());
      json.member("valid", true);
      json.name("errors").beginArray().endArray();
      json.name("warnings");
      list(json, List.of(passedOver(file)), Severity.WARNING);
      json.endObject();
    }
    json.endArray().endObject().end();
  }

  private static void list(JsonWriter json, List<Diagnostic> diagnostics, Severity severity)
      throws IOException {
    json.beginArray();
    for (Diagnostic diagnostic : diagnostics) {
      if (diagnostic.severity() == severity) {
        json.beginObject();
        json.member("line", diagnostic.line());
        json.member("column", diagnostic.column());
        json.member("message", diagnostic.message());
        json.endObject();
      }
    }
    json.endArray();
  }

  /** For people: each with its place, the line and a caret, and a sum at the end. */
  public void text() throws IOException {
    DiagnosticRenderer renderer = new DiagnosticRenderer(out.width());
    for (Krontab krontab : configuration.krontabs()) {
      jobs += krontab.jobs().size();
      for (Diagnostic diagnostic : diagnostics(krontab)) {
        show(renderer, diagnostic);
      }
    }
    for (PassedOver file : configuration.passedOver()) {
      show(renderer, passedOver(file));
    }
    sum();
  }

  private void show(DiagnosticRenderer renderer, Diagnostic diagnostic) throws IOException {
    if (diagnostic.isError()) {
      errors++;
    } else {
      warnings++;
    }
    String[] lines = renderer.render(diagnostic).split("\n");
    out.styled(diagnostic.isError() ? Style.RED : Style.YELLOW, lines[0]);
    out.line();
    for (int i = 1; i < lines.length; i++) {
      out.line(lines[i]);
    }
  }

  private void sum() throws IOException {
    String text =
        count(configuration.krontabs().size(), "file")
            + ", "
            + count(jobs, "job")
            + ": "
            + count(errors, "error")
            + ", "
            + count(warnings, "warning");
    out.styled(errors > 0 ? Style.RED : warnings > 0 ? Style.YELLOW : Style.GREEN, text);
    out.line();
  }

  private static String count(long number, String thing) {
    return number + " " + thing + (number == 1 ? "" : "s");
  }

  private List<Diagnostic> diagnostics(Krontab krontab) {
    List<Diagnostic> all = null;
    for (JobSpec job : krontab.jobs()) {
      List<String> found = surprises.of(job);
      if (!found.isEmpty()) {
        if (all == null) {
          all = new ArrayList<>(krontab.diagnostics());
        }
        for (String message : found) {
          String text = "job " + job.name() + ": " + message;
          all.add(new Diagnostic(krontab.file(), job.line(), 1, text, Severity.WARNING, null));
        }
      }
    }
    if (all == null) {
      return krontab.diagnostics();
    }
    all.sort(Diagnostic.BY_POSITION);
    return all;
  }

  private static Diagnostic passedOver(PassedOver file) {
    String text = "passed over: " + file.reason();
    return new Diagnostic(file.file().toString(), 1, 1, text, Severity.WARNING, null);
  }
}
