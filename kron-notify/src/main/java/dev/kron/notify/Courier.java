package dev.kron.notify;

import dev.kron.notice.Channel;
import dev.kron.notice.Event;
import dev.kron.notice.Message;
import dev.kron.notice.NotifySpec;
import dev.kron.notice.Subject;
import dev.kron.notice.Word;
import dev.kron.notify.Outbox.Entry;
import dev.kron.notify.channel.Delivery;
import dev.kron.notify.channel.Letter;
import dev.kron.notify.channel.Ping;
import dev.kron.notify.channel.Secrets;
import dev.kron.notify.channel.Sender;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Carries what is in the outbox to its channels, each channel in a lane of its own: one that hangs
 * holds up no other. A channel gathers for ten seconds; more than five messages become one list.
 * What a receiver does not take is tried again with growing patience, by a clock that nobody sets.
 */
public final class Courier {
  static final long GATHER_NANOS = TimeUnit.SECONDS.toNanos(10);
  static final int MOST_SINGLE = 5;
  static final long PING_AGE_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long FIRST_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long LONGEST_PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(15);
  private static final long PING_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long GIVE_UP_NANOS = TimeUnit.DAYS.toNanos(3);
  private static final int MOST_PINGS = 1_000;

  private final Outbox outbox;
  private final Sender sender;
  private final World world;
  private final Map<String, Lane> lanes = new HashMap<>();
  private NotifySpec spec;

  /** The surroundings of a courier. */
  public interface World {
    /** The clock that nobody sets. */
    long nanos();

    long wallMillis();

    /** A task is done soon, beside what other lanes do. */
    void execute(String lane, Runnable task);

    /**
     * A task is done later, by the clock that nobody sets, in place of what that lane waits for.
     */
    void after(String lane, long millis, Runnable task);

    /**
     * The secrets of a channel, as they are now.
     *
     * @throws IllegalArgumentException whose message says, without a secret, why there are none
     */
    Secrets secrets(Channel channel);

    /** The last lines of a run's output. */
    List<String> output(String run, int lines);

    String host();

    /** Told when a channel does not work, or works again: null. */
    void report(String channel, @Nullable String problem);

    /** Told when something will never be delivered. */
    void gaveUp(String channel, String id, String problem);
  }

  /** The state of a channel. */
  private static final class Lane {
    boolean busy;
    int failures;
    long pausedUntilNanos = Long.MIN_VALUE;
    long wakeNanos = Long.MAX_VALUE;

    /** The problem that was last told of it, null: nothing is wrong. */
    @Nullable String problem;

    final Deque<Pinged> pings = new ArrayDeque<>();
  }

  private record Pinged(Ping ping, long atNanos) {}

  public Courier(Outbox outbox, Sender sender, World world, NotifySpec spec) {
    this.outbox = outbox;
    this.sender = sender;
    this.world = world;
    this.spec = spec;
  }

  /** The file says something else now. What was refused is tried again at once. */
  public synchronized void use(NotifySpec changed) {
    spec = changed;
    for (Lane lane : lanes.values()) {
      lane.pausedUntilNanos = Long.MIN_VALUE;
      lane.problem = null; // it is told anew if it stands
    }
    outbox.channels().forEach(name -> outbox.of(name).forEach(entry -> entry.nextTryNanos = 0));
    look();
  }

  /** The outbox may have something new. */
  public synchronized void look() {
    outbox.surplus().forEach(entry -> giveUp(entry, "too many messages waited"));
    outbox.channels().forEach(this::look);
  }

  /** A sign of life, which is worth nothing a minute later. */
  public synchronized void ping(String channel, Ping ping) {
    Lane lane = lane(channel);
    if (lane.pings.size() >= MOST_PINGS) {
      lane.pings.remove();
    }
    lane.pings.add(new Pinged(ping, world.nanos()));
    look(channel);
  }

  private Lane lane(String channel) {
    return lanes.computeIfAbsent(channel, name -> new Lane());
  }

