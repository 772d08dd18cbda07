package dev.kron.cli.lint;

import dev.kron.config.ConfigFiles.PassedOver;
import dev.kron.config.Diagnostic;
import dev.kron.config.Diagnostic.Severity;
import dev.kron.config.Krontab;
import dev.kron.job.JobSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Takes krontabs one after another, adds what will surprise, and keeps nothing of them. */
public final class Lint implements Consumer<Krontab> {
  private final Surprises surprises;
  private final LintReport report;
  private boolean valid = true;
  private boolean unreadable;

  public Lint(Surprises surprises, LintReport report) {
    this.surprises = surprises;
    this.report = report;
  }

  @Override
  public void accept(Krontab krontab) {
    valid &= krontab.isValid();
    unreadable |= krontab.status() == Krontab.Status.UNREADABLE;
    try {
      report.file(krontab.file(), krontab.isValid(), krontab.jobs().size(), findings(krontab));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public void end(List<PassedOver> passedOver) throws IOException {
    for (PassedOver file : passedOver) {
      String text = "passed over: " + file.reason();
      report.passedOver(new Diagnostic(file.file().toString(), 1, 1, text, Severity.WARNING, null));
    }
    report.end();
  }

  /** Whether no file had errors. */
  public boolean valid() {
    return valid;
  }

  /** Whether a file or directory could not be read. */
  public boolean unreadable() {
    return unreadable;
  }

  private List<Diagnostic> findings(Krontab krontab) {
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
}
