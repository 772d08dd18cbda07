package dev.kron.daemon.api;

import dev.kron.daemon.api.ControlServer.DaemonInfo;
import dev.kron.daemon.log.Faults;
import dev.kron.daemon.log.Histogram;
import dev.kron.daemon.log.Meters;
import dev.kron.fleet.FleetDesk;
import dev.kron.fleet.FleetStanding;
import dev.kron.job.Ending;
import dev.kron.service.ServiceState;
import dev.kron.service.SupervisionState;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Metrics for Prometheus; docs/metrics.md explains them. */
final class MetricsEndpoint {
  private static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private final Supplier<Control> control;
  private final Meters meters;
  private final DaemonInfo daemon;
  private final JobMetrics jobs;
  private final AtomicReference<Tally> last = new AtomicReference<>();
  private @Nullable PrometheusMeterRegistry registry;

  MetricsEndpoint(Supplier<Control> control, Meters meters, DaemonInfo daemon) {
    this.control = control;
    this.meters = meters;
    this.daemon = daemon;
    this.jobs = new JobMetrics(daemon.jobMetrics());
  }

  /** Answers a scrape. Only one runs at a time, since it reads what it has gathered. */
  synchronized void scrape(Exchange exchange) throws IOException {
    Snapshot seen = Exchange.await(control.get().look());
    last.set(new Tally(seen, 0));
    if (!daemon.jobMetrics().isEmpty()) {
      jobs.look(seen, control.get());
    }
    PrometheusMeterRegistry present = registry;
    if (present == null) {
      present = register();
      registry = present;
    }
    try (OutputStream out = exchange.body(200, TYPE)) {
      present.scrape(out, TYPE);
    }
  }

  private PrometheusMeterRegistry register() {
    var made = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    registerHealth(made);
    registerJobs(made);
    registerServices(made);
    registerNotices(made);
    registerFleet(made);
    registerDurations(made);
    if (!daemon.jobMetrics().isEmpty()) {
      made.getPrometheusRegistry().register(jobs);
    }
    new JvmMemoryMetrics().bindTo(made);
    return made;
  }

  private void registerHealth(PrometheusMeterRegistry made) {
    Gauge.builder("kron.build.info", () -> 1)
        .tag("version", daemon.version())
        .description("Which version this is")
        .register(made);
    gauge(
        made,
        "kron.start.time.seconds",
        "When the daemon began",
        tally -> daemon.startedAtMillis() / 1e3);
    gauge(
        made,
        "kron.healthy",
        "1 where everything that is wanted happens; 0: kron status says what does not",
        tally -> problems(tally).isEmpty() ? 1 : 0);
    gauge(
        made,
        "kron.persistence.healthy",
        "1 where state can be written; 0: nothing new is started",
        tally -> tally.snapshot().trouble() == null ? 1 : 0);
    FunctionCounter.builder("kron.state.write.failures", meters, Meters::failedWrites)
        .description("Steps of jobs that could not be made durable")
        .register(made);
    Gauge.builder("kron.faults", meters.faults, faults -> faults.standing().size())
        .description("Parts of the daemon that do not work now")
        .register(made);
    FunctionCounter.builder("kron.internal.errors", meters.faults, Faults::raised)
        .description("Errors of the daemon itself that were not expected")
        .register(made);
  }

  private void registerJobs(PrometheusMeterRegistry made) {
    gauge(made, "kron.jobs", "Jobs in the files", tally -> tally.snapshot().jobs().size());
    gauge(made, "kron.jobs.suspended", "Jobs that are not started", Tally::suspended);
    gauge(made, "kron.jobs.held", "Jobs that a clock once ahead has silenced", Tally::held);
    gauge(made, "kron.runs.active", "Runs that go on", Tally::active);
    gauge(
        made,
        "kron.next.run.timestamp.seconds",
        "When the next period is due; 0: none is waited for",
        tally -> tally.nextDue() == JobView.NEVER ? 0 : tally.nextDue());
    for (Ending ending : Ending.values()) {
      FunctionCounter.builder("kron.runs", meters.counter(ending), LongAdder::sum)
          .tag("outcome", ending.text())
          .description("Periods and manual runs, by how they ended")
          .register(made);
    }
    FunctionCounter.builder("kron.runs.cpu.seconds", meters, Meters::cpuSeconds)
        .description("CPU time of runs that have ended")
        .register(made);
  }

  private void registerServices(PrometheusMeterRegistry made) {
    FunctionCounter.builder("kron.service.restarts", meters, Meters::restarts)
        .description("Services that were to be started again because they ended")
        .register(made);
    for (ServiceState.Kind kind : ServiceState.Kind.values()) {
      Gauge.builder("kron.services", () -> services(kind))
          .tag("state", kind.text())
          .description("Services, by their state")
          .register(made);
    }
  }

