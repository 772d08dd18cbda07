package dev.kron.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kron.notice.Message;
import dev.kron.notify.channel.Letter;
import dev.kron.simulation.StateView.Entry;
import dev.kron.simulation.StateView.OpenProblem;
import dev.kron.simulation.StateView.Owed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Messages: owed with the outcome that they tell of, durable, delivered, and by rule only once.
 *
 * <p>One file, though a long one: all rules judge by the same lists of what is owed and delivered.
 */
final class MessageRules implements SimulatedReceivers.Onlooker {
  static final Path OUTBOX = Machine.STATE.resolve("outbox");
  private static final long SLOW_NANOS = 90_000_000_000L;
  private static final String RECOVERED = "recovered";

  /** The number of messages of a list that are in it by name. */
  private static final int LIST_NAMES = 50;

  private final Machine machine;
  private final Circumstances around;
  private final BiFunction<Invariant, String, Violation> fail;
  private @Nullable NotifyEntry inForce;

  /** The moment until when written states may follow from other rules. */
  private long unsureUntilNanos;

  /** All messages that were ever owed, durably, by id. */
  private final Set<String> known = new HashSet<>();

  /** Messages that no receiver has yet, by id and channel. */
  private final Map<String, Debt> debts = new LinkedHashMap<>();

  /** When receivers got what they have, by id and channel. */
  private final Map<String, Long> delivered = new HashMap<>();

  /** Messages that were delivered before this moment may be delivered once more. */
  private long forgivenNanos = -1;

  /** Messages that the daemon's log said to be given up, by id and channel. */
  private final Set<String> saidGivenUp = new HashSet<>();

  /** A daemon died, maybe between writing that it gave something up and its log of that. */
  private boolean mayBeUnsaid;

  private final Map<String, Problem> problems = new HashMap<>();
  private boolean outboxLost;

  /** The daemon that is there has read what was in the outbox, and written it anew. */
  private boolean opened;

  /** Writing did not always work since the daemon that is there began. */
  private boolean troubled;

  private boolean changedInTrouble; // a reminder may have waited that was due by earlier rules

  private record Debt(String identity, long sinceNanos) {}

  /** A thread of messages. */
  private static final class Problem {
    final String identity;
    boolean told;
    boolean over;

    /** The job's file, which told of the message, was lost. */
    boolean unsure;

    Problem(String identity) {
      this.identity = identity;
    }
  }

  /** An event of a job that a write tells. */
  private record Happened(String word, boolean success, String at) {}

  MessageRules(
      Machine machine, Circumstances around, BiFunction<Invariant, String, Violation> fail) {
    this.machine = machine;
    this.around = around;
    this.fail = fail;
  }

  /** A daemon starts with this file; null: none. */
  void started(@Nullable NotifyEntry file) {
    if (outboxLost && machine.disk.content(OUTBOX) == null) {
      debts.clear();
      forgivenNanos = machine.clock.nanos();
    }
    if (mayBeUnsaid) {
      saidByTheOutbox();
    }
    mayBeUnsaid = false;
    outboxLost = false;
    opened = false;
    troubled = machine.disk.troubled();
    changedInTrouble = false;
    inForce = file;
    unsureUntilNanos = 0;
  }

  /** The daemon has taken this file over; null: none. */
  void applied(@Nullable NotifyEntry file) {
    inForce = file;
    changedInTrouble |= troubled;
    unsureUntilNanos = machine.clock.nanos() + SLOW_NANOS;
  }

  /** The daemon is gone without a chance to note what it sent. */
  void died() {
    forgivenNanos = machine.clock.nanos();
    mayBeUnsaid = true;
  }

  /** The daemon has left in order. */
  void left() {
    if (troubled) {
      forgivenNanos = machine.clock.nanos(); // what it sent last may not be written down
    }
  }

  /** Writing does not always work. */
  void troubled() {
    troubled = true;
  }

  /** The outbox is there no more: only a daemon that goes on still knows what was in it. */
  void outboxLost() {
    outboxLost = true;
    if (!opened) {
      debts.clear();
      forgivenNanos = machine.clock.nanos();
    }
  }

  /** A file is durable. */
  void durable(Path file) {
    opened |= file.equals(OUTBOX);
  }

  /** The file of a job is lost, and with it what it owed. */
  void excused(String identity) {
    debts.values().removeIf(it -> it.identity.equals(identity));
    problems.values().forEach(it -> it.unsure |= it.identity.equals(identity));
  }

