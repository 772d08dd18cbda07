package dev.kron.scheduler;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The rules S1 to S6 and L1 as a machine of their own: it watches what happens and says whether it
 * may. It knows pulses and starts, no timers and no next occurrences.
 */
final class TraceModel {
  private static final long THREE_HOURS = 3 * 3_600_000L;
  private static final long MINUTE = 60_000;

  private final ZoneId zone;
  private final Map<String, Known> known = new HashMap<>();
  private boolean active;

  /** One task, as far as the rules are concerned. */
  private static final class Known {
    Minutes minutes;
    Duration retryDelay;
    @Nullable Long lastStart;
    @Nullable Long failedAt;
    @Nullable Long retryAt;

    /** Occurrences after this time are pulses that count. */
    long mark;

    boolean due;
    boolean interrupted;
    boolean running;
    boolean paused;

    /** How many pulses there were, and those whose run succeeded. */
    int pulses;

    int pulsesAtStart;
    final Set<Integer> succeeded = new HashSet<>();

    Known(Minutes minutes, Duration retryDelay) {
      this.minutes = minutes;
      this.retryDelay = retryDelay;
    }

    void look(long from, long now) {
      if (minutes.anyIn(Math.max(from, mark), now)) {
        due = true;
        pulses++;
      }
    }

    boolean pending(long now) {
      return !running && !paused && (due || interrupted || (retryAt != null && retryAt <= now));
    }
  }

  TraceModel(ZoneId zone) {
    this.zone = zone;
  }

  boolean active() {
    return active;
  }

  void initialized(List<Registration> registrations, long now) {
    assertFalse(active, "S6: initialized twice without a stop or a crash");
    active = true;
    Set<String> names = new HashSet<>();
    for (Registration registration : registrations) {
      names.add(registration.name());
      Minutes minutes = new Minutes(registration.cronExpression(), zone);
      Known task =
          known.computeIfAbsent(
              registration.name(), name -> new Known(minutes, registration.retryDelay()));
      task.minutes = minutes;
      task.retryDelay = registration.retryDelay();
      appear(task, now);
    }
    known.keySet().retainAll(names);
  }

  private static void appear(Known task, long now) {
    task.mark = task.lastStart == null ? now - MINUTE : task.lastStart;
    task.due = false;
    setBack(task, now, now);
    task.look(task.mark, now);
  }

  private static void setBack(Known task, long at, long now) {
    if (Math.floorDiv(task.mark, 1000L) - Math.floorDiv(at, 1000L) > THREE_HOURS / 1000) {
      task.mark = at - MINUTE;
      task.due = false;
      task.look(task.mark, now);
    }
    if (task.retryAt != null && task.failedAt != null && task.failedAt > at) {
      task.retryAt = Math.min(task.retryAt, at + task.retryDelay.toMillis());
    }
  }

  /** Time passed, or the clock was set forward, while nobody looked. */
  void clockMoved(long from, long to) {
    if (!active) {
      return; // what happened in between is found out by the next initialization
    }
    for (Known task : known.values()) {
      task.look(from, to);
    }
  }

  /**
   * The clock was set back.
   *
   * @param noticeable whether by a minute or more, counted from the latest time it showed
   */
  void clockSetBack(long to, boolean noticeable) {
    if (!active) {
      return;
    }
    for (Known task : known.values()) {
      if (noticeable && !task.running) {
        setBack(task, to, to);
      }
      // A minute that is in the future again will come again.
      task.due = task.due && task.minutes.anyIn(task.mark, to);
    }
  }

  void paused(String name, boolean paused) {
    Known task = known.get(name);
    assertTrue(task != null && task.paused != paused, () -> name + " was paused or resumed twice");
    task.paused = paused;
  }

  void started(SchedulerEvent.TaskEvent event, boolean stopCalled, long now) {
    String name = event.taskName();
    Known task = known.get(name);
    assertTrue(active && !stopCalled, () -> "S1: " + name + " started while not active");
    boolean requested =
        event instanceof SchedulerEvent.TaskRunStarted run
            && run.cause() == SchedulerEvent.Cause.REQUESTED;
    assertTrue(
        task != null && !task.running && (task.pending(now) || requested || task.interrupted),
        () -> "S1: " + name + " started but was not pending");
    boolean retry = event instanceof SchedulerEvent.TaskRetryStarted;
    boolean dueOrCut = task.due || task.interrupted;
    assertTrue(retry != (dueOrCut || requested), () -> name + " started as a retry: " + retry);
    if (requested) {
      task.pulses++; // a pulse of its own, and whoever asked is no occurrence
    }
    task.running = true;
    task.due = false;
    task.interrupted = false;
    task.retryAt = null;
    task.lastStart = now;
    task.mark = now;
    task.pulsesAtStart = task.pulses;
  }

  void succeeded(String name, Instant at, long now) {
    Known task = ended(name, at.toEpochMilli(), now);
    assertTrue(
        task.succeeded.add(task.pulsesAtStart),
        () -> "S2: two runs of " + name + " succeeded between two pulses");
  }

  void failed(String name, Instant retryAt, Instant at, long now) {
    Known task = ended(name, at.toEpochMilli(), now);
    task.failedAt = at.toEpochMilli();
    task.retryAt = retryAt.toEpochMilli();
  }

  /**
   * @param at when the end was noticed; it is told, later, when it is durable
   */
  private Known ended(String name, long at, long now) {
    Known task = known.get(name);
    assertTrue(task != null && task.running, () -> name + " ended but did not run");
    task.running = false;
    setBack(task, at, now);
    return task;
  }

  void stopped() {
    active = false;
    known.forEach((name, task) -> assertFalse(task.running, "S3: stopped while " + name + " runs"));
  }

  /**
   * Only what was durable remains; a run that was intended counts as begun and cut off.
   *
   * @param asked the tasks of requests that had no answer
   */
  void crashed(Collection<TaskState> durable, boolean lastStopCouldNotWrite, Set<String> asked) {
    active = false;
    Set<String> names = new HashSet<>();
    for (TaskState state : durable) {
      names.add(state.name());
      Known task = known.get(state.name());
      if (task == null) {
        // Its first initialization became durable and was never told.
        task = new Known(new Minutes(state.cronExpression(), zone), state.retryDelay());
        known.put(state.name(), task);
      }
      task.running = false;
      task.interrupted = state.runningUnder() != null;
      if (task.interrupted && asked.contains(state.name())) {
        task.pulses++; // it was asked for, and its start was never told
      }
      task.paused = state.pausedAt() != null;
      task.lastStart = millis(state.lastAttemptAt());
      task.failedAt = millis(state.lastFailureAt());
      task.retryAt = millis(state.pendingRetryUntil());
      if (lastStopCouldNotWrite) {
        task.succeeded.clear(); // stop() threw, and said that they would run again
      }
    }
    known.keySet().retainAll(names);
  }

  private static @Nullable Long millis(@Nullable Instant instant) {
    return instant == null ? null : instant.toEpochMilli();
  }

  /** L1: when the scheduler has come to rest, nothing that is obliged is left waiting. */
  void assertNothingObliged(long now) {
    if (active) {
      known.forEach(
          (name, task) -> assertFalse(task.pending(now), "L1: " + name + " is left waiting"));
    }
  }

  boolean anythingRuns() {
    return known.values().stream().anyMatch(task -> task.running);
  }
}
