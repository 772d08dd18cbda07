package dev.kron.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One thread that learns of every keeper's end, whichever daemon started it, and reaps processes
 * that ended: our own children and, as PID 1 or subreaper, orphaned descendants.
 *
 * <p>Keepers are watched by their pidfds in one epoll set, so ten thousand of them cost nothing
 * while they live. Orphans have no pidfd of ours; they are collected whenever somebody else has
 * ended, and every few seconds for as long as there is anybody below us.
 *
 * <p>One file, though a long one: everything in it runs on that thread and shares its descriptors.
 */
final class Reaper implements AutoCloseable {

  private static final int P_ALL = 0;
  private static final int WNOHANG = 1;
  private static final int WEXITED = 4;
  private static final int SWEEP_MILLIS = 2000;
  private static final int NO_PIDFD = Integer.MIN_VALUE;
  private static final long AFTER_FAULT_NANOS = 100_000_000;

  /**
   * The pause after a sweep, as a multiple of its duration: a sweep over ten thousand living
   * processes takes a while.
   */
  private static final int REST = 20;

  private static final int OWN_PID = Math.toIntExact(ProcessHandle.current().pid());
  private static final int SI_PID = 16;

  private static final MethodHandle WAITID =
      Libc.function(
          "waitid", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));

  /**
   * A process whose end is awaited.
   *
   * @param pidfd negative if none could be opened; then a sweep notices the end
   */
  private record Watch(
      long token,
      ProcessIdentity process,
      int pidfd,
      boolean child,
      Consumer<ProcessIdentity> end) {}

  private final Pidfds pidfds;
  private final boolean adoptOrphans;
  private final Epoll epoll = new Epoll();
  private final AtomicLong tokens = new AtomicLong(Epoll.WAKE_UP);
  private final Map<Long, Watch> watches = new ConcurrentHashMap<>();
  private final Map<Integer, Watch> children = new ConcurrentHashMap<>();

  /**
   * Processes whose end no event reports: they were gone already, or no descriptor was available.
   */
  private final Set<Watch> unannounced = ConcurrentHashMap.newKeySet();

  /**
   * The lock that makes a child known before it is reaped: starts share it, sweeps take it
   * exclusively.
   */
  private final ReentrantReadWriteLock births = new ReentrantReadWriteLock();

  /** Whether this is PID 1, which inherits orphans of processes that it did not start. */
  private final boolean strangersComeToUs = ProcessHandle.current().pid() == 1;

  /**
   * Whether there are no descendants, so that no orphan can appear before the next start, which
   * resets this.
   */
  private volatile boolean childless;

  private final Thread thread =
      Thread.ofPlatform().name("krond-reaper").daemon().unstarted(this::run);

  private volatile boolean closed;

  /** The time of the next sweep, and whether one was put off; used by the reaper's thread only. */
  private long sweepAgain = System.nanoTime();

  private boolean resting;

  private Reaper(Pidfds pidfds, boolean adoptOrphans) {
    this.pidfds = pidfds;
    this.adoptOrphans = adoptOrphans;
  }

  static Reaper start(Pidfds pidfds, boolean adoptOrphans) {
    var reaper = new Reaper(pidfds, adoptOrphans);
    reaper.thread.start();
    return reaper;
  }

  /** The lock that is held while a child is started and passed to {@link #watchChild}. */
  Lock birth() {
    return births.readLock();
  }

  /** Watches a child of ours; the caller has held {@link #birth} since before its start. */
  void watchChild(Libc libc, ProcessIdentity child, Consumer<ProcessIdentity> end) {
    watch(libc, child, true, end);
  }

  /**
   * Registers a child of ours that waits for its turn; the caller has held {@link #birth} since
   * before its start. Thousands of them may wait, so none has a descriptor before {@link
   * #announce}; the end of one that leaves before that is noticed by a sweep.
   */
  void expectChild(Libc libc, ProcessIdentity child, Consumer<ProcessIdentity> end) {
    if (!adoptOrphans) {
      watchChild(libc, child, end);
      return;
    }
    keep(new Watch(tokens.incrementAndGet(), child, NO_PIDFD, true, end));
    if (childless) {
      childless = false;
      epoll.wake(libc);
    }
  }

  /** From now on reports the end of an expected child at once. */
  void announce(Libc libc, ProcessIdentity child) {
    Lock noBurials = births.readLock();
    noBurials.lock();
    try {
      Watch expected = children.get(child.pid());
      if (expected != null && expected.process().equals(child) && expected.pidfd() == NO_PIDFD) {
        int pidfd = Pidfds.openChild(libc, child.pid());
        announce(libc, new Watch(expected.token(), child, pidfd, true, expected.end()));
      }
    } finally {
      noBurials.unlock();
    }
  }

  /** Watches a process that is not our child. */
  void watch(ProcessIdentity process, Consumer<ProcessIdentity> end) {
    try (Libc libc = new Libc()) {
      watch(libc, process, false, end);
    }
  }

  private void watch(
      Libc libc, ProcessIdentity process, boolean child, Consumer<ProcessIdentity> end) {
    int pidfd = child ? Pidfds.openChild(libc, process.pid()) : pidfds.open(libc, process);
    announce(libc, new Watch(tokens.incrementAndGet(), process, pidfd, child, end));
  }

  private void keep(Watch watch) {
    watches.put(watch.token(), watch);
    if (watch.child()) {
      children.put(watch.process().pid(), watch);
    }
  }

  private void announce(Libc libc, Watch watch) {
    keep(watch);
    boolean announced =
        watch.pidfd() >= 0
            && epoll.add(libc, watch.pidfd(), watch.token(), Epoll.IN | Epoll.ONESHOT) >= 0;
    if (!announced) {
      unannounced.add(watch);
    }
    if (!announced || (watch.child() && childless)) {
      childless = false;
      epoll.wake(libc);
    }
  }

  /**
   * Whether there are no orphans, living or unreaped; false if that cannot be determined.
   *
   * <p>The kernel gives orphans to the first thread that lives, which in a JVM is the one that
   * started it. All others among that thread's children are keepers, started by threads that have
   * ended. As long as none of those is buried, the list of them is read without a gap.
   */
  boolean hasNoOrphans() {
    if (!adoptOrphans) {
      return false;
    }
    Lock noBurials = births.readLock();
    noBurials.lock();
    try {
      return ProcFiles.children(OWN_PID, OWN_PID)
          .filter(list -> children.keySet().containsAll(list))
          .isPresent();
    } finally {
      noBurials.unlock();
    }
  }

  int watched() {
    return watches.size();
  }

  private void run() {
    try (Libc libc = new Libc()) {
      MemorySegment events = Epoll.events(libc);
      MemorySegment siginfo = libc.arena().allocate(128, 8);
      while (!closed) {
        try {
          turn(libc, events, siginfo);
        } catch (RuntimeException | Error e) {
          // The reaper serves everybody: one failed turn must not end it.
          report(e);
          LockSupport.parkNanos(AFTER_FAULT_NANOS);
        }
      }
      watches.values().forEach(watch -> closeHandle(libc, watch));
      epoll.close(libc);
    }
  }

  private void turn(Libc libc, MemorySegment events, MemorySegment siginfo) {
    // An end is reported once. A descriptor that we closed stays in the set while a child that is
    // being started has a copy of it; its end would be reported repeatedly otherwise.
    epoll.await(libc, events, patience(), token -> ended(libc, siginfo, watches.get(token)));
    if (!closed && System.nanoTime() - sweepAgain >= 0) {
      long began = System.nanoTime();
      sweep(libc, siginfo);
      long ended = System.nanoTime();
      sweepAgain = ended + REST * (ended - began);
      resting = false;
    } else {
      resting = true;
    }
  }

  private int patience() {
    if (resting) {
      long nanos = Math.max(0, sweepAgain - System.nanoTime());
      return (int) Math.min(SWEEP_MILLIS, nanos / 1_000_000 + 1);
    }
    return childless && unannounced.isEmpty() ? Epoll.FOREVER : SWEEP_MILLIS;
  }

  private void ended(Libc libc, MemorySegment siginfo, @Nullable Watch watch) {
    if (watch == null || !watches.containsKey(watch.token())) {
      return;
    }
    if (watch.child() && children.remove(watch.process().pid(), watch)) {
      // P_PIDFD needs Linux 5.4; a child's number is not reused until we reap it, so it serves as
      // well.
      waitid(libc, siginfo, 1, watch.process().pid());
    }
    closeHandle(libc, watch);
    // The watch is removed last, so that an empty list of watches means that every end was
    // reported.
    if (tell(watch)) {
      watches.remove(watch.token());
    }
  }

  /** Looks for ends that no event reports. */
  private void sweep(Libc libc, MemorySegment siginfo) {
    List<Watch> gone =
        unannounced.stream().filter(watch -> !pidfds.isAlive(watch.process())).toList();
    gone.forEach(unannounced::remove);
    gone.forEach(watch -> ended(libc, siginfo, watch));
    if (!adoptOrphans || !births.writeLock().tryLock()) {
      return;
    }
    List<Watch> buried = new ArrayList<>();
    try {
      int pid = waitid(libc, siginfo, P_ALL, 0);
      for (; pid > 0; pid = waitid(libc, siginfo, P_ALL, 0)) {
        Watch watch = children.remove(pid);
        if (watch != null) {
          buried.add(watch);
        }
      }
      childless = pid == -Libc.ECHILD && !strangersComeToUs;
    } finally {
      births.writeLock().unlock();
    }
    buried.forEach(watch -> ended(libc, siginfo, watch));
  }

  /** Reports an end; if its listener fails, the next sweep repeats it. */
  private boolean tell(Watch watch) {
    try {
      watch.end().accept(watch.process());
      return true;
    } catch (RuntimeException | Error e) {
      Watch again = new Watch(watch.token(), watch.process(), NO_PIDFD, false, watch.end());
      watches.put(again.token(), again);
      unannounced.add(again);
      report(e);
      return false;
    }
  }

  private static void report(Throwable e) {
    Thread thread = Thread.currentThread();
    thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
  }

  private static void closeHandle(Libc libc, Watch watch) {
    if (watch.pidfd() >= 0) {
      libc.close(watch.pidfd());
    }
  }

  /** Reaps one child that has ended; 0 if there is none, negative if there are no children. */
  private static int waitid(Libc libc, MemorySegment siginfo, int type, int id) {
    siginfo.set(JAVA_INT, SI_PID, 0);
    try {
      int result =
          libc.orErrno(
              (int) WAITID.invokeExact(libc.state(), type, id, siginfo, WEXITED | WNOHANG));
      return result < 0 ? result : siginfo.get(JAVA_INT, SI_PID);
    } catch (Throwable e) {
      throw Libc.rethrow(e);
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try (Libc libc = new Libc()) {
      epoll.wake(libc);
    }
    if (Thread.currentThread().equals(thread)) {
      // A listener closes the reaper from within; the thread ends when the listener returns.
      return;
    }
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
