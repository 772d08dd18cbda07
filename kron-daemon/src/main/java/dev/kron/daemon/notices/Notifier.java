package dev.kron.daemon.notices;

import dev.kron.config.ConfigFiles;
import dev.kron.config.NotifyFile;
import dev.kron.daemon.jobs.JobInput;
import dev.kron.daemon.jobs.JobNotices;
import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.log.Faults;
import dev.kron.daemon.log.Reports;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.loop.Errands.Place;
import dev.kron.notice.Channel;
import dev.kron.notice.Event;
import dev.kron.notice.Message;
import dev.kron.notice.NotifySpec;
import dev.kron.notice.Problems;
import dev.kron.notice.Rule;
import dev.kron.notice.Subject;
import dev.kron.notice.Word;
import dev.kron.notify.Courier;
import dev.kron.notify.Outbox;
import dev.kron.notify.Sent;
import dev.kron.notify.channel.Delivery;
import dev.kron.notify.channel.Letter;
import dev.kron.notify.channel.Ping;
import dev.kron.notify.channel.Sender;
import dev.kron.store.StateDirectory;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The sender of the messages that jobs owe. It exists only if there is a {@code notify.toml};
 * everything that waits is done beside the loop.
 */
public final class Notifier implements JobNotices.Post {
  private static final String COMPONENT = "notify";
  private static final String OUTBOX = "notification outbox";
  private static final long AGAIN_MILLIS = 2_000;

  private final Clocks clocks;
  private final Errands errands;
  private final EventLog log;
  private final Faults faults;
  private final Consumer<JobInput> inbox;
  private final ChannelWorld world;
  private final Outbox outbox;
  private final Courier courier;
  private final AtomicLong tests = new AtomicLong();
  private final AtomicBoolean observing = new AtomicBoolean();
  private final ConcurrentLinkedQueue<Debt> debts = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean taking = new AtomicBoolean(true); // until it is open

  private record Debt(String identity, List<Message> owed) {}

  /** A timer on the boot clock. */
  public interface Wakes {
    void at(String key, long bootNanos, Runnable task);
  }

  /**
   * The parts of the daemon that it needs.
   *
   * @param inbox told which messages were taken over
   * @param files how credential profiles are read
   */
  public record Means(
      StateDirectory directory,
      Clocks clocks,
      Errands errands,
      Reports reports,
      Consumer<JobInput> inbox,
      Wakes wakes,
      ConfigFiles.Settings files) {}

  /**
   * A notifier that has not begun.
   *
   * @param sender the way to the receivers
   */
  public Notifier(Means means, Sender sender, NotifyFile file) {
    this.clocks = means.clocks();
    this.errands = means.errands();
    this.log = means.reports().log();
    this.faults = means.reports().meters().faults;
    this.inbox = means.inbox();
    this.world = new ChannelWorld(means, file);
    this.outbox = new Outbox(new OutboxFile(means.directory().outbox()));
    this.courier = new Courier(outbox, sender, world, file.spec());
  }

  /**
   * Reads what an earlier daemon left, and continues with it.
   *
   * @param owed ids of messages that jobs' states owe
   */
  public void begin(Set<String> owed) {
    errands.execute(Place.TAKE_NOTICES, () -> open(owed), thrown -> openAgain(owed));
  }

  private void openAgain(Set<String> owed) {
    errands.after(AGAIN_MILLIS, Place.TAKE_NOTICES, () -> open(owed), thrown -> openAgain(owed));
  }

  private void open(Set<String> owed) {
    Outbox.Opened opened = outbox.open();
    if (opened.unreadable() > 0) {
      log.error(COMPONENT, "outbox_damaged", "lines", opened.unreadable());
    }
    unwritten(opened.problem());
    if (!opened.read()) {
      openAgain(owed);
      return;
    }
    outbox.forgetAllBut(owed);
    take();
    courier.look(); // also where nobody owes anything: what an earlier daemon took over waits
  }

  private void unwritten(@Nullable String problem) {
    if (problem == null) {
      faults.clear(OUTBOX);
    } else {
      faults.raise(OUTBOX, clocks.wallMillis(), problem);
    }
  }

  /** Applies a changed file. */
  public void use(NotifyFile changed) {
    world.use(changed);
    soon(Place.SEND_NOTICE, () -> courier.use(changed.spec()));
  }

  /** Runs a task in any case: if it cannot even begin, it is begun again. */
  private void soon(Place place, Runnable task) {
    errands.execute(place, task, thrown -> task.run());
  }

  @Override
  public void owe(String identity, List<Message> owed) {
    debts.add(new Debt(identity, owed));
    takeSoon();
  }

  private void takeSoon() {
    if (taking.compareAndSet(false, true)) {
      errands.execute(Place.TAKE_NOTICES, this::take, thrown -> takeAgain());
    }
  }

