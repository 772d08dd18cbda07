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
 * Checks of health that are commands. Each is a run of its own, known by a file {@code check} in
 * its directory; whatever it does, its answer is there in time, and nothing of it is left a moment
 * after that. Those that an earlier daemon left behind are ended likewise.
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

  /** A check that runs; its answer is given once, null for well. */
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
   * @param answer told what is wrong, or null
   * @param notAsked told why it could not be run, where our own disk is to blame
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
          finish(id, null); // what there is of it is ended
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

  /** The end of a check is its answer. */
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
   * The time of a check runs. Who was asleep, or stopped, hears of its end and of the end of its
   * time in any order: what is on record is its answer.
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

  /** What a check's end says of the service; null: it is well. */
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

  /** Whether a run is a check's, of whichever daemon. */
  boolean isCheck(String runId) {
    return directories.has(runId, MARK);
  }

  /** Ends a check that nobody waits for any more, with all that it started. */
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

  /** Ends what is there, and says whether nothing was. */
  private boolean endNow(Run run) throws IOException {
    processes.forestall(run); // one that has not begun never will
    processes.signal(run, Signal.KILL);
    var left = processes.members(run);
    left.forEach(process -> processes.signal(process, Signal.KILL));
    return left.isEmpty() && isOver(run);
  }

  private void remove(String runId) {
    try {
      directories.remove(runId);
    } catch (DiskException e) {
      // Stays until the next start finds it.
    }
  }

  /** Nobody will be there to end those that hang. */
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