  /** Sees to it that the channel is served when there is something to do. */
  private synchronized void look(String channel) {
    Lane lane = lane(channel);
    if (lane.busy) {
      return;
    }
    long now = world.nanos();
    long next = next(channel, lane, now);
    if (next <= now) {
      lane.busy = true;
      lane.wakeNanos = Long.MAX_VALUE;
      world.execute(channel, () -> serve(channel, lane));
    } else if (next != Long.MAX_VALUE && (lane.wakeNanos <= now || next < lane.wakeNanos)) {
      lane.wakeNanos = next;
      world.after(
          channel,
          TimeUnit.NANOSECONDS.toMillis(next - now) + 1,
          () -> {
            synchronized (this) {
              lane.wakeNanos = Long.MAX_VALUE;
            }
            look(channel);
          });
    }
  }

  /** When there is something to do. */
  private long next(String channel, Lane lane, long now) {
    if (!lane.pings.isEmpty()) {
      return Math.max(now, lane.pausedUntilNanos);
    }
    long next = Long.MAX_VALUE;
    boolean gathers = gathers(channel);
    for (Entry entry : outbox.of(channel)) {
      if (entry.sinceNanos == Long.MIN_VALUE) {
        entry.sinceNanos = now;
      }
      long due =
          entry.tries > 0
              ? entry.nextTryNanos
              : entry.ready || !gathers || entry.isUrgent() ? now : entry.sinceNanos + GATHER_NANOS;
      next = Math.min(next, due);
    }
    return next == Long.MAX_VALUE ? next : Math.max(next, lane.pausedUntilNanos);
  }

  private boolean gathers(String channel) {
    Channel known = spec.channels().get(channel);
    return known != null && known.gathers();
  }

  private void serve(String channel, Lane lane) {
    try {
      for (Runnable work = work(channel, lane); work != null; work = work(channel, lane)) {
        work.run();
      }
    } finally {
      synchronized (this) {
        lane.busy = false;
      }
      look(channel);
    }
  }

  /** The next thing to send, null where nothing is to be sent now. */
  private synchronized @Nullable Runnable work(String channel, Lane lane) {
    long now = world.nanos();
    Channel known = spec.channels().get(channel);
    if (known == null) {
      outbox
          .of(channel)
          .forEach(entry -> giveUp(entry, "there is no channel " + channel + " any more"));
      lane.pings.clear();
      return null;
    }
    if (now < lane.pausedUntilNanos) {
      return null;
    }
    lane.pings.removeIf(pinged -> now - pinged.atNanos() > PING_AGE_NANOS);
    Pinged pinged = lane.pings.poll();
    if (pinged != null) {
      return () -> send(known, lane, pinged);
    }
    Entry entry = choose(known, now);
    return entry == null ? null : () -> send(known, lane, entry);
  }

  private @Nullable Entry choose(Channel channel, long now) {
    List<Entry> fresh = new ArrayList<>();
    boolean over = false;
    for (Entry entry : outbox.of(channel.name())) {
      if (entry.tries > 0) {
        if (entry.nextTryNanos <= now) {
          return entry;
        }
      } else if (entry.isUrgent() || entry.ready || !channel.gathers()) {
        return entry;
      } else {
        fresh.add(entry);
        over |= entry.sinceNanos != Long.MIN_VALUE && entry.sinceNanos + GATHER_NANOS <= now;
      }
    }
    if (!over) {
      return null;
    }
    if (fresh.size() > MOST_SINGLE) {
      Entry list = outbox.gather(fresh);
      if (list == null) {
        fresh.forEach(entry -> entry.sinceNanos = now); // once it can be written
      }
      return list;
    }
    fresh.forEach(entry -> entry.ready = true);
    return fresh.getFirst();
  }

  private void send(Channel channel, Lane lane, Pinged pinged) {
    Delivery delivery = attempt(channel, secrets -> sender.ping(channel, secrets, pinged.ping()));
    synchronized (this) {
      if (delivery instanceof Delivery.Unreachable) {
        lane.pings.addFirst(pinged);
        lane.pausedUntilNanos = world.nanos() + PING_PATIENCE_NANOS;
      }
      tell(channel, lane, delivery);
    }
  }

