package dev.kron.store;

import dev.kron.job.HistoryEntry;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The files behind the charts over time, one for each job and service. Nothing else depends on
 * them: they are written without fsync, and a damaged or lost file is rebuilt from the history in
 * the job's state. Every method may be called from any thread.
 */
public final class HistoryFiles {
  static final String DIRECTORY = "history";

  /** The limit for all files together. */
  public static final long LIMIT_BYTES = 256L << 20;

  private static final int FILE_LIMIT_BYTES = 16 << 20;
  private static final String TEMPORARY = ".kron-tmp";
  private static final int MOST_RUNS = 2 * Past.RUNS;
  private static final long UNKNOWN = -1;

  private final Disk disk;
  private final Path directory;
  private final JobStates states;
  private final long limitBytes;

  /**
   * The number of frames in each file that was appended to; a file that is not listed is read
   * first.
   */
  private final Map<String, Integer> frames = new HashMap<>();

  private long total = UNKNOWN;

  HistoryFiles(Disk disk, Path state, JobStates states, long limitBytes) {
    this.disk = disk;
    this.directory = state.resolve(DIRECTORY);
    this.states = states;
    this.limitBytes = limitBytes;
  }

  private Path file(String identity) {
    return directory.resolve(Hashes.hex(identity));
  }

  /** The past of a job or service, as far as it can be read. */
  public Past read(String identity) {
    return read(file(identity));
  }

  private Past read(Path file) {
    try {
      return Past.read(new AtomicFiles(disk).read(file, FILE_LIMIT_BYTES));
    } catch (DiskException e) {
      return Past.read(new byte[0]);
    }
  }

  /**
   * Adds runs of a job that ended.
   *
   * @param zone the zone in which its days are counted
   */
  public synchronized void append(String identity, ZoneId zone, List<HistoryEntry> entries)
      throws DiskException {
    prepare();
    Integer present = frames.remove(identity); // until it has worked
    if (present != null && present + entries.size() <= MOST_RUNS) {
      add(file(identity), entries.stream().map(PastFrames::run).toList());
      frames.put(identity, present + entries.size());
    } else {
      catchUp(identity, zone, entries);
    }
    shrink();
  }

  /**
   * Adds entries of the state that are missing here, because an earlier daemon died before it wrote
   * them or the disk refused them.
   */
  private void catchUp(String identity, ZoneId zone, List<HistoryEntry> entries)
      throws DiskException {
    Past past = read(identity);
    List<HistoryEntry> all = new ArrayList<>();
    try {
      all.addAll(states.history(identity));
    } catch (DiskException e) {
      // A state that cannot be read is reported elsewhere.
    }
    all.addAll(entries);
    List<HistoryEntry> missing = past.missing(all);
    past.runs().addAll(missing);
    if (past.isDamaged() || past.runs().size() > MOST_RUNS) {
      past.fold(zone);
      replace(file(identity), past.bytes());
    } else {
      add(file(identity), missing.stream().map(PastFrames::run).toList());
    }
    frames.put(identity, past.runs().size());
  }

  /** Adds events of a service. */
  public synchronized void appendEvents(String identity, List<PastEvent> events)
      throws DiskException {
    prepare();
    Integer present = frames.remove(identity);
    if (present != null && present + events.size() <= MOST_RUNS) {
      add(file(identity), events.stream().map(PastFrames::event).toList());
      frames.put(identity, present + events.size());
    } else {
      Past past = read(identity);
      past.events().addAll(events);
      past.fold(ZoneOffset.UTC);
      replace(file(identity), past.bytes());
      frames.put(identity, past.events().size());
    }
    shrink();
  }

  /**
   * Notes that an entry was lost on its way, so that the next write compares the file with the
   * state.
   */
  public synchronized void forget(String identity) {
    frames.remove(identity);
  }

  /** Forgets everything known about the files on disk; somebody may have removed them all. */
  public synchronized void reset() {
    frames.clear();
    total = UNKNOWN;
  }

  /**
   * Frees space when the disk is full and states cannot be written: deletes the largest files, at
   * least a quarter of all bytes. Their contents are lost, since nothing can be rewritten then.
   *
   * @return the number of bytes freed
   */
  public synchronized long giveWay() throws DiskException {
    reset();
    if (disk.status(directory) == null) {
      return 0;
    }
    Map<Path, Long> sizes = new HashMap<>();
    for (String name : disk.list(directory)) {
      FileStatus status = disk.status(directory.resolve(name));
      if (status != null) {
        sizes.put(directory.resolve(name), status.size());
      }
    }
    long sum = sizes.values().stream().mapToLong(Long::longValue).sum();
    long freed = 0;
    for (Map.Entry<Path, Long> largest :
        sizes.entrySet().stream()
            .sorted(Map.Entry.<Path, Long>comparingByValue().reversed())
            .toList()) {
      if (freed > 0 && freed >= sum / 4) {
        break;
      }
      disk.delete(largest.getKey());
      freed += largest.getValue();
    }
    return freed;
  }

  private void prepare() throws DiskException {
    if (total != UNKNOWN) {
      return;
    }
    if (disk.status(directory) == null) {
      disk.createDirectory(directory);
    }
    long sum = 0;
    for (String name : disk.list(directory)) {
      Path file = directory.resolve(name);
      FileStatus status = disk.status(file);
      if (name.endsWith(TEMPORARY)) {
        disk.delete(file);
      } else if (status != null) {
        sum += status.size();
      }
    }
    total = sum;
  }

  private void add(Path file, List<byte[]> added) throws DiskException {
    byte[] bytes = new byte[added.stream().mapToInt(frame -> frame.length).sum()];
    int at = 0;
    for (byte[] frame : added) {
      System.arraycopy(frame, 0, bytes, at, frame.length);
      at += frame.length;
    }
    try (Disk.Output output = disk.append(file)) {
      output.write(bytes, 0, bytes.length);
    }
    total += bytes.length;
  }

  private void replace(Path file, byte[] bytes) throws DiskException {
    FileStatus before = disk.status(file);
    Path temporary = file.resolveSibling(file.getFileName() + TEMPORARY);
    if (disk.status(temporary) != null) {
      disk.delete(temporary);
    }
    try (Disk.Output output = disk.create(temporary)) {
      output.write(bytes, 0, bytes.length);
    }
    disk.rename(temporary, file);
    total += bytes.length - (before == null ? 0 : before.size());
  }

  /** Drops the oldest entries of all files once these are too large together. */
  private void shrink() throws DiskException {
    if (total <= limitBytes) {
      return;
    }
    TreeMap<Long, Long> bytesByHour = new TreeMap<>();
    List<String> names = disk.list(directory);
    for (String name : names) {
      read(directory.resolve(name)).weigh(bytesByHour);
    }
    long left = total;
    long firstHour = bytesByHour.isEmpty() ? 0 : bytesByHour.firstKey();
    while (left > limitBytes / 8 * 7 && !bytesByHour.isEmpty()) {
      Map.Entry<Long, Long> oldest = bytesByHour.pollFirstEntry();
      left -= oldest.getValue();
      firstHour = oldest.getKey() + 1;
    }
    for (String name : names) {
      Path file = directory.resolve(name);
      Past past = read(file);
      past.dropBefore(firstHour * 3_600_000L);
      if (past.isEmpty()) {
        disk.delete(file);
      } else {
        replace(file, past.bytes());
      }
    }
    reset();
    prepare();
  }
}
