package dev.kron.daemon.api;

import dev.kron.cron.CronCalendar;
import dev.kron.daemon.api.Control.Result;
import dev.kron.job.JobSpec;
import dev.kron.notice.Subject;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of single jobs, for those named by {@code --job-metrics}. There are several series
 * for each job, so never for all of a hundred thousand. A job whose history could not be read in
 * time has none until the next scrape. Used by one scrape at a time.
 */
final class JobMetrics implements MultiCollector {
  /** Jobs beyond these have no metrics, and are counted. */
  static final int MOST = 10_000;

  /** How long reading histories may take; scrapers wait for ten seconds. */
  private static final long PATIENCE_MILLIS = 3_000;

  private final List<String> patterns;
  private List<Measured> measured = List.of();
  private int leftOut;

  /** A job with its last results. */
  private record Measured(Labels labels, long since, Result result) {}

  JobMetrics(List<String> patterns) {
    this.patterns = patterns;
  }

  /** Reads what the next {@link #collect} returns. */
  void look(Snapshot snapshot, Control control) {
    List<JobView> wanted = new ArrayList<>();
    for (JobView job : snapshot.jobs()) {
      if (job.spec() != null && new Subject(Subject.Kind.JOB, job.identity()).matches(patterns)) {
        wanted.add(job);
      }
    }
    leftOut = Math.max(0, wanted.size() - MOST);
    if (leftOut > 0) {
      wanted.sort(Comparator.comparing(JobView::identity));
      wanted = wanted.subList(0, MOST);
    }
    boolean complete = control.learnResults(wanted, PATIENCE_MILLIS);
    List<Measured> found = new ArrayList<>(wanted.size());
    for (JobView job : wanted) {
      Result result = control.result(job.identity(), false);
      if (result != null || complete) {
        found.add(
            new Measured(
                labels(job.spec()), job.state().since(), result == null ? Result.NONE : result));
      }
    }
    measured = found;
  }

  private static Labels labels(@Nullable JobSpec spec) {
    return spec == null ? Labels.EMPTY : Labels.of("file", spec.file(), "name", spec.name());
  }

  @Override
  public MetricSnapshots collect() {
    List<MetricSnapshot> all = new ArrayList<>();
    all.add(
        GaugeSnapshot.builder()
            .name("kron_job_metrics_left_out")
            .help("Jobs that have no metrics because too many were asked for")
            .dataPoint(GaugeDataPointSnapshot.builder().value(leftOut).build())
            .build());
    add(
        all,
        "kron_job_last_success_timestamp_seconds",
        "When the job last succeeded; 0: never, as far as is on record",
        job -> job.result().lastSuccessMillis() / 1e3);
    add(
        all,
        "kron_job_first_seen_timestamp_seconds",
        "Since when the job counts, under its schedule",
        job -> job.since() == CronCalendar.NONE ? 0 : job.since());
    add(
        all,
        "kron_job_consecutive_failures",
        "Failed runs since the last success, as far as they are on record",
        job -> job.result().failures());
    add(
        all,
        "kron_job_last_duration_seconds",
        "How long the last run took that is known to have ended",
        job -> job.result().lastRunMillis() < 0 ? Double.NaN : job.result().lastRunMillis() / 1e3);
    return new MetricSnapshots(all);
  }

  /** Adds a gauge; jobs for which the value is no number are left out. */
  private void add(
      List<MetricSnapshot> all, String name, String help, ToDoubleFunction<Measured> value) {
    GaugeSnapshot.Builder gauge = GaugeSnapshot.builder().name(name).help(help);
    boolean any = false;
    for (Measured job : measured) {
      double present = value.applyAsDouble(job);
      if (!Double.isNaN(present)) {
        gauge.dataPoint(
            GaugeDataPointSnapshot.builder().labels(job.labels()).value(present).build());
        any = true;
      }
    }
    if (any) {
      all.add(gauge.build());
    }
  }
}
