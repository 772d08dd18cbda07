package dev.kron.store;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The first time that a daemon was ready in a boot, and the jobs that it knew then.
 *
 * @param boot the id of the boot
 * @param readyMillis the time on the wall clock
 * @param readyNanos the time on the boot clock
 * @param jobs what was known of each job then, by the name of its state file without {@code .json}
 */
public record BootRecord(
    String boot, long readyMillis, long readyNanos, Map<String, Presence> jobs) {
  /** The prefix of the ids of periods that are boots. */
  public static final String PREFIX = "boot:";

  private static final String HEADER = "kron-boot 1";

  /**
   * The way in which a job was known. A job that counts from another moment by now is a new job.
   *
   * @param since from when its due times counted
   * @param pastLost whether its state had been lost by then
   */
  public record Presence(long since, boolean pastLost) {
    boolean isOf(long since, boolean pastLost) {
      return this.pastLost == pastLost && this.since == since;
    }
  }

  public BootRecord {
    jobs = Map.copyOf(jobs);
  }

  /** The id of the period that this boot is. */
  public String periodId() {
    return PREFIX + boot;
  }

  /** Whether a job was there and has not begun anew since. */
  public boolean has(String identity, long since, boolean pastLost) {
    Presence presence = jobs.get(Hashes.hex(identity));
    return presence != null && presence.isOf(since, pastLost);
  }

  /** The name under which a job is listed. */
  public static String name(String identity) {
    return Hashes.hex(identity);
  }

  byte[] bytes() {
    var text = new StringBuilder(HEADER).append('\n');
    text.append("boot ").append(boot).append('\n');
    text.append("ready ").append(readyMillis).append(' ').append(readyNanos).append('\n');
    new TreeMap<>(jobs)
        .forEach(
            (name, job) ->
                text.append("job ")
                    .append(name)
                    .append(' ')
                    .append(job.since())
                    .append(job.pastLost() ? " lost\n" : " new\n"));
    byte[] content = text.toString().getBytes(StandardCharsets.US_ASCII);
    text.append("sum ").append(Arrivals.checksum(content, 0, content.length)).append('\n');
    return text.toString().getBytes(StandardCharsets.US_ASCII);
  }

  /** Reads a record; null if these bytes are none. */
  static @Nullable BootRecord parse(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.US_ASCII);
    int sum = text.lastIndexOf("sum ");
    if (sum < 0
        || !text.substring(sum).equals("sum " + Arrivals.checksum(bytes, 0, sum) + "\n")
        || !text.startsWith(HEADER + "\n")) {
      return null;
    }
    String boot = "";
    long millis = 0;
    long nanos = 0;
    Map<String, Presence> jobs = new TreeMap<>();
    for (String line : text.substring(0, sum).split("\n")) {
      String[] words = line.split(" ");
      switch (words[0]) {
        case "boot" -> boot = words[1];
        case "ready" -> {
          millis = Long.parseLong(words[1]);
          nanos = Long.parseLong(words[2]);
        }
        case "job" ->
            jobs.put(words[1], new Presence(Long.parseLong(words[2]), words[3].equals("lost")));
        default -> {} // the header
      }
    }
    return new BootRecord(boot, millis, nanos, jobs);
  }
}
