package dev.kron.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * The system log: one datagram a line to the socket that the C library's {@code syslog} uses too,
 * in the format that every reader of it knows. Never waits: a line that cannot be taken now is
 * dropped and counted. Finds the log again by itself after it was restarted.
 */
public final class SystemLog implements AutoCloseable {

  /** Where the log listens. */
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

  /** Readers cut off or refuse longer lines. */
  private static final int LINE_LIMIT_BYTES = 8192;

  private static final int CRON_FACILITY = 9;

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("MMM ppd HH:mm:ss", Locale.ROOT);

  private final LocalDatagrams datagrams;
  private final ZoneId zone;
  private long dropped;

  /**
   * Logs to the given socket, {@link #SOCKET} as a rule.
   *
   * @param zone the machine's own, in which the protocol has its times
   */
  public SystemLog(Path path, ZoneId zone) {
    this.datagrams = new LocalDatagrams(path.toString());
    this.zone = zone;
  }

  /**
   * Sends a line.
   *
   * @param tag who says it, without spaces, colons or brackets
   * @param pid whose process it is
   * @return false: it was dropped
   */
  public synchronized boolean send(
      Severity severity, Instant time, String tag, int pid, String line) {
    boolean delivered = datagrams.send(format(severity, time, tag, pid, line));
    dropped += delivered ? 0 : 1;
    return delivered;
  }

  /** How many lines could not be delivered. */
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

  /** The end of the last character that fits in whole. */
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
