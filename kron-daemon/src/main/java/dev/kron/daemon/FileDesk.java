package dev.kron.daemon;

import dev.kron.config.ConfigFiles.Configuration;
import dev.kron.config.Diagnostic;
import dev.kron.config.Krontab;
import dev.kron.config.ServiceFile;
import dev.kron.cron.CronCalendar;
import dev.kron.daemon.jobs.BegunPeriods;
import dev.kron.daemon.jobs.Forgetting;
import dev.kron.daemon.jobs.JobInput;
import dev.kron.daemon.jobs.Reload;
import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.services.ServiceReading;
import dev.kron.daemon.services.ServiceSecrets;
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
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The desk for work with files that the loop must not wait for: reloads and {@code kron forget}.
 */
final class FileDesk implements Reloads.Desk, Forgetting.Desk {
  private final Supplier<Configuration> configuration;
  private final StateDirectory directory;
  private final Errands errands;
  private final Consumer<Input> inbox;
  private final Fingerprint fingerprint;
  private final BegunPeriods begun;

  /** The fingerprint of the processes that a service would have if it were started now. */
  interface Fingerprint {
    String of(ServiceSpec spec) throws ServiceSecrets.UnusableException;
  }

  /**
   * @param fingerprint of the processes that a service would have
   * @param begun what the directories of runs know
   */
  FileDesk(
      Supplier<Configuration> configuration,
      StateDirectory directory,
      Errands errands,
      Consumer<Input> inbox,
      Fingerprint fingerprint,
      BegunPeriods begun) {
    this.configuration = configuration;
    this.directory = directory;
    this.errands = errands;
    this.inbox = inbox;
    this.fingerprint = fingerprint;
    this.begun = begun;
  }

  @Override
  public void read(Set<String> known, boolean dryRun, CompletableFuture<Answer> reply) {
    Set<String> identities = Set.copyOf(known);
    errands.execute(
        Errands.Place.READ_FILES,
        () -> {
          try {
            Configuration files = configuration.get();
            List<Diagnostic> errors =
                files.diagnostics().stream().filter(Diagnostic::isError).toList();
            Reading reading =
                reading(
                    jobs(files),
                    serviceSpecs(files),
                    errors,
                    new Reading.Whom(true, files.notifyFile(), files.fleetFile()),
                    identities);
            inbox.accept(new Input.FilesRead(reading, dryRun, reply));
          } catch (DiskException e) {
            unreadable(e, reply);
          }
        },
        thrown -> notRead(Errands.reason(thrown), reply));
  }

  @Override
  public void takeIn(
      List<JobSpec> jobs,
      List<ServiceSpec> services,
      Set<String> known,
      CompletableFuture<Answer> reply) {
    Set<String> identities = Set.copyOf(known);
    errands.execute(
        Errands.Place.READ_FILES,
        () -> {
          try {
            Reading reading =
                reading(jobs, services, List.of(), Reading.Whom.AS_BEFORE, identities);
            inbox.accept(new Input.FilesRead(reading, false, reply));
          } catch (DiskException e) {
            unreadable(e, reply);
          }
        },
        thrown -> notRead(Errands.reason(thrown), reply));
  }

  private void unreadable(DiskException e, CompletableFuture<Answer> reply) {
    notRead("state cannot be read: " + e.getMessage(), reply);
  }

  private void notRead(String reason, CompletableFuture<Answer> reply) {
    inbox.accept(new Input.Arrived(Reload.NOTHING, ServiceReading.NOTHING, reason, reply));
  }

  private Reading reading(
      List<JobSpec> jobs,
      List<ServiceSpec> services,
      List<Diagnostic> errors,
      Reading.Whom whom,
      Set<String> known)
      throws DiskException {
    List<String> others =
        jobs.stream().map(JobSpec::identity).filter(identity -> !known.contains(identity)).toList();
    return new Reading(jobs, services(services), errors, whom, directory.find(others));
  }

  private ServiceReading services(List<ServiceSpec> specs) {
    Map<String, String> fingerprints = new HashMap<>();
    Map<String, String> unusable = new HashMap<>();
    for (ServiceSpec spec : specs) {
      try {
        fingerprints.put(spec.name(), fingerprint.of(spec));
      } catch (ServiceSecrets.UnusableException e) {
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
  public void arrive(Reload reload, ServiceReading services, CompletableFuture<Answer> reply) {
    errands.execute(
        Errands.Place.NOTE_ARRIVALS,
        () -> {
          try {
            directory.arrivals().append(reload.arrivals());
            inbox.accept(new Input.Arrived(reload, services, null, reply));
          } catch (DiskException e) {
            String reason = "state cannot be written: " + e.getMessage();
            inbox.accept(new Input.Arrived(reload, services, reason, reply));
          }
        },
        thrown -> inbox.accept(new Input.Arrived(reload, services, Errands.reason(thrown), reply)));
  }

  @Override
  public void forget(JobState state, long nowMillis, Forgetting.Wish wish) {
    errands.execute(
        Errands.Place.FORGET_PERIODS,
        () -> {
          try {
            long now = Math.floorDiv(nowMillis, 1000L);
            Released released = released(state, now, nowMillis);
            directory
                .arrivals()
                .append(
                    List.of(
                        new Arrival(state.identity(), state.fingerprint(), now, state.pastLost())));
            inbox.accept(new Input.OfJobs(new JobInput.Proposed(wish, state, released)));
          } catch (DiskException e) {
            String reason = "what has run cannot be read: " + e.getMessage();
            wish.reply().complete(new Answer.Refused(reason));
          }
        },
        thrown -> wish.reply().complete(new Answer.Refused(Errands.reason(thrown))));
  }

  /**
   * What {@code kron forget} leaves handled: the last period on record up to now, and the later
   * ones that began according to the record or to a claim, since the record may be lost.
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
    begunAhead.addAll(begun.of(state.identity()));
    return new Released(nominal, outcome, chosen, now, nowMillis, begunAhead);
  }
}
