package dev.kron.daemon.jobs;

import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.LoopTime;
import dev.kron.daemon.loop.Timers;
import dev.kron.job.JobEvent;
import dev.kron.json.JsonSyntaxException;
import dev.kron.notice.Event;
import dev.kron.notice.Message;
import dev.kron.notice.NotifySpec;
import dev.kron.notice.Problems;
import dev.kron.notice.Rule;
import dev.kron.notice.Subject;
import dev.kron.notice.Word;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The messages about jobs. A message is decided with the step that causes it, and is written into
 * the job's state with that step. Only then the outbox takes it over, and once that is durable too
 * it is removed from the state. Used on the loop's thread only.
 *
 * <p>Only jobs of which something is open, owed or muted take any memory here.
 */
public final class JobNotices {
  private final Clocks clocks;
  private final Timers timers;
  private final Map<String, Problems> problems = new HashMap<>();
  private final Map<String, List<Wish>> wishes = new HashMap<>();
  private final Map<String, List<Wish>> underWay = new HashMap<>();

  /** Jobs with changes that are not written, to be looked at in the next turn. */
  private final Set<String> due = new LinkedHashSet<>();

  /** Suspended jobs with something open: no clock watches them, so nobody is reminded of them. */
  private final Set<String> suspended = new HashSet<>();

  private NotifySpec spec = NotifySpec.NONE;
  private @Nullable Post post;

  /** The receiver of messages. Nothing in it waits. */
  public interface Post {
    /** Makes messages its own; comes back as {@link JobInput.Told}. */
    void owe(String identity, List<Message> owed);

    /** The job's state durably has these messages no more. */
    void forget(List<String> ids);

    /** A run began or ended. */
    void ping(String channel, String job, RunSign sign, @Nullable Integer exitCode);
  }

  /** What a ping says about a run. */
  public enum RunSign {
    STARTED,
    SUCCEEDED,
    FAILED
  }

  /** A change to a job's notices that no event of its machine causes. */
  private record Wish(
      UnaryOperator<Problems> change, String text, @Nullable CompletableFuture<Answer> reply) {}

  public JobNotices(LoopTime time) {
    this.clocks = time.clocks();
    this.timers = time.timers();
  }

  /**
   * Takes up the notices in the states of all jobs.
   *
   * @param written as JSON, by identity
   */
  public void begin(Map<String, String> written) {
    written.forEach(
        (identity, json) -> {
          try {
            problems.put(identity, Problems.parse(json));
          } catch (JsonSyntaxException e) {
            // The reader of the file has checked that it is JSON.
          }
        });
  }

  /** From now on these rules hold, and messages go there. */
  public void use(NotifySpec changed, Post taker) {
    spec = changed;
    post = taker;
    handOverAll();
    problems.keySet().forEach(this::arm);
  }

  /** The ids of all owed messages, by the identity of the job. */
  public Map<String, List<String>> owed() {
    Map<String, List<String>> owed = new HashMap<>();
    problems.forEach(
        (identity, open) -> {
          if (!open.owed().isEmpty()) {
            owed.put(identity, open.owed().stream().map(Message::id).toList());
          }
        });
    return owed;
  }

  /** The open problems, owed messages and muting of a job. */
  public Problems of(String identity) {
    return problems.getOrDefault(identity, Problems.NONE);
  }

  boolean owes(String identity) {
    return post != null && !of(identity).owed().isEmpty();
  }

  /** Hands over all owed messages once more: some may not have arrived. */
  void handOverAll() {
    Post taker = post;
    if (taker != null) {
      problems.forEach(
          (identity, open) -> {
            if (!open.owed().isEmpty()) {
              taker.owe(identity, open.owed());
            }
          });
    }
  }

  /**
   * The notices of a job after a step; null: the same as before. A step that is written in any case
   * brings along what is open, since the file may have lost it.
   */
  @Nullable Problems after(Write step) {
    String identity = step.job().identity;
    List<Wish> wished = wishes.remove(identity);
    List<Event> events = spec.rules().isEmpty() ? List.of() : JobEvents.of(step);
    Problems before = of(identity);
    boolean isWritten = step.changes() && !before.isEmpty();
    if (wished == null && events.isEmpty()) {
      return isWritten ? before : null;
    }
    Problems after = before;
    if (wished != null) {
      underWay.put(identity, wished);
      for (Wish wish : wished) {
        after = wish.change().apply(after);
      }
    }
    if (!events.isEmpty()) {
      Subject subject = subject(identity);
      List<Rule> rules = spec.rulesFor(subject);
      for (Event event : events) {
        after = after.after(subject, rules, event, clocks.wallMillis());
      }
    }
    return after.equals(before) && !isWritten ? null : after;
  }

  private static Subject subject(String identity) {
    return new Subject(Subject.Kind.JOB, identity);
  }

  /**
   * The job's file has these notices now, perhaps not durably; no message leaves before they are.
   */
  void visible(String identity, @Nullable Problems written) {
    if (written != null) {
      if (written.isEmpty()) {
        problems.remove(identity);
      } else {
        problems.put(identity, written);
      }
    }
  }

