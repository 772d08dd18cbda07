package dev.kron.daemon.services;

import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.loop.Errands.Place;
import dev.kron.daemon.runs.KeptRuns;
import dev.kron.daemon.runs.Launches;
import dev.kron.daemon.runs.RunOwners;
import dev.kron.process.LaunchResult;
import dev.kron.process.Processes;
import dev.kron.process.Run;
import dev.kron.process.RunStatus;
import dev.kron.process.Signal;
import dev.kron.store.DiskException;
import dev.kron.store.RunDirectories;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The health checks that are commands. Each is a run of its own, marked by a file {@code check} in
 * its directory. Whatever the command does, its answer comes in time, and soon after that no
 * process of it is left. Checks that an earlier daemon left behind are ended too.
 */
final class Checks implements AutoCloseable {
  private static final String MARK = "check";
  private static final long LOOK_AGAIN_MILLIS = 25;
  private static final long LOOK_LATER_MILLIS = 1_000;

  private final Processes processes;
  private final RunDirectories directories;
  private final ServiceLaunches launches;
  private final ServiceSecrets secrets;
  private final Supplier<String> runIds;
  private final Errands errands;
  private final RunOwners owners;
  private final Map<String, Asked> asked = new ConcurrentHashMap<>();

  /** A check that runs. Its answer is given once; null: the service is well. */
  private record Asked(Run run, Consumer<@Nullable String> answer) {}

  Checks(
      KeptRuns.Means means,
      ServiceLaunches launches,
      ServiceSecrets secrets,
      Supplier<String> runIds) {
    this.processes = means.processes();
    this.directories = means.directories();
    this.errands = means.errands();
    this.owners = means.owners();
    this.launches = launches;
    this.secrets = secrets;
    this.runIds = runIds;
  }

  /**
   * Runs a check.
   *
   * @param answer told what is wrong; null: nothing
   * @param notAsked told why it could not be run because of the daemon's own disk
   */
  void ask(
      Prober.Question question,
      List<String> command,
      Consumer<@Nullable String> answer,
      Consumer<String> notAsked) {
    var answered = new AtomicBoolean();
    Consumer<@Nullable String> once =
        failure -> {
          if (answered.compareAndSet(false, true)) {
            answer.accept(failure);
          }
        };
    String id = runIds.get();
    errands.execute(
        Objects.requireNonNullElse(question.spec().user(), ""),
        Place.START_CHECK,
        () -> execute(id, question, command, once, notAsked),
        thrown -> {
          once.accept(Errands.reason(thrown));
          finish(id, null); // its processes are ended
        });
  }

  private void execute(
      String id,
      Prober.Question question,
      List<String> command,
      Consumer<@Nullable String> answer,
      Consumer<String> notAsked) {
    long timeoutMillis = question.check().timeoutMillis();
    try {
      List<String> secret =
          question.profile() == null
              ? List.of()
              : secrets.read(question.spec(), question.profile());
      Run run = new Run(id, directories.create(id));
      directories.write(id, MARK, new byte[0]);
      asked.put(id, new Asked(run, answer));
      owners.register(run, this::exited);
      LaunchResult result =
          processes.launch(
              launches.probe(question.spec(), question.instance(), run, secret, command));
      switch (result) {
        case LaunchResult.Launched _ ->
            finishInTime(timeoutMillis, run, "no answer within " + timeoutMillis + " ms");
        case LaunchResult.Failed failed ->
            finish(id, failed.stage().text() + ": " + failed.reason());
        case LaunchResult.AlreadyClaimed _ -> finish(id, "its run had been claimed");
      }
    } catch (Launches.Refused | ServiceSecrets.UnusableException e) {
      clear(id);
      answer.accept(String.valueOf(e.getMessage()));
    } catch (IOException e) {
      clear(id);
      notAsked.accept(String.valueOf(e.getMessage()));
    }
  }

  private void clear(String id) {
    if (forget(id) != null) {
      remove(id);
    }
  }

