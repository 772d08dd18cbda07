package dev.kron.notice;

import dev.kron.json.Json;
import dev.kron.json.JsonSyntaxException;
import dev.kron.json.JsonWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The open problems of one subject, at most one thread per rule, and the messages that are owed.
 * Immutable and pure: the messages follow from the events, the rules and the given time.
 *
 * <p>The first failure opens a thread and is reported; the next success closes it and is reported
 * as {@code recovered}. In between there are only reminders, one each time the rule's interval has
 * passed. While a subject is muted, threads open and close without messages; a thread that is open
 * when the mute ends is reported then.
 *
 * @param mutedUntilMillis 0 if it is not muted
 * @param owed the messages that no outbox has yet, oldest first
 */
public record Problems(long mutedUntilMillis, List<Problem> threads, List<Message> owed) {
  public static final Problems NONE = new Problems(0, List.of(), List.of());
  public static final long NEVER = Long.MAX_VALUE;

  /** The most messages of one subject that may wait while the outbox cannot be written. */
  static final int MOST_OWED = 50;

  /**
   * An open problem.
   *
   * @param rule the rule's key
   * @param sinceMillis when it began
   * @param toldMillis when it was last reported, 0 if never
   * @param count the number of messages so far, for their ids
   * @param last the last event that belongs to it
   */
  public record Problem(
      String rule, String id, long sinceMillis, long toldMillis, int count, Event last) {}

  public Problems {
    threads = List.copyOf(threads);
    owed = List.copyOf(owed);
  }

  public boolean isEmpty() {
    return mutedUntilMillis == 0 && threads.isEmpty() && owed.isEmpty();
  }

  /**
   * The problems after an event.
   *
   * @param rules the rules for this subject
   */
  public Problems after(Subject subject, List<Rule> rules, Event event, long nowMillis) {
    var draft = new Draft(this, subject, nowMillis);
    for (Rule rule : rules) {
      draft.happened(rule, event);
    }
    return draft.done();
  }

  /** The problems after time has passed: reminders, and the end of a mute. */
  public Problems reminded(Subject subject, List<Rule> rules, long nowMillis) {
    var draft = new Draft(this, subject, nowMillis);
    for (Problem thread : threads) {
      Rule rule = find(rules, thread.rule());
      if (rule == null) {
        draft.close(thread); // nobody wants to know any more
      } else if (dueMillis(thread, rule, nowMillis) <= nowMillis) {
        draft.tell(rule, thread, thread.last(), thread.toldMillis() > 0);
      }
    }
    return draft.done();
  }

  /**
   * The time at which {@link #reminded} has something to report; {@link #NEVER} if there will be
   * nothing.
   */
  public long remindMillis(List<Rule> rules, long nowMillis) {
    long next = NEVER;
    for (Problem thread : threads) {
      Rule rule = find(rules, thread.rule());
      next = Math.min(next, rule == null ? nowMillis : dueMillis(thread, rule, nowMillis));
    }
    return next;
  }

  private long dueMillis(Problem thread, Rule rule, long nowMillis) {
    long due = 0;
    if (thread.toldMillis() > 0) {
      if (rule.againAfter() == null) {
        return NEVER;
      }
      // A clock that was set back delays a reminder by at most one interval.
      due = Math.min(thread.toldMillis(), nowMillis) + rule.againAfter().toMillis();
    }
    return Math.max(due, isMuted(nowMillis) ? mutedUntilMillis : 0);
  }

  private static @Nullable Rule find(List<Rule> rules, String key) {
    for (Rule rule : rules) {
      if (rule.key().equals(key)) {
        return rule;
      }
    }
    return null;
  }

  public boolean isMuted(long nowMillis) {
    return nowMillis < mutedUntilMillis;
  }

  /**
   * The same problems, muted until a time.
   *
   * @param untilMillis 0 ends the mute
   */
  public Problems muted(long untilMillis) {
    return new Problems(untilMillis, threads, owed);
  }

  /** The same problems without the messages that were handed to the outbox. */
  public Problems settled(Collection<String> ids) {
    List<Message> left = new ArrayList<>(owed);
    left.removeIf(message -> ids.contains(message.id()));
    return left.size() == owed.size() ? this : new Problems(mutedUntilMillis, threads, left);
  }

  /** The problems while one step works them out. */
  private static final class Draft {
    private final Problems before;
    private final Subject subject;
    private final long now;
    private final List<Problem> threads;
    private final List<Message> owed;
    private boolean changed;

    Draft(Problems before, Subject subject, long now) {
      this.before = before;
      this.subject = subject;
      this.now = now;
      this.threads = new ArrayList<>(before.threads);
      this.owed = new ArrayList<>(before.owed);
    }

