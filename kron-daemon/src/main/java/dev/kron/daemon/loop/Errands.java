package dev.kron.daemon.loop;

import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.log.Faults;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Work beside the loop, each piece with a fallback. Whatever a piece throws, even an {@link Error},
 * is reported, and its fallback runs instead, again every second until that works. Nothing else in
 * the daemon passes work to threads.
 *
 * <p>A daemon that is driven by hand runs no fallbacks: a test should see every failure.
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
    END_ALERT,
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
    TEND_FLEET,
    KEEP_HISTORY(true),
    KEEP_HOUSE(true);

    private final boolean standing;

    Place() {
      this(false);
    }

    /**
     * A kind of work.
     *
     * @param standing whether it is repeated for ever, so that a failure stands until it works
     *     again
     */
    Place(boolean standing) {
      this.standing = standing;
    }

    /** Its name in the log. */
    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The fallback for work that threw something. */
  public interface Otherwise {
    void answer(Throwable thrown) throws IOException;
  }

  public Errands(Background background, Faults faults, EventLog log) {
    this.background = background;
    this.faults = faults;
    this.log = log;
  }

  /**
   * Runs a task soon.
   *
   * @param otherwise the fallback, given what was thrown
   */
  public void execute(Place place, Runnable task, Otherwise otherwise) {
    background.execute(guarded(place, task, otherwise));
  }

  /** Runs a task in the lane of a user, since it may block on that user's files. */
  public void execute(String user, Place place, Runnable task, Otherwise otherwise) {
    background.execute(user, guarded(place, task, otherwise));
  }

  /** Runs a task that may take seconds; other tasks, on which somebody waits, go first. */
  public void ahead(String user, Place place, Runnable task, Otherwise otherwise) {
    background.ahead(user, guarded(place, task, otherwise));
  }

  /** Runs a task later, by the boot clock. */
  public void after(long millis, Place place, Runnable task, Otherwise otherwise) {
    background.after(millis, guarded(place, task, otherwise));
  }

  /** Runs a task now, on this thread. */
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
        // The daemon is shutting down; the next one finds out.
      }
    }
  }

  /** One turn of a thread that lives as long as the daemon; false ends it. */
  public interface Turn {
    boolean next() throws InterruptedException;
  }

  /** Starts a thread that ends only after its last turn, or by an interrupt. */
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

  /** Waits a moment; false if the thread is to end. */
  private static boolean waitedForNextTurn() {
    try {
      TimeUnit.MILLISECONDS.sleep(AGAIN_MILLIS);
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }

  /** Reports an unexpected exception; the part counts as broken until that is cleared. */
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

  /** The text for an internal error in records and answers. */
  public static String reason(Throwable thrown) {
    return "an error of the daemon itself: " + thrown;
  }

  /** Waits briefly before a command is started if the loop is behind. */
  public void giveWay() {
    background.giveWay();
  }

  public boolean byHand() {
    return background.byHand();
  }

  public RandomGenerator random() {
    return background.random();
  }

  /**
   * Marks that the daemon is shutting down: tasks rejected from now on have not failed and need no
   * fallback.
   */
  public void leave() {
    leaving = true;
  }

  @Override
  public void close() {
    leave();
    background.close();
  }
}
