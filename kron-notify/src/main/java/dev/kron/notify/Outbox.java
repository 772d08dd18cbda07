package dev.kron.notify;

import dev.kron.json.Json;
import dev.kron.json.JsonSyntaxException;
import dev.kron.json.JsonWriter;
import dev.kron.notice.Message;
import dev.kron.notice.Problems;
import dev.kron.notice.Subject;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The messages that are to be sent, durable in a journal. What a job's state owes is taken over
 * here under its own id; as long as that debt may still stand, the id is remembered, so that a
 * daemon that died in between takes it over once. Every method may be called from any thread.
 *
 * <p>The journal is a list of what was done: {@code parcel} (taken over), {@code list} (many became
 * one), {@code sent}, {@code settled} (ids whose debts may stand), {@code problems} (threads of
 * those that have no state of their own). Where it was damaged, removed or could not be written it
 * is written anew from memory.
 */
public final class Outbox {
  static final int MOST_LOGGED = 500;
  static final int MOST_PENDING = 10_000;
  private static final int SPARE_LINES = 2_000;
  private static final int LIST_NAMES = 50;

  private final Journal journal;
  private final Map<String, Entry> pending = new LinkedHashMap<>();
  private final Set<String> settled = new HashSet<>();
  private final Deque<Sent> log = new ArrayDeque<>();
  private final Map<String, Problems> problems = new HashMap<>();
  private int lines;
  private boolean broken;
  private long delivered;
  private long lost;

  /** A parcel and how it fares. */
  static final class Entry {
    final Parcel parcel;

    /** The message stands in the journal; an urgent one may be sent before that. */
    boolean durable;

    /** Its channel has gathered long enough; a list, which is never gathered into another, has. */
    boolean ready;

    long sinceNanos = Long.MIN_VALUE;
    int tries;
    long nextTryNanos;
    @Nullable String problem;

    boolean isUrgent() {
      return parcel.isUrgent();
    }

    Entry(Parcel parcel, boolean durable) {
      this.parcel = parcel;
      this.durable = durable;
      this.ready = parcel.total() > 1;
    }
  }

  /**
   * The outcome of reading the journal.
   *
   * @param read false: nothing could be read, and it is to be tried again before anything else
   */
  public record Opened(boolean read, int unreadable, @Nullable String problem) {}

  public Outbox(Journal journal) {
    this.journal = journal;
  }

  /** Reads what an earlier daemon left. Lines that cannot be read are kept aside. */
  public synchronized Opened open() {
    int unreadable = 0;
    List<String> found;
    try {
      found = journal.read();
    } catch (IOException e) {
      return new Opened(false, 0, String.valueOf(e.getMessage()));
    }
    try {
      for (String line : found) {
        try {
          Json json = Json.parse(line);
          for (String name : json.names()) {
            read(name, json.get(name));
          }
        } catch (JsonSyntaxException e) {
          unreadable++;
        }
      }
      if (unreadable > 0) {
        journal.keepAside();
      }
      journal.replace(all());
      return new Opened(true, unreadable, null);
    } catch (IOException e) {
      broken = true;
      return new Opened(true, unreadable, String.valueOf(e.getMessage()));
    }
  }

  private void read(String name, Json json) {
    switch (name) {
      case "parcel" -> {
        Parcel parcel = Parcel.read(json);
        if (parcel.isReadable()) {
          pending.put(parcel.key(), new Entry(parcel, true));
        }
      }
      case "list" -> {
        Parcel parcel = Parcel.read(json);
        if (parcel.isReadable()) {
          for (String key : json.texts("of")) {
            pending.remove(key);
            settled.add(key);
          }
          pending.put(parcel.key(), new Entry(parcel, true));
        }
      }
      case "sent" -> {
        Sent sent = Sent.read(json);
        pending.remove(sent.key());
        settled.add(sent.key());
        log(sent);
      }
      case "settled" -> settled.addAll(json.texts("keys"));
      case "problems" -> problems.put(json.text("of"), Problems.read(json.get("state")));
      default -> {} // a newer daemon's
    }
  }

