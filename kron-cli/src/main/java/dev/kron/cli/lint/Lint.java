package dev.kron.cli.lint;

import dev.kron.config.ConfigFiles.PassedOver;
import dev.kron.config.Diagnostic;
import dev.kron.config.Diagnostic.Severity;
import dev.kron.config.Krontab;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.function.Consumer;

/** Takes krontabs one after another and keeps nothing of them. */
public final class Lint implements Consumer<Krontab> {
  private final LintReport report;
  private boolean valid = true;
  private boolean unreadable;

  public Lint(LintReport report) {
    this.report = report;
  }

  @Override
  public void accept(Krontab krontab) {
    valid &= krontab.isValid();
    unreadable |= krontab.status() == Krontab.Status.UNREADABLE;
    try {
      report.file(krontab.file(), krontab.isValid(), krontab.jobs().size(), krontab.diagnostics());
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
}
