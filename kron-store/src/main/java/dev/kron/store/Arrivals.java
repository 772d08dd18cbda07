package dev.kron.store;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * The log of moments from which a job's due times count, and of the jobs that have state files: one
 * line each, one fsync for any number of jobs. Of several lines for a job the last one counts, and
 * it counts more than what the job's state file says: a commit that changes the moment or the
 * fingerprint appends here first.
 *
 * <p>A line is {@code <name of the job's state file, without .json> <fingerprint> <epoch second>
 * new|lost [filed] <CRC-32C>}. Once a line of a job says {@code filed}, a state file of it must be
 * there, until one says {@value #QUARANTINED}. Lines that are damaged are passed over: their jobs
 * are then seen as new unless they have a state file. The first line is {@value #HEADER}: a log
 * without it has lost what it said, also where a daemon that lived appended to it after that.
 */
public final class Arrivals {
  /** In place of a fingerprint, where a state file was lost: equals no schedule's. */
  public static final String QUARANTINED = "quarantined";

  static final String FILE = "arrivals";
  static final String HEADER = "kron-arrivals 1";
  static final String FILED = "filed";
  private static final int LIMIT_BYTES = 512 << 20;

  private final LineLog log;
  private boolean known; // it was read or made
  private boolean cut; // and had lost its beginning, or was not there

  /** Jobs that have state files, which could not be noted yet. */
  private final Set<String> unfiled = new HashSet<>();

  Arrivals(Disk disk, Path directory) {
    this.log = new LineLog(disk, directory.resolve(FILE), LIMIT_BYTES);
  }

  /**
   * Makes the log where it was found missing, gives it a beginning where it had lost that, and
   * appends; to be called at a start, also where nothing arrives.
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

  /** Durable when it returns, all of them with one fsync. Blocks: not for the daemon's loop. */
  public synchronized void append(List<Arrival> arrivals) throws DiskException {
    append(arrivals, false);
  }

  /** These jobs have state files from now on. Durable when it returns. */
  synchronized void appendFiled(List<Arrival> jobs) throws DiskException {
    jobs.forEach(job -> unfiled.add(job.identity()));
    append(jobs, true);
    jobs.forEach(job -> unfiled.remove(job.identity()));
  }

  /** The state file of this job has its name, which may not be durable. */
  synchronized void named(String identity) {
    unfiled.add(identity);
  }

  /** Whether a job has a state file that is still to be noted: until then it is as a first one. */
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

  /** For state files that are lost and whose identity nobody could read. */
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

  /** Writes the log anew without what no longer counts, where that is most of it. */
  synchronized void compact(ArrivalTable table) throws DiskException {
    if (table.worthCompacting()) {
      log.replace(table::writeNeeded);
    }
  }

  /** Lines on their way to the disk. */
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
