package dev.kron.daemon;

import dev.kron.config.ConfigFiles.Configuration;
import dev.kron.config.Diagnostic;
import dev.kron.config.Krontab;
import dev.kron.config.ServiceFile;
import dev.kron.cron.CronCalendar;
import dev.kron.daemon.Input.Reply;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobEvent.Released;
import dev.kron.job.JobSpec;
import dev.kron.job.JobState;
import dev.kron.job.Outcome;
import dev.kron.service.ServiceSpec;
import dev.kron.store.Arrival;
import dev.kron.store.DiskException;
import dev.kron.store.StateDirectory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Reads and works out, away from the loop, what the loop must not wait for. */
final class FileDesk implements Krond.Desk {
  private final Supplier<Configuration> configuration;
  private final StateDirectory directory;
  private final Executor workers;
  private final Consumer<Input> inbox;
  private final Fingerprint fingerprint;

  /** Of the processes that a service would have if it were started now. */
  interface Fingerprint {
    String of(ServiceSpec spec) throws Secrets.UnusableException;
  }

  /**
   * @param fingerprint of the processes that a service would have
   */
  FileDesk(
      Supplier<Configuration> configuration,
      StateDirectory directory,
      Executor workers,
      Consumer<Input> inbox,
      Fingerprint fingerprint) {
    this.configuration = configuration;
    this.directory = directory;
    this.workers = workers;
    this.inbox = inbox;
    this.fingerprint = fingerprint;
  }

  @Override
  public void read(Set<String> known, boolean dryRun, CompletableFuture<Reply> reply) {
    Set<String> identities = Set.copyOf(known);
    workers.execute(
        () -> {
          try {
            inbox.accept(new Input.FilesRead(reading(identities), dryRun, reply));
          } catch (DiskException e) {
            String reason = "state cannot be read: " + e.getMessage();
            inbox.accept(new Input.Arrived(Reload.NOTHING, ServiceReading.NOTHING, reason, reply));
          }
        });
  }

  private Reading reading(Set<String> known) throws DiskException {
    Configuration files = configuration.get();
    List<Diagnostic> errors = files.diagnostics().stream().filter(Diagnostic::isError).toList();
    List<JobSpec> jobs = jobs(files);
    List<String> others =
        jobs.stream().map(JobSpec::identity).filter(identity -> !known.contains(identity)).toList();
    return new Reading(jobs, services(files), errors, directory.find(others));
  }

  private ServiceReading services(Configuration files) {
    List<ServiceSpec> specs = serviceSpecs(files);
    Map<String, String> fingerprints = new HashMap<>();
    Map<String, String> unusable = new HashMap<>();
    for (ServiceSpec spec : specs) {
      try {
        fingerprints.put(spec.name(), fingerprint.of(spec));
      } catch (Secrets.UnusableException e) {
        unusable.put(spec.name(), String.valueOf(e.getMessage()));
      }
    }
    return new ServiceReading(specs, fingerprints, unusable);
  }

  static List<ServiceSpec> serviceSpecs(Configuration files) {
    return files.services().stream().map(ServiceFile::service).filter(Objects::nonNull).toList();
  }

  static List<JobSpec> jobs(Configuration files) {
    return files.krontabs().stream().map(Krontab::jobs).flatMap(List::stream).toList();
  }

  @Override
  public void arrive(Reload reload, ServiceReading services, CompletableFuture<Reply> reply) {
    workers.execute(
        () -> {
          try {
            directory.arrivals().append(reload.arrivals());
            inbox.accept(new Input.Arrived(reload, services, null, reply));
          } catch (DiskException e) {
            String reason = "state cannot be written: " + e.getMessage();
            inbox.accept(new Input.Arrived(reload, services, reason, reply));
          }
        });
  }

  @Override
  public void forget(JobState state, long nowMillis, CompletableFuture<Reply> reply) {
    workers.execute(
        () -> {
          try {
            long now = Math.floorDiv(nowMillis, 1000L);
            Released released = released(state, now, nowMillis);
            directory
                .arrivals()
                .append(
                    List.of(
                        new Arrival(state.identity(), state.fingerprint(), now, state.pastLost())));
            inbox.accept(new Input.Proposed(state.identity(), released, reply));
          } catch (DiskException e) {
            reply.complete(new Reply.Refused("the history cannot be read: " + e.getMessage()));
          }
        });
  }

  /**
   * The last period that stays handled, the last one on record up to now, and the later ones that
   * the record shows as begun.
   */
  private Released released(JobState state, long now, long nowMillis) throws DiskException {
    long nominal = CronCalendar.NONE;
    Outcome outcome = null;
    long chosen = CronCalendar.NONE;
    var begunAhead = new ArrayList<Long>();
    for (HistoryEntry entry : directory.jobs().history(state.identity())) {
      if (entry.nominal() > now) {
        if (entry.runId() != null && entry.outcome() == Outcome.EXECUTED) {
          begunAhead.add(entry.nominal());
        }
      } else if (entry.nominal() > nominal) {
        nominal = entry.nominal();
        outcome = entry.outcome();
        chosen = entry.chosen();
      }
    }
    return new Released(nominal, outcome, chosen, now, nowMillis, begunAhead);
  }
}