  private @Nullable Asked forget(String runId) {
    owners.release(new Run(runId, directories.of(runId)));
    return asked.remove(runId);
  }

  /** A check has ended; its exit code is the answer. */
  private void exited(Run run, RunStatus status) {
    String failure = said(status);
    errands.execute(
        Place.END_CHECK,
        () -> finish(run.id(), failure),
        thrown -> finishAfter(0, run.id(), failure));
  }

  private void finishAfter(long millis, String runId, @Nullable String failure) {
    errands.after(
        millis,
        Place.END_CHECK,
        () -> finish(runId, failure),
        thrown -> finishAfter(LOOK_LATER_MILLIS, runId, failure));
  }

  /**
   * Ends a check when its time is up. A daemon that was asleep or stopped may hear of that before
   * it hears of the check's end, so its record is asked first.
   */
  private void finishInTime(long millis, Run run, String late) {
    errands.after(
        millis,
        Place.END_CHECK,
        () -> finish(run.id(), answered(run, late)),
        thrown -> finishAfter(LOOK_LATER_MILLIS, run.id(), late));
  }

  private @Nullable String answered(Run run, String otherwise) {
    try {
      RunStatus status = processes.status(run);
      return status instanceof RunStatus.Ended ? said(status) : otherwise;
    } catch (IOException e) {
      return otherwise; // its record cannot be read now
    }
  }

  /** The problem that the end of a check reveals; null: the service is well. */
  private static @Nullable String said(RunStatus status) {
    if (!(status instanceof RunStatus.Ended ended)) {
      return "the check ended, nobody knows how";
    }
    return ended.exitCode() == 0 ? null : "the check ended with " + ended.exitCode();
  }

  private void finish(String runId, @Nullable String failure) {
    Asked present = forget(runId);
    if (present != null) {
      present.answer().accept(failure);
      errands.now(
          Place.CLEAR_CHECK,
          () -> {
            if (releaseIfGone(present.run())) {
              remove(runId);
            } else {
              end(present.run(), LOOK_AGAIN_MILLIS);
            }
          },
          thrown -> end(present.run(), LOOK_LATER_MILLIS));
    }
  }

  private boolean releaseIfGone(Run run) {
    try {
      return isOver(run) && processes.releaseIfGone(run);
    } catch (IOException e) {
      return false; // its record cannot be read now
    }
  }

  private boolean isOver(Run run) throws IOException {
    return !(processes.status(run) instanceof RunStatus.Running);
  }

  /** Whether a run is a check, of this daemon or an earlier one. */
  boolean isCheck(String runId) {
    return directories.has(runId, MARK);
  }

  /** Ends a check whose answer is not needed any more, with all that it started. */
  void end(Run run) {
    end(run, LOOK_AGAIN_MILLIS);
  }

  private void end(Run run, long againMillis) {
    long laterMillis = Math.min(2 * againMillis, LOOK_LATER_MILLIS);
    try {
      if (endNow(run)) {
        remove(run.id());
        return;
      }
    } catch (IOException e) {
      laterMillis = LOOK_LATER_MILLIS; // its record cannot be read or made now
    }
    long next = laterMillis;
    errands.after(
        againMillis,
        Place.CLEAR_CHECK,
        () -> end(run, next),
        thrown -> end(run, LOOK_LATER_MILLIS));
  }

  /** Ends the processes of a check; returns whether there were none. */
  private boolean endNow(Run run) throws IOException {
    processes.forestall(run); // a check that has not begun never will
    processes.signal(run, Signal.KILL);
    var left = processes.members(run);
    left.forEach(process -> processes.signal(process, Signal.KILL));
    return left.isEmpty() && isOver(run);
  }

  private void remove(String runId) {
    try {
      directories.remove(runId);
    } catch (DiskException e) {
      // The next start finds it.
    }
  }

  /** Ends all checks: later nobody would end those that hang. */
  @Override
  public void close() {
    for (Asked each : asked.values()) {
      try {
        processes.signal(each.run(), Signal.KILL);
      } catch (IOException e) {
        // The next daemon finds it.
      }
    }
  }
}
