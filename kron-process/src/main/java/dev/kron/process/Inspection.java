package dev.kron.process;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the paths of a launch, and opens its input and output, as the user that it is for: each
 * time on a thread that nobody else needs, and for a bounded time. A path may lie on a dead network
 * mount, or its owner may not want it to answer.
 *
 * <p>A check that does not answer in time keeps its thread until it does. While it hangs, launches
 * that need the same path fail at once, and so does any launch of a user with {@link #MOST_STUCK}
 * such checks: no user gets more threads than that.
 */
final class Inspection implements AutoCloseable {
  static final int MOST_STUCK = 16;
  private static final int IDLE_SECONDS = 30;

  private final FileRights rights;
  private final String self;
  private final Consumer<String> touched;
  private final Supplier<Duration> patience;
  private final ExecutorService threads =
      new ThreadPoolExecutor(
          0,
          Integer.MAX_VALUE,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          Thread.ofPlatform().name("krond-inspection-", 0).daemon().factory());

  /** The checks that were given up and still hang. */
  private final Map<Look, String> stuck = new ConcurrentHashMap<>();

  /**
   * A new inspection.
   *
   * @param touched called with each path before the kernel is asked about it, on the thread of the
   *     check
   * @param patience how long a check may take
   */
  Inspection(Users users, Consumer<String> touched, Supplier<Duration> patience) {
    this.rights = new FileRights(users);
    this.self = users.self().name();
    this.touched = touched;
    this.patience = patience;
  }

  /** Descriptors of the files that were opened with the user's rights, or -1. */
  record Targets(int stdin, int stdout, int stderr) {
    void close() {
      try (Libc libc = new Libc()) {
        for (int descriptor : new int[] {stdin, stdout, stderr}) {
          if (descriptor >= 0) {
            libc.close(descriptor);
          }
        }
      }
    }
  }

  /**
   * Waits for the checks of a launch; the caller closes what they opened.
   *
   * @throws RejectedExecutionException if this daemon is shutting down; the launch has not failed,
   *     and the next daemon may repeat it
   */
  Targets inspect(Launch launch) throws LaunchFailure {
    String user = user(launch);
    refuseIfStuck(launch, user);
    var look = new Look(launch, user);
    threads.execute(look);
    return look.await();
  }

  private String user(Launch launch) {
    Credentials credentials = launch.credentials();
    return credentials == null ? self : credentials.user();
  }

  private void refuseIfStuck(Launch launch, String user) throws LaunchFailure {
    List<Look> theirs = stuck.keySet().stream().filter(look -> look.user.equals(user)).toList();
    for (Look look : theirs) {
      if (look.checks.isAlsoAskedBy(launch)) {
        throw look.failure("has not answered since an earlier start");
      }
    }
    if (theirs.size() >= MOST_STUCK) {
      throw theirs
          .getFirst()
          .failure(
              "has not answered since an earlier start, nor have "
                  + (theirs.size() - 1)
                  + " other paths of user "
                  + user
                  + "; nothing of theirs is started until one does");
    }
  }

  /** The number of checks that were given up and still hang. */
  int stuck() {
    return stuck.size();
  }

  /** The checks of one launch; answered once, or given up. */
  private final class Look implements Runnable {
    final String user;
    final LaunchChecks checks;
    private @Nullable Targets targets;
    private @Nullable Throwable failure;
    private boolean answered;
    private boolean givenUp;

    Look(Launch launch, String user) {
      this.user = user;
      this.checks = new LaunchChecks(launch, touched);
    }

    @Override
    public void run() {
      Targets opened = null;
      Throwable thrown = null;
      try {
        opened = look();
      } catch (LaunchFailure | RuntimeException | Error e) {
        thrown = e;
      }
      if (!isTaken(opened, thrown) && opened != null) {
        opened.close();
      }
      stuck.remove(this);
      if (thrown instanceof IllegalStateException kept) {
        throw kept; // whatever this thread is now, it must not be used again
      }
    }

    private Targets look() throws LaunchFailure {
      Launch launch = checks.launch();
      Credentials credentials = launch.credentials();
      return credentials == null
          ? checks.checkAndOpen()
          : rights.as(credentials, checks::checkAndOpen);
    }

    private synchronized boolean isTaken(@Nullable Targets opened, @Nullable Throwable thrown) {
      targets = opened;
      failure = thrown;
      answered = true;
      notifyAll();
      return !givenUp;
    }

    synchronized Targets await() throws LaunchFailure {
      Duration most = patience.get();
      long deadline = System.nanoTime() + most.toNanos();
      for (long left = most.toMillis(); !answered && left > 0; ) {
        try {
          wait(left);
        } catch (InterruptedException e) {
          giveUp();
          Thread.currentThread().interrupt();
          throw new RejectedExecutionException("the daemon is stopping");
        }
        left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      }
      if (!answered) {
        giveUp();
        throw failure("did not answer within " + most.toSeconds() + " s");
      }
      if (failure instanceof LaunchFailure refused) {
        throw refused;
      }
      if (targets == null) {
        throw new IllegalStateException("while checking as user " + user, failure);
      }
      return targets;
    }

    /**
     * Gives up. The caller holds this object's lock, so that no answer can come before the check
     * counts as stuck.
     */
    private void giveUp() {
      givenUp = true;
      stuck.put(this, user);
    }

    LaunchFailure failure(String what) {
      LaunchChecks.Place place = checks.place();
      return new LaunchFailure(place.stage(), place.path() + ": " + what);
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