    void happened(Rule rule, Event event) {
      Problem thread = null;
      for (Problem each : threads) {
        if (each.rule().equals(rule.key())) {
          thread = each;
        }
      }
      boolean trouble = rule.on().contains(event.word()) && event.word() != Word.RECOVERED;
      boolean overdueRunEnded =
          thread != null
              && thread.last().word() == Word.LONG
              && event.endsRun()
              && event.run().equals(thread.last().run());
      if (thread != null && (overdueRunEnded || (event.succeeded() && !trouble))) {
        recovered(rule, thread, event);
        thread = null; // where the run ended badly, that is another problem
      }
      if (trouble) {
        trouble(rule, thread, event);
      }
    }

    private void trouble(Rule rule, @Nullable Problem thread, Event event) {
      boolean muted = before.isMuted(now);
      if (thread == null) {
        String id =
            Rule.hash(
                subject.key() + "\n" + rule.key() + "\n" + event.atMillis() + event.run(), 10);
        var opened = new Problem(rule.key(), id, event.atMillis(), 0, 0, event);
        threads.add(opened);
        changed = true;
        if (!muted) {
          tell(rule, opened, event, false);
        }
      } else if (thread.toldMillis() == 0 && !muted) {
        tell(rule, thread, event, false);
      } else if (event.word() != Word.LONG && !thread.last().equals(event)) {
        // A run that takes long changes nothing about an older problem, and its end does not end
        // it.
        replace(
            thread,
            new Problem(
                thread.rule(),
                thread.id(),
                thread.sinceMillis(),
                thread.toldMillis(),
                thread.count(),
                event));
      }
    }

    private void recovered(Rule rule, Problem thread, Event event) {
      if (thread.count() > 0 && rule.on().contains(Word.RECOVERED) && !before.isMuted(now)) {
        owe(rule, thread, event.withWord(Word.RECOVERED), false);
      }
      close(thread);
    }

    void tell(Rule rule, Problem thread, Event event, boolean reminder) {
      owe(rule, thread, event, reminder);
      replace(
          thread,
          new Problem(
              thread.rule(),
              thread.id(),
              thread.sinceMillis(),
              Math.max(1, now),
              thread.count() + 1,
              event));
    }

    private void owe(Rule rule, Problem thread, Event event, boolean reminder) {
      if (rule.channels().isEmpty()) {
        return; // it has pings alone
      }
      String id = thread.id() + "-" + (thread.count() + 1);
      owed.add(
          new Message(
              id, thread.id(), reminder, subject, event, thread.sinceMillis(), rule.channels()));
      if (owed.size() > MOST_OWED) {
        owed.removeFirst();
      }
      changed = true;
    }

    private void replace(Problem thread, Problem by) {
      threads.set(threads.indexOf(thread), by);
      changed = true;
    }

    void close(Problem thread) {
      threads.remove(thread);
      changed = true;
    }

    Problems done() {
      return changed ? new Problems(before.mutedUntilMillis, threads, owed) : before;
    }
  }

  /** The problems as JSON on one line. */
  public String json() {
    return JsonWriter.text(this::write);
  }

  private void write(JsonWriter json) throws IOException {
    json.beginObject();
    if (mutedUntilMillis != 0) {
      json.member("muted", mutedUntilMillis);
    }
    json.name("threads").beginArray();
    for (Problem thread : threads) {
      json.beginObject();
      json.member("rule", thread.rule());
      json.member("id", thread.id());
      json.member("since", thread.sinceMillis());
      json.member("told", thread.toldMillis());
      json.member("count", thread.count());
      json.name("last").beginObject();
      thread.last().write(json);
      json.endObject();
      json.endObject();
    }
    json.endArray();
    json.name("owed").beginArray();
    for (Message message : owed) {
      message.write(json);
    }
    json.endArray();
    json.endObject();
  }

  /**
   * Reads the output of {@link #json}.
   *
   * @throws JsonSyntaxException if the text is not JSON
   */
  public static Problems parse(String text) throws JsonSyntaxException {
    return read(Json.parse(text));
  }

  /** Reads the output of {@link #json}; missing members read as empty. */
  public static Problems read(Json json) {
    List<Problem> threads = new ArrayList<>();
    for (Json thread : json.list("threads")) {
      threads.add(
          new Problem(
              thread.text("rule"),
              thread.text("id"),
              thread.number("since"),
              thread.number("told"),
              (int) thread.number("count"),
              Event.read(thread.get("last"))));
    }
    List<Message> owed = json.list("owed").stream().map(Message::read).toList();
    return new Problems(json.number("muted"), threads, owed);
  }
}