  /** A step is durable. */
  void durable(Write write) {
    String identity = write.job().identity;
    Problems written = write.problems();
    Post taker = post;
    if (written != null) {
      List<Message> before = of(identity).owed();
      visible(identity, written);
      if (taker != null) {
        List<Message> added = new ArrayList<>(written.owed());
        added.removeAll(before);
        List<Message> gone = new ArrayList<>(before);
        gone.removeAll(written.owed());
        if (!gone.isEmpty()) {
          taker.forget(gone.stream().map(Message::id).toList());
        }
        if (!added.isEmpty()) {
          taker.owe(identity, added);
        }
      }
      arm(identity);
    }
    answer(identity, null);
    if (taker != null) {
      ping(write, taker);
    }
  }

  /** Nothing was to be written. */
  void unchanged(String identity) {
    answer(identity, null);
  }

  boolean isWished(String identity) {
    return wishes.containsKey(identity);
  }

  /** A step could not be written, so the changes in it have not happened. */
  void failed(String identity, String reason) {
    answer(identity, reason);
  }

  private void answer(String identity, @Nullable String problem) {
    List<Wish> wished = underWay.remove(identity);
    for (Wish wish : wished == null ? List.<Wish>of() : wished) {
      CompletableFuture<Answer> reply = wish.reply();
      if (reply != null) {
        reply.complete(
            problem == null ? new Answer.Done(wish.text(), null) : new Answer.Refused(problem));
      }
    }
  }

  /** The outbox has durably taken over these messages; the job owes them no longer. */
  public void told(String identity, List<String> ids) {
    wish(identity, new Wish(open -> open.settled(ids), "", null));
  }

  /** An event of a job that comes from a clock, not from one of its runs. */
  void noticed(String identity, Event event) {
    Subject subject = subject(identity);
    List<Rule> rules = spec.rulesFor(subject);
    if (!rules.isEmpty()) {
      long now = clocks.wallMillis();
      wish(identity, new Wish(open -> open.after(subject, rules, event, now), "", null));
    }
  }

  /**
   * Mutes a job.
   *
   * @param untilMillis 0: ends the muting
   */
  void mute(String identity, long untilMillis, CompletableFuture<Answer> reply) {
    if (post == null) {
      reply.complete(new Answer.Refused("nobody is told of anything: there is no notify.toml"));
      return;
    }
    String text = untilMillis == 0 ? "unmuted" : "muted until " + Instant.ofEpochMilli(untilMillis);
    wish(identity, new Wish(open -> open.muted(untilMillis), text, reply));
  }

  private void wish(String identity, Wish wish) {
    wishes.computeIfAbsent(identity, key -> new ArrayList<>(1)).add(wish);
    due.add(identity);
  }

  /** The jobs with changes that are not written. */
  List<String> takeDue() {
    if (due.isEmpty()) {
      return List.of();
    }
    List<String> taken = List.copyOf(due);
    due.clear();
    return taken;
  }

  /** Drops what is kept of a job that is in no file any more. */
  void drop(String identity) {
    List<Wish> wished = wishes.remove(identity);
    if (wished != null) {
      underWay.put(identity, wished);
      answer(identity, "there is no job " + identity);
    }
  }

  /** A job was looked at, and is suspended or not. */
  void seen(String identity, boolean isSuspended) {
    boolean changed =
        (isSuspended && problems.containsKey(identity))
            ? suspended.add(identity)
            : suspended.remove(identity);
    if (changed) {
      arm(identity);
    }
  }

  /** Sets all timers anew after the clock was set, since reminders follow the wall clock. */
  void rearm() {
    problems.keySet().forEach(this::arm);
  }

  /** Sets the timer of the next reminder. */
  private void arm(String identity) {
    String key = "notice:" + identity;
    Problems open = of(identity);
    long now = clocks.wallMillis();
    long next =
        open.threads().isEmpty() || post == null
            ? Problems.NEVER
            : open.remindMillis(remindingRules(identity), now);
    if (next == Problems.NEVER) {
      timers.cancel(key);
      return;
    }
    long nanos = Math.max(0, next - now) * 1_000_000L;
    timers.set(key, clocks.bootNanos() + Math.max(0, nanos), () -> remind(identity));
  }

  /** The rules for a job; while it is suspended, without reminders. */
  private List<Rule> remindingRules(String identity) {
    List<Rule> rules = spec.rulesFor(subject(identity));
    return suspended.contains(identity)
        ? rules.stream().map(Rule::withoutReminders).toList()
        : rules;
  }

  private void remind(String identity) {
    Subject subject = subject(identity);
    List<Rule> rules = remindingRules(identity);
    wish(identity, new Wish(open -> open.reminded(subject, rules, clocks.wallMillis()), "", null));
  }

  private void ping(Write write, Post taker) {
    if (spec.rules().stream().allMatch(rule -> rule.pings().isEmpty())) {
      return;
    }
    Set<String> channels = new LinkedHashSet<>();
    for (Rule rule : spec.rulesFor(subject(write.job().identity))) {
      channels.addAll(rule.pings());
    }
    String job = subject(write.job().identity).name();
    for (String channel : channels) {
      for (Job.Waiting waiting : write.events()) {
        if (waiting.event() instanceof JobEvent.Launched) {
          taker.ping(channel, job, RunSign.STARTED, null);
        }
      }
      for (Event event : JobEvents.of(write)) {
        if (event.succeeded() || (event.endsRun() && event.word() == Word.FAILED)) {
          RunSign sign = event.succeeded() ? RunSign.SUCCEEDED : RunSign.FAILED;
          taker.ping(channel, job, sign, event.exitCode());
        }
      }
    }
  }
}
