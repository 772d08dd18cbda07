package dev.kron.daemon.loop;

import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.log.Faults;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Work that goes on beside the loop, each piece of it with an answer whatever becomes of it. What a
 * piece throws, an {@link Error} too, is reported, and its other answer is given in its place, once
 * more every second until that works. Nothing else in the daemon hands work to a thread.
 *
 * <p>A daemon that is driven by hand has no such net: whoever drives it wants to see what falls.
 */
public final class Errands implements AutoCloseable {
  private static final long AGAIN_MILLIS = 1_000;
  private static final int FRAMES = 3;

  private final Background background;
  private final Faults faults;
  private final EventLog log;
  private volatile boolean leaving;

  /** Every kind of work that is handed to a thread. */
  public enum Place {
    START_RUN,
    PREPARE_RUN,
    DISCARD_RUN,
    RECOVER_RUN,
    END_RUN,
    SIGNAL_RUN,
    DROP_RUN,
    RAISE_ALERT,
    OWE_ALERT,
    RECOVER_ALERTS(true),
    PROBE_DISK,
    READ_FILES,
    NOTE_ARRIVALS,
    FORGET_PERIODS,
    LOOK_AT_JOBS,
    READ_RESULTS,
    COUNT_STARTS,
    SAVE_SERVICES,
    START_SERVICE,
    PREPARE_SERVICE,
    ENCLOSE_SERVICE,
    RECOVER_SERVICE,
    END_SERVICE,
    SIGNAL_SERVICE,
    DROP_SERVICE_RUN,
    CLEAR_SERVICE_RUNS,
    START_CHECK,
    END_CHECK,
    CLEAR_CHECK,
    ASK_NETWORK,
    ROTATE_LOGS(true),
    ROTATE_LOG(true),
    TAKE_NOTICES,
    SEND_NOTICE,
    KEEP_HISTORY(true),
    KEEP_HOUSE(true);

    private final boolean standing;

    Place() {
      this(false);
    }

    /**
     * @param standing done again and again, so that it is broken until it works
     */
    Place(boolean standing) {
      this.standing = standing;
    }

    /** How it is called in the log. */
    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** What answers in the place of work that threw something. */
  public interface Otherwise {
    void answer(Throwable thrown) throws IOException;
  }

  public Errands(Background background, Faults faults, EventLog log) {
    this.background = background;
    this.faults = faults;
    this.log = log;
  }

  /**
   * Does something soon.
   *
   * @param otherwise answers in its place, told what was thrown
   */
  public void execute(Place place, Runnable task, Otherwise otherwise) {
    background.execute(guarded(place, task, otherwise));
  }

  /** The same, apart from what is done for other users: it may have to wait for what is theirs. */
  public void execute(String user, Place place, Runnable task, Otherwise otherwise) {
    background.execute(user, guarded(place, task, otherwise));
  }

  /** Does something that has seconds of time; what others wait for goes before it. */
  public void ahead(String user, Place place, Runnable task, Otherwise otherwise) {
    background.ahead(user, guarded(place, task, otherwise));
  }

  /** Does something later, by the clock that nobody sets. */
  public void after(long millis, Place place, Runnable task, Otherwise otherwise) {
    background.after(millis, guarded(place, task, otherwise));
  }

  /** Does it now, on this thread. */
  public void now(Place place, Runnable task, Otherwise otherwise) {
    guarded(place, task, otherwise).run();
  }

  private Runnable guarded(Place place, Runnable task, Otherwise otherwise) {
    return background.byHand() ? task : () -> run(place, task, otherwise);
  }

  private void run(Place place, Runnable task, Otherwise otherwise) {
    try {
      background.reached(place.text());
      task.run();
      if (place.standing) {
        faults.clear(place.text());
      }
    } catch (Throwable e) {
      if (leaving && e instanceof RejectedExecutionException) {
        return; // it was not done, and the next daemon finds out
      }
      report(place.text(), e);
      answer(place, e, otherwise);
    }
  }

  private void answer(Place place, Throwable thrown, Otherwise otherwise) {
    try {
      otherwise.answer(thrown);
      if (!place.standing) {
        faults.clear(place.text());
      }
    } catch (Throwable e) {
      report(place.text(), e);
      try {
        background.after(AGAIN_MILLIS, () -> answer(place, thrown, otherwise));
      } catch (RejectedExecutionException closed) {
        // The daemon leaves; the next one finds out.
      }
    }
  }

  /** One turn of a thread that goes on for as long as the daemon; false: that was the last. */
  public interface Turn {
    boolean next() throws InterruptedException;
  }

  /** Starts a thread that nothing ends but its last turn, or an interrupt. */
  public Thread tend(String part, Turn turn) {
    return Thread.ofPlatform().daemon().name("krond-" + part).start(() -> goOn(part, turn));
  }

  private void goOn(String part, Turn turn) {
    boolean faulty = false;
    while (true) {
      try {
        if (!turn.next()) {
          return;
        }
        if (faulty) {
          faults.clear(part);
          faulty = false;
        }
      } catch (InterruptedException e) {
        return;
      } catch (Throwable e) {
        faulty = true;
        report(part, e);
        if (!waitedForNextTurn()) {
          return;
        }
      }
    }
  }

  /** Waits a moment; false where the thread is to end. */
  private static boolean waitedForNextTurn() {
    try {
      TimeUnit.MILLISECONDS.sleep(AGAIN_MILLIS);
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }

  /** Something was thrown that nobody expected; the part does not work until it is cleared. */
  public void report(String part, Throwable thrown) {
    faults.raise(part, log.millis(), reason(thrown));
    log.error("daemon", "internal_error", "part", part, "reason", reason(thrown), "at", at(thrown));
  }

  private static String at(Throwable thrown) {
    var text = new StringBuilder();
    StackTraceElement[] trace = thrown.getStackTrace();
    for (int i = 0; i < Math.min(FRAMES, trace.length); i++) {
      text.append(i == 0 ? "" : " < ").append(trace[i]);
    }
    return text.toString();
  }

  /** What an error of our own is called, in records and answers. */
  public static String reason(Throwable thrown) {
    return "an error of the daemon itself: " + thrown;
  }

  /** Before a command is started: waits a little where the loop is behind. */
  public void giveWay() {
    background.giveWay();
  }

  public boolean byHand() {
    return background.byHand();
  }

  public RandomGenerator random() {
    return background.random();
  }

  /** The daemon leaves: what is rejected from now on has not failed, and needs no answer. */
  public void leave() {
    leaving = true;
  }

  @Override
  public void close() {
    leave();
    background.close();
  }
}
