package dev.kron.cli.lint;

import dev.kron.config.ConfigFiles;
import dev.kron.config.ConfigFiles.Others;
import dev.kron.config.ConfigFiles.PassedOver;
import dev.kron.config.Diagnostic;
import dev.kron.config.Diagnostic.Severity;
import dev.kron.config.FleetFile;
import dev.kron.config.Krontab;
import dev.kron.config.NotifyFile;
import dev.kron.config.OtherUsers;
import dev.kron.config.ServiceFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Takes krontabs one after another, then the services together, and keeps nothing of them. */
public final class Lint implements Consumer<Krontab> {
  private final ServiceSurprises serviceSurprises;
  private final LintReport report;
  private final @Nullable OtherUsers others;
  private final ZoneHint zone;
  private final ConfigFiles.Settings files;
  private boolean valid = true;
  private boolean unreadable;

  /**
   * @param others who finds services of other users, null for root
   * @param zone what to say about files without a zone
   * @param files how files are read
   */
  public Lint(
      ServiceSurprises serviceSurprises,
      LintReport report,
      @Nullable OtherUsers others,
      ZoneHint zone,
      ConfigFiles.Settings files) {
    this.files = files;
    this.others = others;
    this.zone = zone;
    this.serviceSurprises = serviceSurprises;
    this.report = report;
  }

  @Override
  public void accept(Krontab krontab) {
    valid &= krontab.isValid();
    unreadable |= krontab.status() == Krontab.Status.UNREADABLE;
    try {
      report.file(krontab.file(), krontab.isValid(), krontab.jobs().size(), 0, zone.added(krontab));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public void end(Others found) throws IOException {
    for (ServiceFile read : found.services()) {
      ServiceFile service = others == null ? read : others.check(read);
      valid &= service.isValid();
      unreadable |= service.status() == Krontab.Status.UNREADABLE;
      ServiceFile all = service.with(serviceSurprises.of(service));
      int services = service.service() == null ? 0 : 1;
      report.file(all.file(), all.isValid(), 0, services, all.diagnostics());
    }
    NotifyFile notify = found.notifyFile();
    if (notify != null) {
      valid &= notify.isValid();
      unreadable |= notify.status() == Krontab.Status.UNREADABLE;
      var all = new ArrayList<>(notify.diagnostics());
      all.addAll(notify.missingSecrets(files));
      report.file(notify.file(), notify.isValid(), 0, 0, all);
    }
    FleetFile fleet = found.fleetFile();
    if (fleet != null) {
      valid &= fleet.isValid();
      unreadable |= fleet.status() == Krontab.Status.UNREADABLE;
      List<Diagnostic> missing = fleet.missingSecrets(files);
      valid &= missing.stream().noneMatch(Diagnostic::isError);
      var all = new ArrayList<>(fleet.diagnostics());
      all.addAll(missing);
      report.file(fleet.file(), fleet.isValid() && missing.isEmpty(), 0, 0, all);
    }
    for (PassedOver file : found.passedOver()) {
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
