package dev.kron.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * The system log: one datagram a line to the socket that the C library's {@code syslog} uses, in
 * the traditional format. It never waits: a line that cannot be taken now is dropped and counted.
 * After a restart of the log it reconnects by itself.
 */
public final class SystemLog implements AutoCloseable {

  /** The socket of the log. */
  public static final Path SOCKET = Path.of("/dev/log");

  /** How urgent a line is; the numbers are the protocol's. */
  public enum Severity {
    ERROR(3),
    WARNING(4),
    NOTICE(5),
    INFO(6),
    DEBUG(7);

    private final int number;

    Severity(int number) {
      this.number = number;
    }
  }

  /** The longest line; readers cut off or refuse longer ones. */
  private static final int LINE_LIMIT_BYTES = 8192;

  private static final int CRON_FACILITY = 9;

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("MMM ppd HH:mm:ss", Locale.ROOT);

  private final LocalDatagrams datagrams;
  private final ZoneId zone;
  private long dropped;

  /**
   * A log at the given socket, usually {@link #SOCKET}.
   *
   * @param zone the machine's own, in which the protocol gives times
   */
  public SystemLog(Path path, ZoneId zone) {
    this.datagrams = new LocalDatagrams(path.toString());
    this.zone = zone;
  }

  /**
   * Sends a line.
   *
   * @param tag the program's name, without spaces, colons or brackets
   * @param pid the program's process
   * @return false if it was dropped
   */
  public synchronized boolean send(
      Severity severity, Instant time, String tag, int pid, String line) {
    boolean delivered = datagrams.send(format(severity, time, tag, pid, line));
    dropped += delivered ? 0 : 1;
    return delivered;
  }

  /** The number of lines that could not be delivered. */
  public synchronized long dropped() {
    return dropped;
  }

  private byte[] format(Severity severity, Instant time, String tag, int pid, String line) {
    String head =
        "<%s>%s %s[%s]: "
            .formatted(
                CRON_FACILITY * 8 + severity.number, TIME.format(time.atZone(zone)), tag, pid);
    byte[] bytes = (head + line.replace('\n', ' ').replace('\0', ' ')).getBytes(UTF_8);
    return bytes.length <= LINE_LIMIT_BYTES ? bytes : java.util.Arrays.copyOf(bytes, cut(bytes));
  }

  /** The end of the last character that fits completely. */
  private static int cut(byte[] bytes) {
    int end = LINE_LIMIT_BYTES;
    while ((bytes[end] & 0xc0) == 0x80) {
      end--;
    }
    return end;
  }

  @Override
  public void close() {
    datagrams.close();
  }
}