  private void send(Channel channel, Lane lane, Entry entry) {
    Letter letter = letter(channel, entry.parcel);
    Delivery delivery = attempt(channel, secrets -> sender.send(channel, secrets, letter));
    synchronized (this) {
      long now = world.nanos();
      switch (delivery) {
        case Delivery.Delivered _ -> {
          lane.failures = 0;
          outbox.done(entry, world.wallMillis(), null);
        }
        case Delivery.Unreachable unreachable -> {
          lane.failures++;
          lane.pausedUntilNanos = now + patience(lane.failures);
          later(entry, now, unreachable.reason());
        }
        case Delivery.Refused refused -> later(entry, now, refused.reason());
      }
      tell(channel, lane, delivery);
    }
  }

  private void later(Entry entry, long now, String problem) {
    entry.tries++;
    entry.problem = problem;
    entry.nextTryNanos = now + patience(entry.tries);
    if (now - entry.sinceNanos > GIVE_UP_NANOS) {
      giveUp(entry, problem);
    }
  }

  private void giveUp(Entry entry, String problem) {
    outbox.done(entry, world.wallMillis(), problem);
    world.gaveUp(entry.parcel.channel(), entry.parcel.id(), problem);
  }

  static long patience(int failures) {
    return Math.min(
        LONGEST_PATIENCE_NANOS, FIRST_PATIENCE_NANOS << Math.min(Math.max(failures - 1, 0), 10));
  }

  private void tell(Channel channel, Lane lane, Delivery delivery) {
    String problem =
        switch (delivery) {
          case Delivery.Delivered delivered -> delivered.remark();
          case Delivery.Refused refused -> refused.reason();
          case Delivery.Unreachable unreachable -> unreachable.reason();
        };
    if (!Objects.equals(problem, lane.problem)) {
      lane.problem = problem;
      world.report(channel.name(), problem);
    }
  }

  private interface Attempt {
    Delivery with(Secrets secrets);
  }

  /** A channel goes on whatever goes wrong in an attempt. */
  private Delivery attempt(Channel channel, Attempt attempt) {
    try {
      return attempt.with(world.secrets(channel));
    } catch (IllegalArgumentException e) {
      return new Delivery.Refused(String.valueOf(e.getMessage()));
    } catch (RuntimeException | LinkageError e) {
      // Its message may show what it was about; its class does not.
      return new Delivery.Refused("an error of the daemon itself: " + e.getClass().getName());
    }
  }

  private Letter letter(Channel channel, Parcel parcel) {
    String run = parcel.messages().getFirst().event().run();
    List<String> output =
        parcel.total() > 1 || run.isEmpty() || channel.lines() == 0
            ? List.of()
            : world.output(run, channel.lines());
    return new Letter(
        parcel.id(), parcel.messages(), parcel.total(), parcel.counts(), world.host(), output);
  }

  /** Sends a message that is no alarm, at once, and waits for what becomes of it. */
  public Delivery test(Channel channel, String id) {
    if (channel.type() == Channel.Type.PING) {
      return attempt(
          channel,
          secrets -> sender.ping(channel, secrets, new Ping("test", Ping.State.SUCCEEDED, 0)));
    }
    // A pager shows nothing of an end that had no beginning.
    List<Word> words =
        channel.type() == Channel.Type.PAGERDUTY
            ? List.of(Word.UNHEALTHY, Word.RECOVERED)
            : List.of(Word.RECOVERED);
    Delivery delivery = new Delivery.Refused("nothing was sent");
    for (Word word : words) {
      Letter letter = testLetter(channel, id, word);
      delivery = attempt(channel, secrets -> sender.send(channel, secrets, letter));
      if (!(delivery instanceof Delivery.Delivered)) {
        return delivery;
      }
    }
    return delivery;
  }

  private Letter testLetter(Channel channel, String id, Word word) {
    String text = "a test of channel " + channel.name() + ", no alarm";
    Event event = Event.noticed(word, world.wallMillis(), text);
    var message =
        new Message(
            id, id, false, Subject.DAEMON, event, event.atMillis(), List.of(channel.name()));
    return new Letter(id, List.of(message), 1, Map.of(word, 1), world.host(), List.of());
  }
}