  /**
   * Takes messages over. Says whether they are durable; otherwise they are owed still, but for
   * those of the daemon itself, which are sent from memory.
   */
  public synchronized boolean take(Collection<Message> messages) {
    return take(messages, null, Problems.NONE);
  }

  /** Takes over what a subject owes that has no state of its own, together with its threads. */
  public synchronized boolean take(Subject subject, Problems state) {
    List<String> ids = state.owed().stream().map(Message::id).toList();
    if (!take(state.owed(), subject, state.settled(ids))) {
      return false;
    }
    forget(ids);
    return true;
  }

  private boolean take(Collection<Message> messages, @Nullable Subject subject, Problems state) {
    List<Parcel> added = new ArrayList<>();
    for (Message message : messages) {
      for (String channel : message.channels()) {
        Parcel parcel = Parcel.of(message, channel);
        Entry present = pending.get(parcel.key());
        if ((present == null || !present.durable) && !settled.contains(parcel.key())) {
          added.add(parcel);
        }
      }
    }
    List<String> written = new ArrayList<>();
    added.forEach(parcel -> written.add(line("parcel", parcel::write)));
    if (subject != null) {
      written.add(problems(subject.key(), state));
    }
    boolean durable = append(written);
    for (Parcel parcel : added) {
      if (durable || parcel.isUrgent()) {
        Entry present = pending.computeIfAbsent(parcel.key(), key -> new Entry(parcel, durable));
        present.durable = durable;
      }
    }
    if (subject != null && (durable || subject.kind() == Subject.Kind.DAEMON)) {
      if (state.isEmpty()) {
        problems.remove(subject.key());
      } else {
        problems.put(subject.key(), state);
      }
    }
    return durable;
  }

  /** The threads of a subject that has no state of its own. */
  public synchronized Problems problems(Subject subject) {
    return problems.getOrDefault(subject.key(), Problems.NONE);
  }

  /** The subjects without a state of their own of which something is open. */
  public synchronized List<Subject> subjects() {
    return problems.keySet().stream().map(Subject::ofKey).toList();
  }

  /** The debts are durably gone; nobody will ask for them to be taken over again. */
  public synchronized void forget(Collection<String> ids) {
    settled.removeIf(key -> ids.contains(Parcel.idOf(key)));
  }

  /** Known ids, sent or not, are reduced at a start to those that a state still owes. */
  public synchronized void forgetAllBut(Set<String> owed) {
    settled.removeIf(key -> !owed.contains(Parcel.idOf(key)));
  }

  synchronized List<Entry> of(String channel) {
    return pending.values().stream()
        .filter(entry -> entry.parcel.channel().equals(channel))
        .toList();
  }

  /** The channels for which something waits. */
  public synchronized Set<String> channels() {
    Set<String> channels = new HashSet<>();
    pending.values().forEach(entry -> channels.add(entry.parcel.channel()));
    return channels;
  }

  /** The number of messages that wait. */
  public synchronized int waiting() {
    return pending.size();
  }

  /** The number of messages that were delivered since this daemon began. */
  public synchronized long delivered() {
    return delivered;
  }

  /** The number of messages that were given up since this daemon began. */
  public synchronized long lost() {
    return lost;
  }

  /** Makes one list of many; null where that cannot be made durable. */
  synchronized @Nullable Entry gather(List<Entry> many) {
    List<Message> messages = new ArrayList<>();
    StringBuilder ids = new StringBuilder();
    List<String> keys = new ArrayList<>();
    for (Entry entry : many) {
      messages.add(entry.parcel.messages().getFirst());
      ids.append(entry.parcel.id()).append('\n');
      keys.add(entry.parcel.key());
    }
    String channel = many.getFirst().parcel.channel();
    Parcel list = Parcel.list(ListId.of(ids.toString()), channel, messages, LIST_NAMES);
    String line =
        line(
            "list",
            json -> {
              list.write(json);
              json.member("of", keys);
            });
    if (!append(List.of(line))) {
      return null;
    }
    for (String key : keys) {
      pending.remove(key);
      settled.add(key);
    }
    var entry = new Entry(list, true);
    entry.sinceNanos = many.getFirst().sinceNanos;
    pending.put(list.key(), entry);
    return entry;
  }