  /** A job's file is another one now. */
  void durable(@Nullable StateView before, StateView now) {
    for (Owed message : now.notices().owed()) {
      if (known.add(message.id())) {
        follows(now, message);
        for (String channel : message.channels()) {
          String key = key(message.id(), channel);
          if (!saidGivenUp.contains(key)) { // before this was written, on a slow disk
            debts.put(key, new Debt(now.identity(), machine.clock.nanos()));
          }
        }
      }
    }
    NotifyEntry file = inForce;
    boolean sure = around.entries != null && machine.clock.nanos() >= unsureUntilNanos;
    if (before == null || file == null || !sure) {
      return;
    }
    List<Happened> events = events(before, now);
    for (NotifyEntry.Rule rule : file.rulesFor(now.identity())) {
      if (events != null && !events.isEmpty()) {
        isOwed(rule, before, now, events);
      }
      isNoReminderTooSoon(rule, before, now);
    }
  }

  private static String key(String id, String channel) {
    return id + "/" + channel;
  }

  /** A message takes its place in the thread of its problem. */
  private void follows(StateView now, Owed message) {
    Problem problem = problems.computeIfAbsent(message.thread(), id -> new Problem(now.identity()));
    if (problem.unsure) {
      return;
    }
    boolean opens = !message.reminder() && !message.isRecovery();
    if (problem.over || opens == problem.told) {
      throw fail.apply(
          Invariant.MESSAGES_FOLLOW_THE_PROBLEM,
          "%s owes %s, %s"
              .formatted(
                  now.identity(),
                  message,
                  problem.over
                      ? "and that is over"
                      : problem.told ? "of which somebody was told" : "of which nobody was told"));
    }
    problem.told = true;
    problem.over = message.isRecovery();
  }

  /** The events that a write tells; null where not all of them can be seen. */
  private static @Nullable List<Happened> events(StateView before, StateView now) {
    Set<Entry> old = new HashSet<>(before.history());
    List<Entry> added = now.history().stream().filter(it -> !old.contains(it)).toList();
    if (now.history().size() < before.history().size() + added.size()) {
      return null; // a full history has dropped some
    }
    var events = new ArrayList<Happened>();
    for (Entry entry : added) { // in the order in which they were decided
      if (entry.success()) {
        events.add(new Happened(RECOVERED, true, entry.completedAt()));
      } else if (entry.outcome().equals("skipped") && !Alarms.isWanted(entry)) {
        events.add(new Happened("skipped", false, entry.completedAt()));
        if (entry.attempt() > 1 && entry.why().cause().equals("still-active")) {
          events.add(new Happened("failed", false, entry.completedAt())); // of the one before it
        }
      }
      boolean waits = now.retry() != null && now.retry().failedRun().equals(entry.runId());
      if (Alarms.isFailure(entry) && !entry.released() && !waits) {
        events.add(new Happened(word(entry), false, entry.completedAt()));
      }
    }
    StateView.Waiting waited = before.retry();
    if (waited != null
        && !waited.equals(now.retry())
        && now.active().stream().noneMatch(waited::isAttempt)
        && added.stream().noneMatch(waited::isAttempt)) {
      for (Entry entry : now.history()) {
        if (entry.runId().equals(waited.failedRun())) {
          events.add(new Happened("failed", false, entry.completedAt()));
        }
      }
    }
    events.sort(Comparator.comparing(Happened::at));
    return events;
  }

  private static String word(Entry entry) {
    return entry.outcome().equals(StateView.Entry.EXECUTED) ? "failed" : entry.outcome();
  }

  /** An event that a write tells, by a rule, is owed in it. */
  private void isOwed(
      NotifyEntry.Rule rule, StateView before, StateView now, List<Happened> events) {
    OpenProblem was = before.notices().threads().get(rule.key());
    OpenProblem is = now.notices().threads().get(rule.key());
    boolean open = was != null;
    boolean opened = false;
    boolean closed = false;
    for (Happened event : events) {
      if (!event.success && rule.tells(event.word)) {
        opened |= !open;
        open = true;
      } else if (event.success && open) {
        closed |= !opened;
        open = false;
        opened = false;
      }
    }
    boolean same = was == null || is == null || closed || was.id().equals(is.id());
    boolean right = same && open == (is != null);
    if (right && is != null && opened && rule.hasMessages()) {
      right = owes(now, is.id(), false);
    }
    if (right && was != null && closed && rule.tells(RECOVERED) && rule.hasMessages()) {
      right = owes(now, was.id(), true);
    }
    if (!right) {
      throw fail.apply(
          Invariant.MESSAGES_ARE_OWED_WITH_THE_OUTCOME,
          "%s: %s, by %s; it had %s and has %s"
              .formatted(now.identity(), events, rule, before.notices(), now.notices()));
    }
  }

  private static boolean owes(StateView now, String thread, boolean recovery) {
    return now.notices().owed().stream()
        .anyMatch(it -> it.thread().equals(thread) && it.isRecovery() == recovery);
  }

