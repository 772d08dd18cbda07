package dev.kron.job;

import dev.kron.job.JobEvent.Exited;
import dev.kron.job.JobEvent.LaunchFailed;
import dev.kron.job.JobEvent.Launched;
import dev.kron.job.JobEvent.NeverBegan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is outside a job, as far as its machine can tell: runs with their claims and ends, which a
 * crash of the daemon leaves as they are.
 */
final class World {
  /** What really became of a run. */
  enum Fate {
    UNCLAIMED,
    /** The daemon has taken the claim: it never began and never will. */
    FORESTALLED,
    NOT_STARTED,
    RUNNING,
    ENDED,
    /** The machine was restarted: nobody knows. */
    UNKNOWN
  }

  static final class Outside {
    final long nominal;
    final int attempt;
    Fate fate = Fate.UNCLAIMED;
    int exitCode;
    boolean began;

    Outside(ActiveRun run) {
      this.nominal = run.nominal();
      this.attempt = run.attempt();
    }
  }

  final Map<String, Outside> runs = new HashMap<>();
  final List<JobEffect> effects = new ArrayList<>();
  final List<JobEvent> answers = new ArrayList<>();
  String bootId = "boot-0";
  private int boots;
  private int runIds;

  String newRunId() {
    return "run-" + runIds++;
  }

  /** The intent is durable; from here on the run may begin. */
  void intended(ActiveRun run) {
    runs.computeIfAbsent(run.runId(), id -> new Outside(run));
  }

  /** Begins an effect. */
  void perform(JobEffect effect, boolean startable, long at) {
    switch (effect) {
      case JobEffect.Launch launch -> launch(launch.run().runId(), startable, at);
      case JobEffect.End end -> {
        Outside run = outside(end.runId());
        if (run.fate == Fate.UNCLAIMED) {
          effects.add(end); // its keeper is on its way: signal again
        } else {
          end(end.runId(), 143, at);
        }
      }
      case JobEffect.Alert alert -> {}
    }
  }

  private void launch(String runId, boolean startable, long at) {
    Outside run = outside(runId);
    if (run.fate != Fate.UNCLAIMED) {
      return; // the claim is taken: a start can be repeated safely
    }
    if (startable) {
      run.fate = Fate.RUNNING;
      run.began = true;
      answers.add(new Launched(runId, 100, 7));
    } else {
      run.fate = Fate.NOT_STARTED;
      answers.add(new LaunchFailed(runId, "exec", "not found", at));
    }
  }

  void end(String runId, int exitCode, long at) {
    Outside run = outside(runId);
    if (run.fate == Fate.RUNNING) {
      run.fate = Fate.ENDED;
      run.exitCode = exitCode;
      answers.add(new Exited(runId, exitCode, null, null, at));
    }
  }

  /** The daemon died: what it had on its mind is gone. */
  void crash() {
    effects.clear();
    answers.clear();
  }

  void restartMachine() {
    crash();
    bootId = "boot-" + ++boots;
    runs.values().stream()
        .filter(run -> run.fate == Fate.RUNNING)
        .forEach(run -> run.fate = Fate.UNKNOWN);
  }

  /** What a new daemon finds out about a run that its state knows of. */
  JobEvent recover(ActiveRun active, long lateSeconds, long at) {
    String runId = active.runId();
    Outside run = outside(runId);
    boolean sameBoot = active.bootId().equals(bootId);
    if (run.fate == Fate.UNCLAIMED) {
      run.fate = Fate.FORESTALLED;
    }
    return switch (run.fate) {
      case UNCLAIMED, FORESTALLED ->
          sameBoot
              ? new NeverBegan(runId, lateSeconds, newRunId(), bootId, at)
              : unknown(runId, "the machine was restarted", at);
      case NOT_STARTED -> new LaunchFailed(runId, "exec", "not found", at);
      case RUNNING -> new Launched(runId, 100, 7);
      case ENDED -> new Exited(runId, run.exitCode, null, null, at);
      case UNKNOWN -> unknown(runId, "its keeper is gone", at);
    };
  }

  private static Exited unknown(String runId, String reason, long at) {
    return new Exited(runId, null, null, reason, at);
  }

  private Outside outside(String runId) {
    @Nullable Outside run = runs.get(runId);
    if (run == null) {
      throw new AssertionError("an effect for " + runId + ", of which no intent was durable");
    }
    return run;
  }
}
