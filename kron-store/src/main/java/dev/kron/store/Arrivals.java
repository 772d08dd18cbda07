package dev.kron.store;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The log of moments from which a job's due times count: one line each, one fsync for any number of
 * jobs. Of several lines for a job the last one counts, and it counts more than what the job's
 * state file says: a commit that changes the moment or the fingerprint appends here first.
 *
 * <p>A line is {@code <name of the job's state file, without .json> <fingerprint> <epoch second>
 * new|lost <CRC-32C>}. Lines that are damaged are passed over: their jobs are then seen as new,
 * which is safe.
 */
public final class Arrivals {
  /** In place of a fingerprint, where a state file was quarantined: equals no schedule's. */
  public static final String QUARANTINED = "quarantined";

  static final String FILE = "arrivals";
  private static final int LIMIT_BYTES = 512 << 20;

  private final LineLog log;

  Arrivals(Disk disk, Path directory) {
    this.log = new LineLog(disk, directory.resolve(FILE), LIMIT_BYTES);
  }

  /** Durable when it returns, all of them with one fsync. Blocks: not for the daemon's loop. */
  public synchronized void append(List<Arrival> arrivals) throws DiskException {
    if (!arrivals.isEmpty()) {
      log.append(
          output -> {
            Chunk chunk = new Chunk(output);
            for (Arrival arrival : arrivals) {
              chunk.line(Hashes.hex(arrival.identity()), arrival);
            }
            chunk.flush();
          });
    }
  }

  /** For state files whose identity nobody could read. */
  synchronized void appendQuarantined(List<String> hashes, long since) throws DiskException {
    Arrival lost = new Arrival("", QUARANTINED, since, true);
    log.append(
        output -> {
          Chunk chunk = new Chunk(output);
          for (String hash : hashes) {
            chunk.line(hash, lost);
          }
          chunk.flush();
        });
  }

  synchronized ArrivalTable read() throws DiskException {
    return new ArrivalTable(log.read());
  }

  /** Writes the log anew without what no longer counts, where that is most of it. */
  synchronized void compact(ArrivalTable table) throws DiskException {
    if (table.worthCompacting()) {
      log.replace(table::writeNeeded);
    }
  }

  /** Lines on their way to the disk. */
  private static final class Chunk {
    private static final int FULL = 64 * 1024;

    private final Disk.Output output;
    private final StringBuilder lines = new StringBuilder();

    Chunk(Disk.Output output) {
      this.output = output;
    }

    void line(String hash, Arrival arrival) throws DiskException {
      int start = lines.length();
      lines.append(hash).append(' ').append(arrival.fingerprint());
      lines.append(' ').append(arrival.since()).append(arrival.pastLost() ? " lost" : " new");
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
