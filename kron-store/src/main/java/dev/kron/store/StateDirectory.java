package dev.kron.store;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.kron.cron.CronCalendar;
import dev.kron.job.JobState;
import dev.kron.store.FileStatus.Kind;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * The directory of everything that must survive, for one daemon at a time. docs/state.md describes
 * its contents; other files in it are left alone.
 */
public final class StateDirectory implements AutoCloseable {
  static final String LOCK = "lock";
  private static final String LOGS = "logs";
  private static final String PROBE = "probe";
  private static final String OUTBOX = "outbox";
  private static final String FLEET = "fleet";

  /** A probe of about the size of a state file with its history. */
  private static final byte[] PROBE_CONTENT = ".".repeat(32 * 1024).getBytes(US_ASCII);

  private static final int LOCK_CONTENT_BYTES = 256;

  private final Path path;
  private final HeldDisk disk;
  private final StateSettings settings;
  private final Disk.Lock lock;
  private final boolean fresh;
  private final List<String> missing;
  private final JobStates jobs;
  private final Arrivals arrivals;
  private final Ledger ledger;
  private final RunDirectories runs;
  private final RunDirectories serviceRuns;
  private long loadedAt = CronCalendar.NONE;

  /**
   * A directory that is open.
   *
   * @param present the names that were found in the directory
   */
  private StateDirectory(
      Path path, HeldDisk disk, StateSettings settings, Collection<String> present) {
    this.path = path;
    this.disk = disk;
    this.settings = settings;
    this.lock = disk.lock();
    this.fresh = isFresh(present);
    this.missing =
        fresh
            ? List.of()
            : Stream.of(Ledger.FILE, RunDirectories.NAME, StateManager.DIRECTORY)
                .filter(name -> !present.contains(name))
                // Of the directories of services, one shows that there was the other.
                .filter(name -> !name.equals(StateManager.DIRECTORY) || present.contains(LOGS))
                .toList();
    this.arrivals = new Arrivals(disk, path);
    this.runs = new RunDirectories(disk, path);
    this.jobs = new JobStates(disk, path, settings, arrivals, runs);
    this.ledger = new Ledger(disk, path);
    this.serviceRuns = new RunDirectories(disk, path.resolve(StateManager.DIRECTORY));
  }

  /**
   * Opens the directory: creates it if it is missing, checks who may write to it, and takes its
   * lock, which is held until {@link #close} or the end of this process.
   *
   * @param holder the caller, as the next one will read it: {@code pid 4711}
   */
  public static StateDirectory open(
      Path directory, Disk disk, StateSettings settings, String holder)
      throws StateRefusedException, LockHeldException {
    Path path = directory.toAbsolutePath().normalize();
    try {
      checkAbove(path, disk);
      create(path, disk);
      check(path, disk);
      Disk.Lock lock = disk.tryLock(path);
      if (lock == null) {
        throw new LockHeldException(path, holder(path, disk));
      }
      try {
        HeldDisk held = new HeldDisk(disk, path, lock);
        held.check();
        StateDirectory opened = new StateDirectory(path, held, settings, disk.list(path));
        opened.settle(holder);
        return opened;
      } catch (DiskException e) {
        lock.close();
        throw e;
      }
    } catch (DiskException e) {
      throw new StateRefusedException(
          "state directory "
              + path
              + " cannot be used: "
              + e.getMessage()
              + " (give another one with --state DIR)",
          e);
    }
  }

  /**
   * Refuses a path on which other users may rename a directory, since they could put a state of
   * their own in its place.
   */
  private static void checkAbove(Path path, Disk disk) throws StateRefusedException, DiskException {
    Path parent = path.getParent();
    String problem = parent == null ? null : disk.exposure(parent);
    if (problem != null) {
      throw new StateRefusedException(
          "state directory " + path + ": " + problem + ", or give another one with --state DIR");
    }
  }

