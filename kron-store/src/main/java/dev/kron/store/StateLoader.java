package dev.kron.store;

import dev.kron.job.JobState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The reader of all state files at a start. It first reads every file and changes nothing, so that
 * a refusal leaves the directory as it was; then it migrates; then it moves unreadable files aside.
 */
final class StateLoader {
  private static final int CHUNK = 128;
  private static final int BUFFER_BYTES = 32 * 1024;
  private static final int NAME_LENGTH = Hashes.HEX_LENGTH + JobStates.SUFFIX.length();

  private final Disk disk;
  private final Path directory;
  private final StateSettings settings;
  private final Arrivals arrivals;
  private final boolean fresh;
  private final AtomicFiles files;
  private final Migrations migrations;
  private final QuarantineNames quarantine;
  private final UnaryOperator<String> canonical;

  /** One string for each fingerprint, since many jobs have the same schedule. */
  private final Map<String, String> fingerprints = new ConcurrentHashMap<>();

  /** The result of reading one file. */
  private sealed interface Finding {
    record State(JobState state) implements Finding {}

    record Gone() implements Finding {}

    record Corrupt(String reason) implements Finding {}

    record Old(JobState state) implements Finding {}

    record Refused(String reason) implements Finding {}
  }

  /**
   * A loader.
   *
   * @param fresh whether nobody has used the directory before
   */
  StateLoader(
      Disk disk,
      Path directory,
      StateSettings settings,
      Arrivals arrivals,
      boolean fresh,
      UnaryOperator<String> canonical) {
    this.disk = disk;
    this.directory = directory;
    this.settings = settings;
    this.arrivals = arrivals;
    this.fresh = fresh;
    this.files = new AtomicFiles(disk);
    this.migrations = new Migrations(settings.migrations());
    this.quarantine = new QuarantineNames(disk, settings.clock());
    this.canonical = canonical;
  }

  /** The notification states of jobs, by identity; several threads fill it. */
  private final Map<String, String> notices = new ConcurrentHashMap<>();

  LoadedStates load() throws StateRefusedException {
    try {
      List<String> names = stateFiles();
      ArrivalTable table = arrivals.read();
      @Nullable Finding[] findings = examine(names, table);
      refuse(names, findings);
      migrate(names, findings, table);
      List<Quarantined> moved = quarantine(names, findings);
      ArrivalTable current = moved.isEmpty() ? table : arrivals.read();
      List<String> missing = missing(names, current);
      List<JobState> states = new ArrayList<>(names.size());
      List<Arrival> unfiled = new ArrayList<>();
      for (int i = 0; i < names.size(); i++) {
        if (findings[i] instanceof Finding.State(JobState state)) {
          states.add(state);
          ArrivalTable.Line line = current.find(hash(names.get(i)));
          if ((line == null || !line.filed()) && !state.fingerprint().isEmpty()) {
            unfiled.add(JobStates.arrival(state));
          }
        }
      }
      boolean lost = !fresh && !table.hasBeginning();
      if (!lost) {
        compact(current);
        file(unfiled);
      }
      return new LoadedStates(
          states, moved, missing, current, lost ? settings.clock().instant() : null, notices);
    } catch (DiskException e) {
      throw new StateRefusedException(
          "state directory " + directory + " cannot be used: " + e.getMessage(), e);
    }
  }

  /**
   * Files that jobs had and that are missing: their pasts are lost from now on. If that cannot be
   * written, the next start finds the same.
   */
  private List<String> missing(List<String> names, ArrivalTable table) {
    for (String name : names) {
      ArrivalTable.Line line = table.find(hash(name));
      if (line != null) {
        line.fileFound();
      }
    }
    long now = settings.clock().instant().getEpochSecond();
    List<String> hashes = table.lose(now);
    if (!hashes.isEmpty()) {
      try {
        arrivals.appendQuarantined(hashes, now);
      } catch (DiskException e) {
        // Jobs that are there get their lines before any of them starts.
      }
    }
    return hashes.stream().map(hash -> hash + JobStates.SUFFIX).toList();
  }

  /** Notes that these jobs have files; on a full disk the next start does it. */
  private void file(List<Arrival> unfiled) {
    try {
      arrivals.appendFiled(unfiled);
    } catch (DiskException e) {
      // The files are there, and that is what counts.
    }
  }

  /**
   * Compacts the log if possible. A log that is longer than necessary is no reason to refuse a
   * start on a full disk.
   */
  private void compact(ArrivalTable table) {
    try {
      arrivals.compact(table);
    } catch (DiskException e) {
      // The log means the same uncompacted; the next start tries again.
    }
  }

  /** The names of state files. Temporary files of a killed daemon are removed. */
  private List<String> stateFiles() throws DiskException {
    List<String> states = new ArrayList<>();
    for (String name : disk.list(directory)) {
      if (isStateFile(name)) {
        states.add(name);
      } else if (AtomicFiles.isTemporary(name)) {
        removeQuietly(directory.resolve(name));
      }
    }
    return states;
  }

  private void removeQuietly(Path leftover) {
    try {
      disk.delete(leftover);
    } catch (DiskException e) {
      // The file takes a little space and does no harm.
    }
  }

  static boolean isStateFile(String name) {
    return name.length() == NAME_LENGTH
        && name.endsWith(JobStates.SUFFIX)
        && Hashes.isHex(name, 0, Hashes.HEX_LENGTH);
  }

  private static String hash(String name) {
    return name.substring(0, Hashes.HEX_LENGTH);
  }

