package dev.kron.daemon.api;

import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Request;
import dev.kron.daemon.runs.ExactCommand;
import dev.kron.fleet.FleetDesk;
import dev.kron.job.Ending;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobSpec;
import dev.kron.job.Outcome;
import dev.kron.process.Usage;
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceSpec;
import dev.kron.service.SupervisionState;
import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The daemon as the API knows it. Every method may be called from any thread. */
public interface Control {

  /** All jobs at a moment after this call. Many callers share one snapshot. */
  CompletableFuture<Snapshot> look();

  /** Makes a request; the answer comes when its effect is durable. */
  CompletableFuture<Answer> ask(Request request);

  /** A job's history as far as it is kept, oldest first. */
  List<HistoryEntry> history(String identity) throws UnreadableException;

  /**
   * The recorded past of a job.
   *
   * @param zone in which its days are counted
   */
  Story story(String identity, ZoneId zone) throws UnreadableException;

  /** The recorded past of a service, oldest first. */
  List<ServiceEvent> story(String service);

  /** The runs and periods of all jobs that ended last, newest first. */
  List<Ended> recent();

  /**
   * The last results of a job; null if there are none or they are not known.
   *
   * @param look whether to read them from disk if they are not known
   */
  @Nullable Result result(String identity, boolean look);

  /**
   * Reads the last results of these jobs from disk if they are not known, and waits for that.
   *
   * @return false: it takes longer, and goes on beside the loop
   */
  boolean learnResults(List<JobView> jobs, long patienceMillis);

  /** The number of coming starts, as far as they are counted; begins to count them if needed. */
  Load load(Snapshot snapshot);

  /** The absences of the daemon between two epoch seconds, oldest first. */
  List<Absence> downBetween(long from, long to);

  /** The directory of a run; null if the id is none. */
  @Nullable RunFiles run(String runId);

  /**
   * The output of a run that has ended where it has no file of its own any more; empty if there is
   * none.
   */
  byte[] keptOutput(String runId, String stream) throws IOException;

  /** The process id of a run's command; null if it is not on record. */
  @Nullable Integer commandPid(String runId);

  /**
   * The resources that the processes of these service runs use now, by run id; unknown runs are
   * left out.
   */
  Map<String, Usage> usage(List<String> runIds);

  /** The run that replaced one that never began; null if there is none. */
  @Nullable String successor(String runId);

  /** The command that a start of the job would execute at this moment, secrets masked. */
  ExactCommand execution(JobSpec spec, long atMillis);

  /** The command that a run executed, as noted at its start, secrets masked; null: unknown. */
  @Nullable ExactCommand executed(String runId);

  /** All services as they are; immutable. */
  ServicesView services();

  /** The messages to people; null: there are no channels. */
  @Nullable Notices notices();

  /** The fleet that this machine is in; null: none. */
  @Nullable FleetDesk fleet();

  /** The log file of an instance. */
  Path log(InstanceId instance);

  /** The command that a start of the instance would execute now, without its credentials. */
  ExactCommand execution(ServiceSpec spec, InstanceId instance);

  /**
   * Services at one moment.
   *
   * @param bindings profiles that operators gave to services
   * @param outdated runs of adopted processes that were started from earlier files
   * @param facts of instances, as far as they are known
   */
  record ServicesView(
      SupervisionState supervised,
      Map<String, String> bindings,
      Set<String> outdated,
      Map<InstanceId, InstanceFacts> facts) {}

  /**
   * The facts about an instance beside its state.
   *
   * @param keeperPid the process id of its keeper
   * @param restarts automatic restarts, ever
   * @param restartsLastDay those of the last 24 hours
   * @param lastExit how its process ended last; null if none has
   * @param lastExitAt epoch millis
   * @param lastReload the last one that ended while this daemon was there; null: none has
   */
  record InstanceFacts(
      @Nullable Integer keeperPid,
      int restarts,
      int restartsLastDay,
      @Nullable String lastExit,
      long lastExitAt,
      @Nullable LastReload lastReload) {
    static final InstanceFacts NONE = new InstanceFacts(null, 0, 0, null, 0, null);
  }

  /**
   * The end of a reload command.
   *
   * @param problem null: it exited with 0
   * @param output the end of what it wrote
   * @param endedAt epoch millis
   */
  record LastReload(
      String runId,
      @Nullable Integer exitCode,
      @Nullable String problem,
      String output,
      long endedAt) {}

  /** Why a service cannot be given these credentials; null if it can. */
  @Nullable String credentialsProblem(ServiceSpec spec, String profile);