  /** A message was delivered or given up; if that is not written it may be sent once more. */
  synchronized void done(Entry entry, long atMillis, @Nullable String problem) {
    Parcel parcel = entry.parcel;
    var sent =
        new Sent(
            parcel.id(),
            parcel.channel(),
            parcel.what(),
            parcel.subject(),
            atMillis,
            problem == null ? Sent.State.DELIVERED : Sent.State.GIVEN_UP,
            entry.tries,
            problem);
    pending.remove(parcel.key());
    settled.add(parcel.key());
    log(sent);
    if (problem == null) {
      delivered++;
    } else {
      lost++;
    }
    append(List.of(line("sent", sent::write)));
  }

  /** The messages that have to go because too many wait, oldest first. */
  synchronized List<Entry> surplus() {
    return pending.values().stream().limit(Math.max(0, pending.size() - MOST_PENDING)).toList();
  }

  /** The messages that wait, then those that were sent or given up, the newest of each first. */
  public synchronized List<Sent> log(int limit) {
    List<Sent> all = new ArrayList<>();
    for (Entry entry : pending.values()) {
      Parcel parcel = entry.parcel;
      all.addFirst(
          new Sent(
              parcel.id(),
              parcel.channel(),
              parcel.what(),
              parcel.subject(),
              parcel.messages().getFirst().event().atMillis(),
              Sent.State.WAITING,
              entry.tries,
              entry.problem));
    }
    log.descendingIterator().forEachRemaining(all::add);
    return List.copyOf(all.subList(0, Math.min(limit, all.size())));
  }

  private void log(Sent sent) {
    log.add(sent);
    if (log.size() > MOST_LOGGED) {
      log.remove();
    }
  }

  private boolean append(List<String> added) {
    if (added.isEmpty() && !broken) {
      return true;
    }
    try {
      if (broken || !journal.isIntact()) {
        broken = true;
        replaceWith(added);
      } else if (lines + added.size() > SPARE_LINES + 2 * (pending.size() + MOST_LOGGED)) {
        replaceWith(added);
      } else {
        broken = true; // until it has worked
        journal.append(added);
        broken = false;
        lines += added.size();
      }
      return true;
    } catch (IOException e) {
      broken = true;
      return false;
    }
  }

  private void replaceWith(List<String> added) throws IOException {
    List<String> all = new ArrayList<>(all());
    all.addAll(added);
    journal.replace(all);
    broken = false;
    lines = all.size();
    pending.values().forEach(entry -> entry.durable = true);
  }

  /** The lines of all that is worth remembering. */
  private List<String> all() {
    List<String> all = new ArrayList<>();
    log.forEach(sent -> all.add(line("sent", sent::write)));
    if (!settled.isEmpty()) {
      all.add(line("settled", json -> json.member("keys", settled)));
    }
    problems.forEach((of, state) -> all.add(problems(of, state)));
    pending.values().forEach(entry -> all.add(line("parcel", entry.parcel::write)));
    lines = all.size();
    return all;
  }

  private static String problems(String of, Problems state) {
    return "{\"problems\":{\"of\":"
        + JsonWriter.text(json -> json.value(of))
        + ",\"state\":"
        + state.json()
        + "}}";
  }

  private static String line(String name, JsonWriter.Body members) {
    return JsonWriter.text(
        json -> {
          json.beginObject();
          json.name(name).beginObject();
          members.write(json);
          json.endObject();
          json.endObject();
        });
  }
}