  private static void create(Path path, Disk disk) throws DiskException {
    if (disk.status(path) != null) {
      return;
    }
    Path parent = path.getParent();
    if (parent != null) {
      create(parent, disk);
    }
    try {
      disk.createDirectory(path);
    } catch (DiskException e) {
      if (e.reason() == DiskException.Reason.EXISTS) {
        return; // somebody was faster, and the checks follow
      }
      throw e;
    }
    if (parent != null) {
      disk.syncDirectory(parent);
    }
  }

  private static void check(Path path, Disk disk) throws StateRefusedException, DiskException {
    FileStatus status = disk.status(path);
    if (status == null) {
      throw new DiskException("use", path, DiskException.Reason.NOT_FOUND);
    }
    if (status.kind() == Kind.SYMBOLIC_LINK) {
      throw new StateRefusedException(
          "state directory " + path + " is a symbolic link: give the directory itself");
    }
    if (status.kind() != Kind.DIRECTORY) {
      throw new StateRefusedException("state directory " + path + " is not a directory");
    }
    if (status.user() != disk.user()) {
      throw new StateRefusedException(
          "state directory %s belongs to user %s, krond runs as user %s: chown it, or run krond as its owner"
              .formatted(path, status.user(), disk.user()));
    }
    if ((status.mode() & 0077) != 0) {
      throw new StateRefusedException(
          "state directory %s has mode %04o, others could read or change it: chmod 0700 %s"
              .formatted(path, status.mode(), path));
    }
  }

  private static String holder(Path path, Disk disk) {
    try {
      byte[] content = new AtomicFiles(disk).read(path.resolve(LOCK), LOCK_CONTENT_BYTES);
      return new String(content, StandardCharsets.UTF_8)
          .strip()
          .replace("\n", ", ")
          .replaceAll("\\p{Cntrl}", "?");
    } catch (DiskException e) {
      return ""; // it holds the lock and has not said yet who it is
    }
  }

  private void settle(String holder) throws DiskException {
    String since = Timestamps.ofSecond(settings.clock().instant().getEpochSecond());
    try {
      byte[] content = (holder + "\nsince " + since + "\n").getBytes(StandardCharsets.UTF_8);
      new AtomicFiles(disk).replace(path.resolve(LOCK), content);
    } catch (DiskException e) {
      // The disk is full. The lock holds nevertheless; the next daemon only cannot read who holds
      // it.
    }
    if (fresh) {
      arrivals.begin(List.of()); // first: a directory without it has lost it from now on
    }
    runs.prepare();
  }

  /** Whether nobody has used the directory before. */
  private static boolean isFresh(Collection<String> present) {
    Set<String> marks =
        Set.of(Arrivals.FILE, Ledger.FILE, RunDirectories.NAME, StateManager.DIRECTORY);
    return present.stream()
        .noneMatch(name -> marks.contains(name) || StateLoader.isStateFile(name));
  }

  /** Files that should be in a directory that is not new, and were missing when it was opened. */
  public List<String> missing() {
    return missing;
  }

  /**
   * Throws if the directory at the path is no longer the one that this daemon holds. It costs next
   * to nothing.
   */
  public void requireInPlace() throws DiskException {
    disk.check();
  }

  /**
   * Reads everything known about jobs; called once, before anything is scheduled. Unreadable files
   * are moved aside, older versions are migrated, and temporary files of a killed daemon are
   * removed.
   *
   * @param canonical gives the one instance to keep of an identity, so that it is in memory only
   *     once; called from several threads
   * @throws StateRefusedException if a file is of a newer version or cannot be migrated
   */
  public LoadedStates load(UnaryOperator<String> canonical) throws StateRefusedException {
    loadedAt = settings.clock().instant().getEpochSecond();
    return new StateLoader(disk, path, settings, arrivals, fresh, canonical).load();
  }