  /** Whether the loop has ended, so that nothing changes any more. */
  boolean isStopped();

  /** Logs a request. */
  void asked(String who, String what, @Nullable String of);

  /** The daemon has stopped, and answers nothing any more. */
  final class Stopped extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public Stopped() {
      super("the daemon has stopped", null, false, false);
    }
  }

  /** The history of a job cannot be read. */
  final class UnreadableException extends Exception {
    private static final long serialVersionUID = 1L;

    public UnreadableException(String message) {
      super(message);
    }
  }

  /**
   * The last result of a job.
   *
   * @param last null: none
   * @param trend the last ten, newest last: {@code .} succeeded, {@code x} failed, {@code -}
   *     neither
   * @param failures the number of failures since the last success, as far as they are on record
   * @param lastFailure the last of those; null: none
   * @param lastSuccessMillis when the last success ended; 0: none is known
   * @param lastRunMillis how long the last run took that began and ended; −1: none is known
   */
  record Result(
      @Nullable HistoryEntry last,
      String trend,
      int failures,
      @Nullable HistoryEntry lastFailure,
      long lastSuccessMillis,
      long lastRunMillis) {
    private static final int LONGEST = 10;

    /** The result of a job that has done nothing yet. */
    public static final Result NONE = new Result(null, "", 0, null, 0, -1);

    /** The result of a job that has done nothing since a success. */
    public static Result after(long successMillis) {
      return new Result(null, "", 0, null, successMillis, -1);
    }

    /** The result after another entry; the same entry counts once. */
    public Result followedBy(HistoryEntry entry) {
      if (entry.equals(last)) {
        return this;
      }
      boolean succeeded = entry.outcome() == Outcome.EXECUTED && !entry.stopped();
      String all = trend + (entry.failed() ? 'x' : succeeded ? '.' : '-');
      return new Result(
          entry,
          all.substring(Math.max(0, all.length() - LONGEST)),
          entry.success() ? 0 : entry.failed() ? failures + 1 : failures,
          entry.success() ? null : entry.failed() ? entry : lastFailure,
          entry.success() ? entry.completedAt() : lastSuccessMillis,
          tookMillis(entry));
    }

    /** How long the last run took that began and ended, this entry included. */
    private long tookMillis(HistoryEntry entry) {
      boolean took = entry.startedAt() > 0 && entry.exitCode() != null;
      return took ? Math.max(0, entry.completedAt() - entry.startedAt()) : lastRunMillis;
    }
  }

  /**
   * The starts of the next 24 hours.
   *
   * @param from epoch second at which the first step begins
   * @param withWindows starts in each step, at the chosen seconds
   * @param withoutWindows the same, if every run began at its nominal time
   * @param computedAtMillis 0: not yet
   * @param complete whether all jobs are counted
   */
  record Load(
      long from,
      List<Long> withWindows,
      List<Long> withoutWindows,
      long computedAtMillis,
      boolean complete) {}

  /**
   * The past of a job.
   *
   * @param runs single runs and periods, oldest first
   * @param days of which something is known, oldest first
   */
  record Story(List<HistoryEntry> runs, List<Day> days) {}

  /**
   * A day of a job.
   *
   * @param medianMillis of what ran, −1 where nothing did
   */
  record Day(LocalDate date, Map<Ending, Long> counts, long medianMillis, long p95Millis) {}

  /** An event of a service's instance, in the words of the log. */
  record ServiceEvent(
      long atMillis,
      String instance,
      String what,
      @Nullable Integer exitCode,
      @Nullable String reason,
      @Nullable String runId) {}

  /** A run or a period of a job that has ended. */
  record Ended(String identity, HistoryEntry entry) {}

  /**
   * An absence of the daemon, in epoch seconds: when it was last there, and when it was there
   * again.
   */
  record Absence(long from, long to) {}

  /** Why a job did not run for a while. */
  enum Hindrance {
    SUSPENDED,
    NOT_IN_FILE,
    UNWRITABLE
  }

  /**
   * A time in which a job could not run although the daemon was there.
   *
   * @param to epoch second, {@code Long.MAX_VALUE}: until now
   * @param reason of {@code UNWRITABLE}, otherwise null
   */
  record Hindered(Hindrance by, long from, long to, @Nullable String reason) {}

  /** The times in which a job could not run, as far as they are recorded, oldest first. */
  List<Hindered> hindered(String identity);

  /**
   * A run's directory.
   *
   * @param identity of its job, empty where that is not known any more
   */
  record RunFiles(String identity, Path directory) {}
}