  /** Takes over all gathered messages, with one write. */
  private synchronized void take() {
    taking.set(false); // what comes from now on is looked at again
    List<Debt> gathered = new ArrayList<>();
    for (Debt debt = debts.poll(); debt != null; debt = debts.poll()) {
      gathered.add(debt);
    }
    if (gathered.isEmpty()) {
      return;
    }
    List<Message> messages = gathered.stream().flatMap(debt -> debt.owed().stream()).toList();
    if (outbox.take(messages)) {
      unwritten(null);
      for (Debt debt : gathered) {
        List<String> ids = debt.owed().stream().map(Message::id).toList();
        inbox.accept(new JobInput.Told(debt.identity(), ids));
      }
    } else {
      unwritten("messages cannot be written down; they are owed still");
      debts.addAll(gathered);
      takeAgain();
    }
    courier.look();
  }

  private void takeAgain() {
    errands.after(AGAIN_MILLIS, Place.TAKE_NOTICES, this::take, thrown -> takeAgain());
  }

  @Override
  public void forget(List<String> ids) {
    soon(Place.TAKE_NOTICES, () -> forgetNow(ids));
  }

  /**
   * Forgets messages also where they are to be taken over once more: a debt may have been handed
   * over again, by a reload for instance, a moment before it was known to be settled.
   */
  private synchronized void forgetNow(List<String> ids) {
    List<Debt> left = new ArrayList<>();
    for (Debt debt = debts.poll(); debt != null; debt = debts.poll()) {
      List<Message> owed =
          debt.owed().stream().filter(message -> !ids.contains(message.id())).toList();
      if (!owed.isEmpty()) {
        left.add(new Debt(debt.identity(), owed));
      }
    }
    debts.addAll(left);
    outbox.forget(ids);
  }

  /**
   * The present condition of a subject without a state of its own.
   *
   * @param trouble null if there is none
   * @param well whether nothing is wrong any more; with neither, the subject is in transition
   * @param ended why that is so although it did not recover; null if it did
   */
  public record Standing(
      Subject subject, @Nullable Event trouble, boolean well, @Nullable String ended) {}

  /** Reports new and ended problems of such subjects; one look at a time. */
  public void observe(List<Standing> seen) {
    if (observing.compareAndSet(false, true)) {
      errands.execute(Place.TAKE_NOTICES, () -> look(seen), thrown -> observing.set(false));
    }
  }

  private void look(List<Standing> seen) {
    try {
      boolean changed = false;
      for (Standing standing : seen) {
        changed |= look(standing);
      }
      if (changed) {
        courier.look();
      }
    } finally {
      observing.set(false);
    }
  }

  private boolean look(Standing standing) {
    Subject subject = standing.subject();
    List<Rule> rules = spec().rulesFor(subject);
    Problems before = outbox.problems(subject);
    Event trouble = standing.trouble();
    long now = clocks.wallMillis();
    Problems after = before;
    if (trouble != null
        && before.threads().stream().noneMatch(it -> it.last().word() == trouble.word())) {
      after = after.after(subject, rules, trouble, now);
    } else if (standing.well() && !before.threads().isEmpty()) {
      Event over = Event.noticed(Word.RECOVERED, now, standing.ended());
      after = after.after(subject, rules, over, now);
    }
    after = after.reminded(subject, rules, now);
    if (after.equals(before)) {
      return false;
    }
    unwritten(outbox.take(subject, after) ? null : "messages cannot be written down");
    return true;
  }

  @Override
  public void ping(
      String channel, String job, JobNotices.RunSign sign, @Nullable Integer exitCode) {
    Ping.State state =
        switch (sign) {
          case STARTED -> Ping.State.STARTED;
          case SUCCEEDED -> Ping.State.SUCCEEDED;
          case FAILED -> Ping.State.FAILED;
        };
    soon(Place.SEND_NOTICE, () -> courier.ping(channel, new Ping(job, state, exitCode)));
  }

  /** The waiting and the sent messages, newest first. */
  public List<Sent> log(int limit) {
    return outbox.log(limit);
  }

  public Outbox outbox() {
    return outbox;
  }

  public NotifySpec spec() {
    return world.spec();
  }

  /** Sends a test message now; null if there is no such channel. */
  public @Nullable Delivery test(String channel) {
    Channel known = world.spec().channels().get(channel);
    String id = Letter.TEST + clocks.wallMillis() + "-" + tests.incrementAndGet();
    return known == null ? null : courier.test(known, id);
  }

  /** The message ids of many jobs as one set. */
  public static Set<String> ids(Map<String, List<String>> owed) {
    Set<String> ids = new HashSet<>();
    owed.values().forEach(ids::addAll);
    return ids;
  }
}
