package dev.kron.daemon.api;

import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Request;
import dev.kron.daemon.runs.ExactCommand;
import dev.kron.job.Ending;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobSpec;
import dev.kron.job.Outcome;
import dev.kron.process.Usage;
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceSpec;
import dev.kron.service.SupervisionState;
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

  /** All jobs as they are at a moment after this call. Many callers share one look. */
  CompletableFuture<Snapshot> look();

  /** Asks for something; the answer comes when it is durable. */
  CompletableFuture<Answer> ask(Request request);

  /** A job's history as far as it is kept, oldest first. */
  List<HistoryEntry> history(String identity) throws UnreadableException;

  /**
   * All that is kept of a job's past.
   *
   * @param zone in which its days are counted
   */
  Story story(String identity, ZoneId zone) throws UnreadableException;

  /** What is kept of a service's past, oldest first. */
  List<ServiceEvent> story(String service);

  /** The runs and periods of all jobs that ended last, newest first. */
  List<Ended> recent();

  /**
   * How a job ended lately, null where it never did or nobody knows.
   *
   * @param look whether to look on disk, where nobody asked before
   */
  @Nullable Result result(String identity, boolean look);

  /**
   * Looks on disk how these jobs ended lately, where nobody asked before, and waits for that.
   *
   * @return false: it takes longer, and goes on beside the loop
   */
  boolean learnResults(List<JobView> jobs, long patienceMillis);

  /** How many starts are to come, as far as they are counted; counts them where nobody has. */
  Load load(Snapshot snapshot);

  /** When the daemon was not there, within the given epoch seconds, oldest first. */
  List<Absence> downBetween(long from, long to);

  /** Where a run keeps its output; null where the id is none. */
  @Nullable RunFiles run(String runId);

  /** The process that a run's command is; null where that is not on record. */
  @Nullable Integer commandPid(String runId);

  /**
   * The resources that the processes of these service runs use now, by run id; unknown runs are
   * left out.
   */
  Map<String, Usage> usage(List<String> runIds);

  /** The run that took the place of one that never began; null where there is none. */
  @Nullable String successor(String runId);

  /** The command that a start of the job would execute at this moment, secrets masked. */
  ExactCommand execution(JobSpec spec, long atMillis);

  /** The command that a run executed, as noted at its start, secrets masked; null: unknown. */
  @Nullable ExactCommand executed(String runId);

  /** All services as they are; immutable. */
  ServicesView services();

  /** Messages to people, null: nobody is told of anything. */
  @Nullable Notices notices();

  /** Where an instance of a service writes. */
  Path log(InstanceId instance);

  /** The command that a start of the instance would execute now, without its credentials. */
  ExactCommand execution(ServiceSpec spec, InstanceId instance);

  /**
   * Services at one moment.
   *
   * @param bindings of services to credential profiles, by command
   * @param outdated runs whose processes were found again and run what their files said before
   * @param facts of instances, as far as they are known
   */
  record ServicesView(
      SupervisionState supervised,
      Map<String, String> bindings,
      Set<String> outdated,
      Map<InstanceId, InstanceFacts> facts) {}

  /**
   * What is known of an instance beside its state.
   *
   * @param keeperPid of the process that watches over its process
   * @param restarts by itself, ever
   * @param restartsLastDay of those
   * @param lastExit how its process ended last, null where none has
   * @param lastExitAt epoch millis
   */
  record InstanceFacts(
      @Nullable Integer keeperPid,
      int restarts,
      int restartsLastDay,
      @Nullable String lastExit,
      long lastExitAt) {
    static final InstanceFacts NONE = new InstanceFacts(null, 0, 0, null, 0);
  }

  /** Why a service cannot be given these credentials, null where it can. */
  @Nullable String credentialsProblem(ServiceSpec spec, String profile);

  /** The loop is gone; nothing changes any more. */
  boolean isStopped();

  /** Somebody asked for something: for the log. */
  void asked(String who, String what, @Nullable String of);

  /** The daemon has stopped; nothing is answered any more. */
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
   * @param failures since the last success, as far as they are on record
   * @param lastFailure of those, null: none
   * @param lastSuccessMillis when the last success ended, 0: none is known
   * @param lastRunMillis how long the last run took, −1: none is known that began and ended
   */
  record Result(
      @Nullable HistoryEntry last,
      String trend,
      int failures,
      @Nullable HistoryEntry lastFailure,
      long lastSuccessMillis,
      long lastRunMillis) {
    private static final int LONGEST = 10;

    /** Of a job that has done nothing yet. */
    public static final Result NONE = new Result(null, "", 0, null, 0, -1);

    /** Of a job that has done nothing since a success. */
    public static Result after(long successMillis) {
      return new Result(null, "", 0, null, successMillis, -1);
    }

    /** What is known once this has ended too; told twice it counts once. */
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

    /** How long the last run took that is known to have begun and ended, this one included. */
    private long tookMillis(HistoryEntry entry) {
      boolean took = entry.startedAt() > 0 && entry.exitCode() != null;
      return took ? Math.max(0, entry.completedAt() - entry.startedAt()) : lastRunMillis;
    }
  }

  /**
   * The starts of the next 24 hours.
   *
   * @param from epoch second at which the first step begins
   * @param withWindows starts in each step, at the seconds that are chosen
   * @param withoutWindows the same, if every run began at its nominal time
   * @param computedAtMillis 0: not yet
   * @param complete all jobs are counted
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

  /** Something that happened to an instance of a service, in the word of the log. */
  record ServiceEvent(
      long atMillis,
      String instance,
      String what,
      @Nullable Integer exitCode,
      @Nullable String reason,
      @Nullable String runId) {}

  /** Something that ended. */
  record Ended(String identity, HistoryEntry entry) {}

  /** Epoch seconds: last seen, there again. */
  record Absence(long from, long to) {}

  /** Why a job did not run for a while. */
  enum Hindrance {
    SUSPENDED,
    NOT_IN_FILE,
    UNWRITABLE
  }

  /**
   * A while in which a job could not run, the daemon being there.
   *
   * @param to epoch second, {@code Long.MAX_VALUE}: until now
   * @param reason of {@code UNWRITABLE}, otherwise null
   */
  record Hindered(Hindrance by, long from, long to, @Nullable String reason) {}

  /** The whiles in which a job could not run, as far as they are kept, oldest first. */
  List<Hindered> hindered(String identity);

  /**
   * A run's directory.
   *
   * @param identity of its job, empty where that is not known any more
   */
  record RunFiles(String identity, Path directory) {}
}
