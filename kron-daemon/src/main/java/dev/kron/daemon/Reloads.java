package dev.kron.daemon;

import dev.kron.daemon.Input.Arrived;
import dev.kron.daemon.Input.FilesRead;
import dev.kron.daemon.jobs.Jobs;
import dev.kron.daemon.jobs.Reload;
import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.log.Faults;
import dev.kron.daemon.log.Reports;
import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.Writability;
import dev.kron.daemon.services.ServiceReading;
import dev.kron.daemon.services.Supervisor;
import dev.kron.job.JobSpec;
import dev.kron.service.ServiceSpec;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The reloads, one after the other: files are read beside the loop, then applied. Used on the
 * loop's thread only.
 */
final class Reloads implements Writability.Listener {
  private static final String RELOAD = "reload";

  private final Clocks clocks;
  private final Jobs jobs;
  private final Supervisor supervisor;
  private final Desk desk;
  private final Writability writability;
  private final EventLog log;
  private final Faults faults;
  private final Notifying notifying;
  private final InFleet inFleet;
  private final BootNotes bootNotes;

  /**
   * The waiting reloads; the first is under way. Two at once would each start from what the other
   * changes.
   */
  private final Queue<Reloading> reloads = new ArrayDeque<>();

  private record Reloading(boolean dryRun, boolean owed, CompletableFuture<Answer> reply) {}

  /** The configuration of the start, if it could not be applied completely. */
  private record Owed(List<JobSpec> jobs, List<ServiceSpec> services) {}

  private @Nullable Owed owed;

  /** The rules for messages that the present reload has read. */
  private Reading.Whom whom = Reading.Whom.AS_BEFORE;

  private boolean owesReload;

  /** What else the files speak of: whom to tell, the fleet, and who was there in this boot. */
  record Surroundings(Notifying notifying, InFleet inFleet, BootNotes bootNotes) {}

  /** The work beside the loop; its results are inputs. */
  interface Desk {
    /** Reads the files and the states of jobs not known yet. Comes back as {@link FilesRead}. */
    void read(Set<String> known, boolean dryRun, CompletableFuture<Answer> reply);

    /** Uses these in place of the files. The result is {@link FilesRead}. */
    void takeIn(
        List<JobSpec> jobs,
        List<ServiceSpec> services,
        Set<String> known,
        CompletableFuture<Answer> reply);

    /**
     * Makes the moments durable from which new and changed jobs count. The result is {@link
     * Arrived}.
     */
    void arrive(Reload reload, ServiceReading services, CompletableFuture<Answer> reply);
  }

  Reloads(
      Clocks clocks,
      Jobs jobs,
      Supervisor supervisor,
      Desk desk,
      Writability writability,
      Reports reports,
      Surroundings around) {
    this.notifying = around.notifying();
    this.inFleet = around.inFleet();
    this.bootNotes = around.bootNotes();
    this.clocks = clocks;
    this.jobs = jobs;
    this.supervisor = supervisor;
    this.desk = desk;
    this.writability = writability;
    this.log = reports.log();
    this.faults = reports.meters().faults;
  }

  InFleet inFleet() {
    return inFleet;
  }

  void asked(boolean dryRun, CompletableFuture<Answer> reply) {
    reload(new Reloading(dryRun, false, reply));
  }

  /**
   * Applies the files of the start once state can be written, even if they have changed by then.
   */
  void takeInWhenWritable(List<JobSpec> specs, List<ServiceSpec> services, String reason) {
    owed = new Owed(specs, services);
    owesReload = true;
    writability.failed(reason);
  }

  @Override
  public void unwritable() {}

  /** Applies what could not be applied before. */
  @Override
  public void writableAgain() {
    if (owesReload) {
      owesReload = false;
      reload(new Reloading(false, true, new CompletableFuture<>()));
    }
  }

  private void reload(Reloading reloading) {
    reloads.add(reloading);
    if (reloads.size() == 1) {
      begin(reloading);
    }
  }

  private void begin(Reloading reloading) {
    jobs.reloading(true); // who is known now is not looked for on disk, and must not be forgotten
    Set<String> known = jobs.known().keySet();
    Owed present = owed;
    if (!reloading.owed()) {
      desk.read(known, reloading.dryRun(), reloading.reply());
    } else if (present != null) {
      desk.takeIn(present.jobs(), present.services(), known, reloading.reply());
    } else {
      reloaded(reloading.reply(), new Answer.Done("nothing is owed any more", null));
    }
  }

  void filesRead(Reading reading, boolean dryRun, CompletableFuture<Answer> reply) {
    if (!reading.errors().isEmpty()) {
      refuseReload(reading, dryRun, reply);
      return;
    }
    long since = Math.ceilDiv(clocks.wallMillis(), 1000L);
    Reload reload = Reload.between(jobs.known(), reading.jobs(), reading.found(), since);
    if (dryRun) {
      reloaded(
          reply,
          reload.plan(
              supervisor.plan(reading.services()).sentences(),
              noticeChanges(reading.whom()),
              fleetChanges(reading.whom())));
    } else {
      whom = reading.whom();
      desk.arrive(reload, reading.services(), reply);
    }
  }

  private void refuseReload(Reading reading, boolean dryRun, CompletableFuture<Answer> reply) {
    int errors = reading.errors().size();
    if (!dryRun) {
      reading.errors().forEach(error -> log.error("config", "error", "at", error));
      log.error("config", "reload_refused", "errors", errors);
      reloadFailed(errors + (errors == 1 ? " error" : " errors") + " in the files");
    }
    reloaded(
        reply,
        new Answer.Refused(
            errors
                + (errors == 1 ? " error" : " errors")
                + " in the files; what was running goes on",
            reading.errors().stream().map(String::valueOf).toList()));
  }

  /** A reload has failed; until one succeeds, the files differ from what is in force. */
  private void reloadFailed(String reason) {
    faults.raise(RELOAD, clocks.wallMillis(), reason + "; what was read before is in force");
  }

  void arrived(Arrived arrived) {
    if (arrived.failure() != null) {
      log.error("config", "reload_refused", "reason", arrived.failure());
      reloadFailed(arrived.failure());
      if (reloads.element().owed()) {
        owesReload = true;
        writability.failed(arrived.failure());
      }
      reloaded(arrived.reply(), new Answer.Refused(arrived.failure()));
      return;
    }
    faults.clear(RELOAD);
    Reload reload = arrived.reload();
    reload.applyTo(jobs, clocks.wallMillis());
    owed = null; // these are the files by now
    bootNotes.jobsAreKnown();
    List<String> notices = noticeChanges(whom);
    List<String> fleet = fleetChanges(whom);
    if (whom.read()) {
      notifying.use(whom.file());
      inFleet.use(whom.fleet());
    } else {
      inFleet.again();
    }
    Answer.Plan plan =
        reload.plan(supervisor.reload(arrived.services()).sentences(), notices, fleet);
    log.info("config", "reloaded", "summary", plan.text());
    reloaded(arrived.reply(), plan);
  }

  private List<String> noticeChanges(Reading.Whom found) {
    return found.read() ? notifying.changes(found.file()) : List.of();
  }

  private List<String> fleetChanges(Reading.Whom found) {
    return found.read() ? inFleet.changes(found.fleet()) : List.of();
  }

  private void reloaded(CompletableFuture<Answer> reply, Answer answer) {
    jobs.reloading(false);
    whom = Reading.Whom.AS_BEFORE;
    reloads.remove();
    Reloading next = reloads.peek();
    if (next != null) {
      begin(next);
    }
    reply.complete(answer);
  }
}