  /**
   * Everything known about jobs that return to a running daemon, by identity, as a start would find
   * it. A job without a state file may have been seen before, or have lost its file. If the
   * arrivals log has lost its beginning, that holds for every job without a file.
   */
  public Map<String, JobState> find(Collection<String> identities) throws DiskException {
    Map<String, JobState> found = new HashMap<>();
    if (identities.isEmpty()) {
      return found;
    }
    ArrivalTable log = arrivals.read();
    for (String identity : identities) {
      JobState state = jobs.find(identity).orElse(null);
      ArrivalTable.Line line = log.find(Hashes.hex(identity));
      boolean hadFile = line == null ? !log.hasBeginning() : line.filed();
      boolean damaged = state != null && state.pastLost() && state.since() == CronCalendar.NONE;
      if (damaged || (state == null && hadFile)) {
        // Earlier lines of the log do not count.
        state = JobState.arrived(identity, "", lostSince(), true);
      } else if (line != null) {
        state = line.over(state == null ? JobState.unseen(identity) : state);
      }
      if (state != null) {
        found.put(identity, state);
      }
    }
    return found;
  }

  /**
   * The moment from which a lost past counts. A file may have been missing at the start already,
   * and the clock may have been set back since.
   */
  private long lostSince() {
    return Math.max(loadedAt, settings.clock().instant().getEpochSecond());
  }

  /**
   * Tests whether state can be written (again): every step of a commit, with a file of no
   * importance.
   */
  public void probe() throws DiskException {
    Path file = path.resolve(PROBE);
    new AtomicFiles(disk).replace(file, PROBE_CONTENT);
    disk.delete(file);
  }

  public Path path() {
    return path;
  }

  public JobStates jobs() {
    return jobs;
  }

  public Arrivals arrivals() {
    return arrivals;
  }

  public Ledger ledger() {
    return ledger;
  }

  /** The pasts of jobs and services, for charts over time; nothing else needs them. */
  public HistoryFiles history() {
    return new HistoryFiles(disk, path, jobs, HistoryFiles.LIMIT_BYTES);
  }

  /** The journal of messages to be sent. */
  public LineJournal outbox() {
    return new LineJournal(disk, path.resolve(OUTBOX), settings);
  }

  /** What this machine has to remember as a node of a fleet. */
  public LineJournal fleet() {
    return new LineJournal(disk, path.resolve(FLEET), settings);
  }

  /** The boot in which a daemon was last ready. */
  public BootFile boot() {
    return new BootFile(disk, path);
  }

  public RunDirectories runs() {
    return runs;
  }

  /**
   * The supervisor's state; it is not read yet.
   *
   * @param daemonStartedAt when this daemon began
   */
  public StateManager supervisor(Instant daemonStartedAt) {
    Path file = path.resolve(StateManager.DIRECTORY).resolve(StateManager.FILE);
    return new StateManager(file, disk, settings.clock(), daemonStartedAt, List.of());
  }

  /**
   * The key for fingerprints of secrets; created if it is missing.
   *
   * @param random a source that nobody can guess: {@code SecureRandom}
   */
  public FingerprintKey fingerprintKey(RandomGenerator random) throws DiskException {
    return FingerprintKey.loadOrCreate(disk, path.resolve(StateManager.DIRECTORY), random);
  }

  /** The run directories of services and their health checks, apart from those of jobs. */
  public RunDirectories serviceRuns() {
    return serviceRuns;
  }

  /** The directory of services' output. */
  public Path logs() {
    return path.resolve(LOGS);
  }

  /** Creates the directories that services need, if they are missing. */
  public void prepareServices() throws DiskException {
    for (Path directory : List.of(path.resolve(StateManager.DIRECTORY), logs())) {
      if (disk.status(directory) == null) {
        disk.createDirectory(directory);
        disk.syncDirectory(path);
      }
    }
    serviceRuns.prepare();
  }

  /** Releases the lock. */
  @Override
  public void close() {
    try {
      disk.delete(path.resolve(LOCK));
    } catch (DiskException e) {
      // The text in the file means nothing once the lock is free.
    }
    lock.close();
  }
}