  private @Nullable Finding[] examine(List<String> names, ArrivalTable table) {
    @Nullable Finding[] findings = new @Nullable Finding[names.size()];
    int chunks = (names.size() + CHUNK - 1) / CHUNK;
    int threads = Math.min(settings.threads(), Runtime.getRuntime().availableProcessors());
    Parallel.forEach(
        settings.workers(),
        threads,
        chunks,
        chunk -> {
          byte[] buffer = new byte[BUFFER_BYTES];
          int end = Math.min(names.size(), (chunk + 1) * CHUNK);
          for (int i = chunk * CHUNK; i < end; i++) {
            findings[i] = examine(names.get(i), buffer, table);
          }
        });
    return findings;
  }

  private Finding examine(String name, byte[] buffer, ArrivalTable table) {
    Path file = directory.resolve(name);
    byte[] content = buffer;
    int length;
    try {
      length = disk.read(file, 0, buffer);
      if (length == buffer.length) {
        content = files.read(file, JobStates.LIMIT_BYTES);
        length = content.length;
      }
    } catch (DiskException e) {
      return switch (e.reason()) {
        case NOT_FOUND -> new Finding.Gone();
        case INPUT_OUTPUT, SYMBOLIC_LINK, NOT_A_FILE, TOO_LARGE ->
            new Finding.Corrupt(e.getMessage());
        default -> new Finding.Refused(e.getMessage());
      };
    }
    try {
      StateReader.WithNotices read = StateReader.readWithNotices(content, length);
      Finding found = state(name, read.state(), table);
      if (found instanceof Finding.State(JobState state) && read.notices() != null) {
        notices.put(state.identity(), read.notices());
      }
      return found;
    } catch (MalformedStateException e) {
      return new Finding.Corrupt(e.getMessage());
    } catch (UnsupportedVersionException e) {
      return otherVersion(file, e.version(), Arrays.copyOf(content, length));
    }
  }

  private Finding state(String name, JobState state, ArrivalTable table) {
    String hash = Hashes.hex(state.identity());
    if (!name.startsWith(hash)) {
      return new Finding.Corrupt("it holds the state of another job, '" + state.identity() + "'");
    }
    String identity = canonical.apply(state.identity());
    ArrivalTable.Line line = table.find(hash);
    String fingerprint = line == null ? state.fingerprint() : line.fingerprint();
    long since = line == null ? state.since() : line.since();
    return new Finding.State(
        state
            .withIdentity(identity)
            .withArrival(
                fingerprints.computeIfAbsent(fingerprint, same -> same),
                since,
                line == null ? state.pastLost() : line.pastLost()));
  }

  private Finding otherVersion(Path file, String version, byte[] content) {
    if (Migrations.isNewer(version)) {
      return new Finding.Refused(
          "state file "
              + file
              + " has version "
              + version
              + ", this krond knows versions up to "
              + StateReader.VERSION
              + ": start the newer krond again, or restore a backup made before it");
    }
    try {
      byte[] migrated = migrations.migrate(content);
      StateReader.WithNotices read = StateReader.readWithNotices(migrated, migrated.length);
      if (read.notices() != null) {
        notices.put(canonical.apply(read.state().identity()), read.notices());
      }
      return new Finding.Old(read.state());
    } catch (MalformedStateException | UnsupportedVersionException e) {
      return new Finding.Refused(
          "state file "
              + file
              + " has version "
              + version
              + " and cannot be migrated: "
              + e.getMessage());
    }
  }

  private static void refuse(List<String> names, @Nullable Finding[] findings)
      throws StateRefusedException {
    int count = 0;
    String first = "";
    for (int i = 0; i < names.size(); i++) {
      if (findings[i] instanceof Finding.Refused(String reason)) {
        first = count++ == 0 ? reason : first;
      }
    }
    if (count > 0) {
      throw new StateRefusedException(
          count == 1 ? first : first + " (and " + (count - 1) + " more files likewise)");
    }
  }

  /** Writes migrated files; they are durable before anything is scheduled. */
  private void migrate(List<String> names, @Nullable Finding[] findings, ArrivalTable table)
      throws DiskException, StateRefusedException {
    boolean any = false;
    for (int i = 0; i < names.size(); i++) {
      if (findings[i] instanceof Finding.Old(JobState state)) {
        any = true;
        Path file = directory.resolve(names.get(i));
        try {
          byte[] migrated = migrations.migrate(files.read(file, JobStates.LIMIT_BYTES));
          Path temporary =
              files.writeTemporary(file, output -> output.write(migrated, 0, migrated.length));
          files.renameOrDelete(temporary, file);
        } catch (MalformedStateException e) {
          throw new StateRefusedException("state file " + file + " changed while it was migrated");
        }
        findings[i] = state(names.get(i), state, table);
      }
    }
    if (any) {
      disk.syncDirectory(directory);
    }
  }

  /**
   * Moves unreadable files aside, after their arrivals. If the daemon dies before the rename, the
   * file is found again; if it dies after it, the log says that the job's past was lost, and
   * nothing is run a second time.
   */
  private List<Quarantined> quarantine(List<String> names, @Nullable Finding[] findings)
      throws DiskException {
    List<String> hashes = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      if (findings[i] instanceof Finding.Corrupt) {
        hashes.add(hash(names.get(i)));
      }
    }
    if (hashes.isEmpty()) {
      return List.of();
    }
    arrivals.appendQuarantined(hashes, settings.clock().instant().getEpochSecond());
    List<Quarantined> moved = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      if (findings[i] instanceof Finding.Corrupt(String reason)) {
        String name = names.get(i);
        Path aside = quarantine.nameFor(directory.resolve(name));
        disk.rename(directory.resolve(name), aside);
        moved.add(new Quarantined(name, aside.getFileName().toString(), reason));
      }
    }
    disk.syncDirectory(directory);
    return moved;
  }
}
