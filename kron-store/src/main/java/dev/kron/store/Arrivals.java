package dev.kron.store;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * The log of the moments from which jobs' due times count, and of the jobs that have state files:
 * one line each, one fsync for any number of jobs. Of several lines for a job the last one counts,
 * and it takes precedence over the job's state file: a commit that changes the moment or the
 * fingerprint appends here first.
 *
 * <p>A line is {@code <name of the job's state file, without .json> <fingerprint> <epoch second>
 * new|lost [filed] <CRC-32C>}. Once a line of a job says {@code filed}, its state file must exist,
 * until a line says {@value #QUARANTINED}. Damaged lines are skipped; their jobs count as new
 * unless they have a state file. The first line is {@value #HEADER}. A log without it has lost its
 * contents, even if a running daemon appended to it since.
 */
public final class Arrivals {
  /**
   * A value in place of the fingerprint of a job whose state file was lost; it equals no schedule's
   * fingerprint.
   */
  public static final String QUARANTINED = "quarantined";

  static final String FILE = "arrivals";
  static final String HEADER = "kron-arrivals 1";
  static final String FILED = "filed";
  private static final int LIMIT_BYTES = 512 << 20;

  private final LineLog log;
  private boolean known; // it was read or made
  private boolean cut; // and had lost its beginning, or was not there

  /** Jobs whose state files are not noted in the log yet. */
  private final Set<String> unfiled = new HashSet<>();

  Arrivals(Disk disk, Path directory) {
    this.log = new LineLog(disk, directory.resolve(FILE), LIMIT_BYTES);
  }

  /**
   * Creates the log if it is missing, restores its header if that was lost, and appends. Called at
   * every start, even if there is nothing to append.
   */
  public synchronized void begin(List<Arrival> arrivals) throws DiskException {
    if (!known) {
      read();
    }
    if (cut) {
      log.rewrite(
          output -> {
            Chunk chunk = new Chunk(output);
            chunk.header();
            chunk.flush();
          },
          output -> {
            Chunk chunk = new Chunk(output);
            chunk.lines(arrivals, false);
            chunk.flush();
          });
      cut = false;
    } else {
      append(arrivals);
    }
  }

  /**
   * Appends arrivals with one fsync; they are durable when it returns. It blocks, so the daemon's
   * loop must not call it.
   */
  public synchronized void append(List<Arrival> arrivals) throws DiskException {
    append(arrivals, false);
  }

  /** Notes that these jobs have state files. Durable when it returns. */
  synchronized void appendFiled(List<Arrival> jobs) throws DiskException {
    jobs.forEach(job -> unfiled.add(job.identity()));
    append(jobs, true);
    jobs.forEach(job -> unfiled.remove(job.identity()));
  }

  /** Remembers that a job's state file has got its name, which may not be durable yet. */
  synchronized void named(String identity) {
    unfiled.add(identity);
  }

  /**
   * Whether a job has a state file that is not noted yet. Until it is, every write of that file is
   * treated as its first.
   */
  synchronized boolean isUnfiled(String identity) {
    return unfiled.contains(identity);
  }

  private void append(List<Arrival> arrivals, boolean filed) throws DiskException {
    if (!arrivals.isEmpty()) {
      log.append(
          output -> {
            Chunk chunk = new Chunk(output);
            chunk.lines(arrivals, filed);
            chunk.flush();
          });
    }
  }

  /** Notes lost state files whose identity nobody could read. */
  synchronized void appendQuarantined(List<String> hashes, long since) throws DiskException {
    log.append(
        output -> {
          Chunk chunk = new Chunk(output);
          for (String hash : hashes) {
            chunk.line(hash, QUARANTINED, since, true, false);
          }
          chunk.flush();
        });
  }

  synchronized ArrivalTable read() throws DiskException {
    ArrivalTable table = new ArrivalTable(log.read());
    cut = !table.hasBeginning();
    known = true;
    return table;
  }

  /** Rewrites the log without outdated lines, if they are most of it. */
  synchronized void compact(ArrivalTable table) throws DiskException {
    if (table.worthCompacting()) {
      log.replace(table::writeNeeded);
    }
  }

  /** A buffer of lines on their way to the disk. */
  static final class Chunk {
    private static final int FULL = 64 * 1024;

    private final Disk.Output output;
    private final StringBuilder lines = new StringBuilder();

    Chunk(Disk.Output output) {
      this.output = output;
    }

    void header() {
      lines.append(HEADER).append('\n');
    }

    void lines(List<Arrival> arrivals, boolean filed) throws DiskException {
      for (Arrival arrival : arrivals) {
        line(
            Hashes.hex(arrival.identity()),
            arrival.fingerprint(),
            arrival.since(),
            arrival.pastLost(),
            filed);
      }
    }

    void line(String hash, String fingerprint, long since, boolean pastLost, boolean filed)
        throws DiskException {
      int start = lines.length();
      lines.append(hash).append(' ').append(fingerprint);
      lines.append(' ').append(since).append(pastLost ? " lost" : " new");
      if (filed) {
        lines.append(' ').append(FILED);
      }
      byte[] text = lines.substring(start).getBytes(StandardCharsets.US_ASCII);
      lines.append(' ').append(checksum(text, 0, text.length)).append('\n');
      if (lines.length() > FULL) {
        flush();
      }
    }

    void flush() throws DiskException {
      byte[] bytes = lines.toString().getBytes(StandardCharsets.US_ASCII);
      output.write(bytes, 0, bytes.length);
      lines.setLength(0);
    }
  }

  static String checksum(byte[] bytes, int start, int end) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, start, end - start);
    return HexFormat.of().toHexDigits((int) crc.getValue());
  }
}