  private void isNoReminderTooSoon(NotifyEntry.Rule rule, StateView before, StateView now) {
    OpenProblem was = before.notices().threads().get(rule.key());
    OpenProblem is = now.notices().threads().get(rule.key());
    if (was == null || is == null || changedInTrouble) {
      return;
    }
    boolean again = was.id().equals(is.id()) && is.count() > was.count();
    boolean clockSet = around.clockSetNanos > Long.MIN_VALUE / 2;
    if (again && !clockSet && is.toldMillis() - was.toldMillis() < rule.againSeconds() * 1000) {
      throw fail.apply(
          Invariant.MESSAGES_FOLLOW_THE_PROBLEM,
          "%s is reminded too soon by %s: it had %s and has %s"
              .formatted(now.identity(), rule, was, is));
    }
  }

  @Override
  public void delivered(String channel, Letter letter, boolean heard) {
    byte[] outbox = machine.disk.platter(OUTBOX);
    String written = outbox == null ? "" : new String(outbox, UTF_8);
    String what = "message " + letter.id() + " to " + channel;
    if (channel.equals(NotifyEntry.BEAT)) {
      throw fail.apply(Invariant.MESSAGES_FOLLOW_THE_PROBLEM, what + ", which takes none");
    }
    // A daemon that cannot write goes on with what an earlier one has left to be read.
    if (!outboxLost && !troubled && !written.contains("\"id\":\"" + letter.id() + "\"")) {
      throw fail.apply(Invariant.MESSAGES_ARE_DURABLE, what + " is not in the outbox");
    }
    if (letter.total() <= LIST_NAMES && letter.total() != letter.messages().size()) {
      throw fail.apply(Invariant.MESSAGES_ARE_NOT_LOST, what + " names not all");
    }
    for (Message message : letter.messages()) {
      if (!known.contains(message.id())) {
        throw fail.apply(Invariant.MESSAGES_ARE_DURABLE, what + " was never owed: " + message);
      }
      String key = key(message.id(), channel);
      debts.remove(key);
      Long before = heard ? delivered.put(key, machine.clock.nanos()) : delivered.get(key);
      if (before != null && before > forgivenNanos) {
        throw fail.apply(Invariant.MESSAGES_COME_ONCE, what + " once more: " + message);
      }
    }
  }

  /** The daemon says that something will never be delivered. */
  void gaveUp(String line) {
    gaveUp(word(line, "id="), word(line, "channel="));
  }

  private void gaveUp(String id, String channel) {
    saidGivenUp.add(key(id, channel));
    if (id.startsWith("list-")) {
      debts.keySet().removeIf(key -> key.endsWith("/" + channel));
    } else {
      debts.remove(key(id, channel));
    }
  }

  /**
   * The outbox says, to whoever lists the messages, what was given up by a daemon that died before
   * its log could. It gives up one at a time: more than one has no excuse.
   */
  private void saidByTheOutbox() {
    byte[] outbox = machine.disk.content(OUTBOX);
    String text = outbox == null ? "" : new String(outbox, UTF_8);
    List<Map<?, ?>> unsaid = new ArrayList<>();
    for (String line : text.lines().toList()) {
      Map<?, ?> sent = sent(line);
      if (sent != null
          && "GIVEN_UP".equals(sent.get("state"))
          && !saidGivenUp.contains(key("" + sent.get("id"), "" + sent.get("channel")))) {
        unsaid.add(sent);
      }
    }
    if (unsaid.size() == 1) {
      Map<?, ?> sent = unsaid.getFirst();
      gaveUp("" + sent.get("id"), "" + sent.get("channel"));
    }
  }

  /** The outbox's line of a message that is done with; null: something else. */
  private static @Nullable Map<?, ?> sent(String line) {
    try {
      return WitnessJson.parse(line.getBytes(UTF_8)) instanceof Map<?, ?> entry
              && entry.get("sent") instanceof Map<?, ?> sent
          ? sent
          : null;
    } catch (IllegalArgumentException e) {
      return null; // damaged: nobody reads it
    }
  }

  private static String word(String line, String name) {
    int start = line.indexOf(" " + name) + 1 + name.length();
    int end = line.indexOf(' ', start);
    return line.substring(start, end < 0 ? line.length() : end);
  }

  /** When faults have stopped, nothing is owed to anybody. */
  void settled(long bySimulatedNanos) {
    debts.forEach(
        (key, debt) -> {
          if (debt.sinceNanos < bySimulatedNanos) {
            throw fail.apply(
                Invariant.MESSAGES_ARE_NOT_LOST,
                "%s of %s is owed for %s s"
                    .formatted(
                        key,
                        debt.identity,
                        (machine.clock.nanos() - debt.sinceNanos) / 1_000_000_000L));
          }
        });
  }
}
