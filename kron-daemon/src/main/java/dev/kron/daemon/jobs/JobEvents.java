package dev.kron.daemon.jobs;

import dev.kron.cron.CronCalendar;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobEffect;
import dev.kron.job.JobSpec;
import dev.kron.job.Outcome;
import dev.kron.job.Reason;
import dev.kron.notice.Event;
import dev.kron.notice.Word;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The events of a step that people may be told of: successes, skips, and failures after the last
 * attempt, as with alerts. A run that an operator stopped or that another run replaced is no
 * problem; like a failure that is followed by another attempt it is the end of a run, and no more.
 */
final class JobEvents {
  private JobEvents() {}

  /** The events of a step, in the order in which they happened. */
  static List<Event> of(Write step) {
    if (step.history().isEmpty() && step.effects().isEmpty()) {
      return List.of();
    }
    List<Event> events = new ArrayList<>(1);
    Set<HistoryEntry> alerted = new HashSet<>(1);
    for (JobEffect effect : step.effects()) {
      if (effect instanceof JobEffect.Alert alert) {
        alerted.add(alert.entry());
        events.add(event(word(alert.entry()), alert.entry()));
      }
    }
    for (HistoryEntry entry : step.history()) {
      if (entry.success()) {
        events.add(event(isShort(step.job().spec, entry) ? Word.SHORT : Word.RECOVERED, entry));
      } else if (entry.outcome() == Outcome.SKIPPED && !isWanted(entry)) {
        events.add(event(Word.SKIPPED, entry));
      } else if (entry.outcome() == Outcome.EXECUTED && !alerted.contains(entry)) {
        events.add(event(Word.RECOVERED, entry));
      }
    }
    events.sort(Comparator.comparingLong(Event::atMillis));
    return events;
  }

  /** Whether a run ended sooner than it can have done its work. */
  private static boolean isShort(@Nullable JobSpec spec, HistoryEntry entry) {
    return spec != null
        && entry.startedAt() != 0
        && entry.completedAt() - entry.startedAt() < spec.watch().leastMillis();
  }

  private static Word word(HistoryEntry entry) {
    return switch (entry.outcome()) {
      case EXECUTED, SKIPPED -> Word.FAILED;
      case MISSED -> Word.MISSED;
      case UNSCHEDULABLE -> Word.UNSCHEDULABLE;
    };
  }

  private static boolean isWanted(HistoryEntry entry) {
    Reason why = entry.why();
    return why != null
        && switch (why.cause()) {
          case STOPPED_BY_OPERATOR, REPLACED, RELEASED -> true;
          default -> false;
        };
  }

  private static Event event(Word word, HistoryEntry entry) {
    return Event.builder(word, entry.completedAt())
        .succeeded(entry.success())
        .endsRun(entry.outcome() == Outcome.EXECUTED)
        .run(entry.runId() == null ? "" : entry.runId())
        .period(entry.nominal() == CronCalendar.NONE ? Event.NONE : entry.nominal())
        .exitCode(entry.exitCode())
        .signal(entry.signal())
        .reason(entry.reason())
        .build();
  }
}
