package dev.kron.cli.lint;

import dev.kron.cli.output.Times;
import dev.kron.config.Diagnostic;
import dev.kron.config.Diagnostic.Severity;
import dev.kron.config.Krontab;
import dev.kron.job.JobSpec;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;

/**
 * A hint for people who come from cron: without {@code @tz} times are UTC, not the machine's zone.
 */
public final class ZoneHint {
  private final long now;
  private final ZoneId machine;

  public ZoneHint(long now, ZoneId machine) {
    this.now = now;
    this.machine = machine;
  }

  /** The diagnostics of a file, with the hint if it applies. */
  List<Diagnostic> added(Krontab krontab) {
    long ahead = machine.getRules().getOffset(Instant.ofEpochSecond(now)).getTotalSeconds();
    boolean utc = ahead == 0 && machine.getRules().isFixedOffset();
    if (utc || krontab.jobs().isEmpty() || krontab.jobs().stream().anyMatch(ZoneHint::hasZone)) {
      return krontab.diagnostics();
    }
    JobSpec first = krontab.jobs().getFirst();
    String difference =
        ahead == 0
            ? "the same now, and not all year"
            : Times.span(Math.abs(ahead)) + (ahead > 0 ? " ahead of it" : " behind it") + " now";
    List<Diagnostic> all = new ArrayList<>(krontab.diagnostics());
    all.add(
        new Diagnostic(
            krontab.file(),
            first.line(),
            1,
            "no entry of this file has @tz, so all times are UTC; the zone of this machine, %s, is %s: write @tz(%s) for local time, @tz(UTC) to have it said"
                .formatted(machine.getId(), difference, machine.getId()),
            Severity.WARNING,
            null));
    all.sort(Diagnostic.BY_POSITION);
    return all;
  }

  private static boolean hasZone(JobSpec job) {
    return job.schedule().written().contains("@tz(");
  }
}
