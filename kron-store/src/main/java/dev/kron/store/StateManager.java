package dev.kron.store;

import dev.kron.store.FileStatus.Kind;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The keeper of the supervisor's state in its file, {@code supervisor/state.json}.
 *
 * <p>All methods belong to the one thread that owns the state, except {@link Snapshot#write}, which
 * any thread may call. The owner makes a snapshot, which costs the encoding of what changed and a
 * copy of the rest; a writer makes it durable; the owner is told by {@link #written}. Changes made
 * meanwhile stay dirty.
 */
public final class StateManager {
  static final String DIRECTORY = "supervisor";
  static final String FILE = "state.json";
  private static final int LIMIT_BYTES = 256 << 20;

  private final Path path;
  private final Path wishesPath;
  private final Disk disk;
  private final AtomicFiles files;
  private final InstantSource clock;
  private final List<Migration> migrations;
  private final Instant daemonStartedAt;
  private PersistedState state;
  private long savedRevision;

  private final Object writing = new Object();
  private long newestOnDisk; // guarded by writing
  private byte @Nullable [] wishesOnDisk; // guarded by writing

  /**
   * A manager that has not read the disk yet.
   *
   * @param daemonStartedAt when this daemon began
   * @param migrations from older versions of the file
   */
  public StateManager(
      Path path,
      Disk disk,
      InstantSource clock,
      Instant daemonStartedAt,
      List<Migration> migrations) {
    this.path = path;
    this.wishesPath = path.resolveSibling(WishFile.FILE);
    this.disk = disk;
    this.files = new AtomicFiles(disk);
    this.clock = clock;
    this.daemonStartedAt = daemonStartedAt;
    this.migrations = List.copyOf(migrations);
    this.state = new PersistedState(daemonStartedAt);
  }

  /** The path of the file, which never changes (INV-0303). */
  public Path path() {
    return path;
  }

  /**
   * Reads the file, or begins with an empty state, which is dirty (CTR-0303).
   *
   * @return the file that could not be read and was moved aside, or null; its contents have to be
   *     found out from the run directories before anything starts
   * @throws StateRefusedException if the file is of a newer version (CTR-0101), cannot be migrated,
   *     or the disk fails; nothing was changed then
   */
  public @Nullable Quarantined loadOrCreate() throws StateRefusedException {
    try {
      removeLeftovers();
      byte[] bytes;
      try {
        bytes = files.read(path, LIMIT_BYTES);
      } catch (DiskException e) {
        return switch (e.reason()) {
          case NOT_FOUND -> {
            begin();
            Quarantined before = quarantinedBefore();
            yield before == null ? missing() : before;
          }
          case INPUT_OUTPUT, SYMBOLIC_LINK, NOT_A_FILE, TOO_LARGE -> quarantine(e.getMessage());
          default -> throw e;
        };
      }
      return load(bytes);
    } catch (DiskException e) {
      throw new StateRefusedException(
          "supervisor state " + path + " cannot be used: " + e.getMessage(), e);
    }
  }

  private @Nullable Quarantined load(byte[] bytes) throws DiskException, StateRefusedException {
    try {
      PersistedState read;
      boolean migrated = false;
      try {
        read = PersistedStateReader.read(bytes);
      } catch (UnsupportedVersionException e) {
        read = otherVersion(bytes, Integer.parseInt(e.version()));
        migrated = true;
      }
      state = read.forDaemon(daemonStartedAt);
      rememberWishes();
      savedRevision = state.revision();
      if (migrated) {
        save();
      } else {
        makeDurable();
      }
      return null;
    } catch (MalformedStateException e) {
      return quarantine(e.getMessage());
    }
  }

  /** Remembers the wishes on disk, so that they are not written again unchanged. */
  private void rememberWishes() {
    synchronized (writing) {
      try {
        wishesOnDisk = files.read(wishesPath, LIMIT_BYTES);
      } catch (DiskException e) {
        wishesOnDisk = null; // missing or damaged: written with the next state
      }
    }
  }

  /** Makes the file of an earlier daemon durable before anything follows from it. */
  private void makeDurable() {
    try {
      disk.syncDirectory(AtomicFiles.directory(path));
    } catch (DiskException e) {
      savedRevision = -1; // written once more, before anything is done
    }
  }

  private PersistedState otherVersion(byte[] bytes, int version) throws StateRefusedException {
    String what = "supervisor state " + path + " has version " + version;
    if (version > PersistedState.CURRENT_VERSION) {
      throw new StateRefusedException(
          what
              + ", this krond knows versions up to "
              + PersistedState.CURRENT_VERSION
              + ": start the newer krond again, or restore a backup made before it");
    }
    try {
      return PersistedStateReader.read(migrate(bytes, version));
    } catch (MalformedStateException | UnsupportedVersionException e) {
      throw new StateRefusedException(what + " and cannot be migrated: " + e.getMessage(), e);
    }
  }

  private byte[] migrate(byte[] bytes, int from) throws MalformedStateException {
    byte[] current = bytes;
    for (int version = from; version < PersistedState.CURRENT_VERSION; ) {
      String word = Integer.toString(version);
      Migration step =
          migrations.stream().filter(each -> each.from().equals(word)).findFirst().orElse(null);
      if (step == null) {
        throw new MalformedStateException("there is no migration from version " + version);
      }
      current = step.step().apply(current);
      int next = PersistedStateReader.version(current);
      if (next <= version) {
        throw new MalformedStateException(
            "the migration from version " + version + " made a version " + next);
      }
      version = next;
    }
    return current;
  }

  private void begin() {
    state = new PersistedState(daemonStartedAt);
    savedRevision = -1;
  }

  private Quarantined quarantine(String reason) throws DiskException {
    begin();
    Path aside = new QuarantineNames(disk, clock).nameFor(path);
    disk.rename(path, aside);
    disk.syncDirectory(AtomicFiles.directory(path));
    return new Quarantined(DIRECTORY + "/" + FILE, DIRECTORY + "/" + aside.getFileName(), reason);
  }

  /** A file that was moved aside by a daemon that died before it had written a new state. */
  private @Nullable Quarantined quarantinedBefore() throws DiskException {
    Path directory = AtomicFiles.directory(path);
    if (disk.status(directory) == null) {
      return null;
    }
    String prefix = FILE + QuarantineNames.MARK;
    for (String name : disk.list(directory)) {
      if (name.startsWith(prefix)) {
        return new Quarantined(
            DIRECTORY + "/" + FILE,
            DIRECTORY + "/" + name,
            "it was moved aside at an earlier start, and nothing was written since");
      }
    }
    return null;
  }

  /** A file that is missing from a directory that shows that it existed. */
  private @Nullable Quarantined missing() throws DiskException {
    Path directory = AtomicFiles.directory(path);
    Path runs = directory.resolve(RunDirectories.NAME);
    if (disk.status(wishesPath) == null
        && disk.status(directory.resolve(FingerprintKey.FILE)) == null
        && (disk.status(runs) == null || disk.list(runs).isEmpty())) {
      return null;
    }
    return isMissing();
  }

  /** The file, for who knows that it existed and finds none. */
  public Quarantined isMissing() {
    return new Quarantined(DIRECTORY + "/" + FILE, "", "it is missing");
  }

  /** The wishes of operators from the file beside the state; empty if that is lost too. */
  public Map<String, WishFile.Wish> wishes() throws DiskException {
    try {
      return WishFile.read(files.read(wishesPath, LIMIT_BYTES));
    } catch (DiskException e) {
      return switch (e.reason()) {
        case NOT_FOUND, INPUT_OUTPUT, SYMBOLIC_LINK, NOT_A_FILE, TOO_LARGE -> Map.of();
        default -> throw e;
      };
    }
  }

  private void removeLeftovers() throws DiskException {
    Path directory = AtomicFiles.directory(path);
    FileStatus status = disk.status(directory);
    if (status == null) {
      return;
    }
    if (status.kind() != Kind.DIRECTORY) {
      throw new DiskException("use", directory, DiskException.Reason.OTHER, "is not a directory");
    }
    for (String name : disk.list(directory)) {
      if (AtomicFiles.isTemporary(name)) {
        files.discard(directory.resolve(name));
      }
    }
  }

  public PersistedState state() {
    return state;
  }

  /** The state, to be changed; it is dirty from here on (CTR-0301). */
  public PersistedState mutableState() {
    state.touch();
    return state;
  }

  public boolean isDirty() {
    return state.revision() != savedRevision;
  }

  public void markDirty() {
    state.touch();
  }

  /** Saves the state if it changed (CTR-0302). Durable when it returns. */
  public void saveIfDirty() throws DiskException {
    if (isDirty()) {
      save();
    }
  }

  /**
   * Saves the state; durable when it returns. If it throws, the state is still dirty (INV-0302).
   */
  public void save() throws DiskException {
    Snapshot snapshot = snapshot();
    snapshot.write();
    written(snapshot);
  }

  /** The present state, encoded to be written. */
  public Snapshot snapshot() {
    Instant now = clock.instant();
    return new Snapshot(state.revision(), state.encode(now), state.wishes());
  }

  /** Tells that a snapshot is durable. Changes made since it was taken are still dirty. */
  public void written(Snapshot snapshot) {
    savedRevision = Math.max(savedRevision, snapshot.revision);
  }

  /** The encoded state of one moment. */
  public final class Snapshot {
    private final long revision;
    private final byte[] bytes;
    private final byte[] wishes;

    private Snapshot(long revision, byte[] bytes, byte[] wishes) {
      this.revision = revision;
      this.bytes = bytes;
      this.wishes = wishes;
    }

    /**
     * Makes the snapshot durable, on any thread. Of two snapshots the newer one stays, whichever is
     * written first.
     */
    public void write() throws DiskException {
      synchronized (writing) {
        if (revision < newestOnDisk) {
          return; // what is there already says all that this one says, and more
        }
        makeDirectory();
        files.replace(path, bytes);
        // The wishes come second: a file that proves that there was a state must not exist before
        // the state does.
        if (!Arrays.equals(wishes, wishesOnDisk)) {
          wishesOnDisk = null; // not known any more, should it fail
          files.replace(wishesPath, wishes);
          wishesOnDisk = wishes;
        }
        newestOnDisk = revision;
      }
    }

    private void makeDirectory() throws DiskException {
      Path directory = AtomicFiles.directory(path);
      if (disk.status(directory) == null) {
        disk.createDirectory(directory);
        disk.syncDirectory(AtomicFiles.directory(directory));
      }
    }
  }
}