  private void registerNotices(PrometheusMeterRegistry made) {
    Gauge.builder("kron.notifications.waiting", () -> notices(Notices::waiting))
        .description("Messages that no receiver has taken yet")
        .register(made);
    FunctionCounter.builder(
            "kron.notifications.delivered", control, any -> notices(Notices::delivered))
        .description("Messages that their receivers have")
        .register(made);
    FunctionCounter.builder("kron.notifications.lost", control, any -> notices(Notices::lost))
        .description("Messages that were given up")
        .register(made);
  }

  private void registerFleet(PrometheusMeterRegistry made) {
    fleet(made, "kron.fleet.member", "1 where this machine is in a fleet", standing -> 1);
    fleet(
        made,
        "kron.fleet.participating",
        "1 where it takes part and the database answers",
        standing -> standing.state() == FleetStanding.State.IN ? 1 : 0);
    fleet(
        made,
        "kron.fleet.nodes.live",
        "Nodes that take part, as this one saw them last",
        FleetStanding::live);
    fleet(
        made, "kron.fleet.runs.active", "Runs of the fleet that go on here", FleetStanding::going);
    fleet(
        made,
        "kron.fleet.ends.owed",
        "Ends of runs that the database has not heard of yet",
        FleetStanding::owed);
    fleet(
        made,
        "kron.fleet.jobs.held",
        "Jobs of this machine's files that a lost run holds",
        standing -> standing.held().size());
    fleet(
        made,
        "kron.fleet.jobs.differing",
        "Jobs of which this machine has not the files that are in force",
        standing -> standing.differing().size());
    fleet(
        made,
        "kron.fleet.clock.ahead.seconds",
        "By how much this machine's clock is ahead of the database's",
        standing -> standing.aheadMillis() / 1e3);
    fleet(
        made,
        "kron.fleet.generation",
        "Rises when the database was found to have gone back",
        FleetStanding::generation);
  }

  /** A figure of the fleet, 0 where this machine is in none. */
  private void fleet(
      PrometheusMeterRegistry made,
      String name,
      String help,
      ToDoubleFunction<FleetStanding> value) {
    Gauge.builder(
            name,
            () -> {
              FleetDesk fleet = control.get().fleet();
              return fleet == null ? 0 : value.applyAsDouble(fleet.standing());
            })
        .description(help)
        .register(made);
  }

  private void registerDurations(PrometheusMeterRegistry made) {
    histogram(made, "kron_start_latency_seconds", "From due to started", meters.startLatency);
    histogram(
        made,
        "kron_lateness_seconds",
        "Of periods that fell due while the daemon was away",
        meters.lateness);
    histogram(
        made, "kron_state_write_seconds", "Until a step of a job was durable", meters.stateWrite);
    histogram(made, "kron_loop_lag_seconds", "How long inputs waited for the loop", meters.loopLag);
    histogram(made, "kron_loop_hold_seconds", "How long inputs held the loop", meters.loopHold);
  }

  private List<String> problems(Tally tally) {
    SupervisionState supervised = control.get().services().supervised();
    return Health.problems(tally.snapshot(), tally.held(), supervised, meters.faults);
  }

  private double notices(ToDoubleFunction<Notices> value) {
    Notices notices = control.get().notices();
    return notices == null ? 0 : value.applyAsDouble(notices);
  }

  private double services(ServiceState.Kind kind) {
    SupervisionState supervised = control.get().services().supervised();
    return supervised.graph().services().keySet().stream()
        .filter(name -> supervised.state(name).kind() == kind)
        .count();
  }

  private void gauge(
      PrometheusMeterRegistry made, String name, String help, ToDoubleFunction<Tally> value) {
    Gauge.builder(name, last, reference -> value.applyAsDouble(reference.get()))
        .description(help)
        .register(made);
  }

  /** Registers a histogram of our own, which is filled before the library is loaded. */
  private static void histogram(
      PrometheusMeterRegistry made, String name, String help, Histogram distribution) {
    Collector collector =
        () ->
            HistogramSnapshot.builder()
                .name(name)
                .help(help)
                .dataPoint(
                    HistogramDataPointSnapshot.builder()
                        .classicHistogramBuckets(
                            ClassicHistogramBuckets.of(
                                distribution.bounds(), distribution.counts()))
                        .sum(distribution.sumSeconds())
                        .build())
                .build();
    made.getPrometheusRegistry().register(collector);
  }
}
