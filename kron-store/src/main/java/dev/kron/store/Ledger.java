package dev.kron.store;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The record of when the daemon was up, by the wall clock: lines {@code up <time> <boot id>},
 * {@code seen <time>}, {@code down <time>}. It is written once a minute, so a recorded interval
 * ends at most a minute before the daemon did. An interval also ends where the clock went back or
 * where more than two minutes passed unseen (the machine slept, the daemon was stopped, the clock
 * jumped): nobody was there to see what became due.
 *
 * <p>One thread writes it, any thread may read. A failed write is reported to the caller and
 * repaired by the next one.
 */
public final class Ledger {
  static final String FILE = "ledger";
  private static final int LIMIT_BYTES = 16 << 20;
  private static final int MAXIMUM_STRETCHES = 1000;
  private static final long UNSEEN_SECONDS = 120;
  private static final int COMPACTION_LINES = 3000;

  /**
   * An interval without the daemon, in epoch seconds.
   *
   * @param from when the daemon was last known to be there
   * @param to when it was back
   */
  public record Absence(long from, long to) {}

  /** An interval in which the daemon was up; {@code clean} if its end was announced. */
  private record Stretch(long from, long to, String bootId, boolean clean) {}

  private final LineLog log;
  private final List<Stretch> stretches = new ArrayList<>();
  private String bootId = "";
  private int lines;

  /**
   * Whether something in memory is missing from the file; the next write then writes everything.
   */
  private boolean incomplete;

  Ledger(Disk disk, Path directory) {
    this.log = new LineLog(disk, directory.resolve(FILE), LIMIT_BYTES);
  }

  /** Records that the daemon is up from now on, and reads the earlier intervals. */
  public synchronized void begin(long nowEpochSecond, String boot) throws DiskException {
    stretches.clear();
    bootId = boot;
    for (String line : new String(log.read(), StandardCharsets.UTF_8).split("\n")) {
      parse(line.split(" ", 3));
    }
    stretches.add(new Stretch(nowEpochSecond, nowEpochSecond, boot, false));
    compact();
  }

  private void parse(String[] words) {
    try {
      long time = millis(words[1]) / 1000;
      if (words[0].equals("up")) {
        stretches.add(new Stretch(time, time, words.length > 2 ? words[2] : "", false));
      } else if (!stretches.isEmpty()) {
        extend(time, words[0].equals("down"));
      }
    } catch (MalformedStateException | ArrayIndexOutOfBoundsException e) {
      // A damaged line makes an interval less exact, no more.
    }
  }

  private static long millis(String text) throws MalformedStateException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return Timestamps.millis(bytes, 0, bytes.length);
  }

  private void extend(long time, boolean clean) {
    Stretch last = stretches.removeLast();
    stretches.add(new Stretch(last.from(), Math.max(last.to(), time), last.bootId(), clean));
  }

  /**
   * Records that the daemon is still up; called about once a minute and after a jump of the clock.
   */
  public synchronized void touch(long nowEpochSecond) throws DiskException {
    if (stretches.isEmpty()) {
      begin(nowEpochSecond, bootId); // what was before could not be read
      return;
    }
    long last = stretches.getLast().to();
    if (nowEpochSecond < last || nowEpochSecond > last + UNSEEN_SECONDS) {
      stretches.add(new Stretch(nowEpochSecond, nowEpochSecond, bootId, false));
      append("up " + Timestamps.ofSecond(nowEpochSecond) + " " + bootId);
    } else {
      extend(nowEpochSecond, false);
      append("seen " + Timestamps.ofSecond(nowEpochSecond));
    }
  }

  /** Records an orderly shutdown. */
  public synchronized void end(long nowEpochSecond) throws DiskException {
    if (stretches.isEmpty()) {
      return; // it never came up
    }
    extend(nowEpochSecond, true);
    append("down " + Timestamps.ofSecond(nowEpochSecond));
  }

  private void append(String line) throws DiskException {
    if (incomplete || lines >= COMPACTION_LINES) {
      compact();
      return;
    }
    incomplete = true;
    byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
    log.append(output -> output.write(bytes, 0, bytes.length));
    incomplete = false;
    lines++;
  }

  /** Rewrites the file with two lines an interval, newest intervals only. */
  private void compact() throws DiskException {
    while (stretches.size() > MAXIMUM_STRETCHES) {
      stretches.removeFirst();
    }
    StringBuilder text = new StringBuilder();
    for (Stretch stretch : stretches) {
      text.append("up ").append(Timestamps.ofSecond(stretch.from()));
      text.append(' ').append(stretch.bootId()).append('\n');
      text.append(stretch.clean() ? "down " : "seen ");
      text.append(Timestamps.ofSecond(stretch.to())).append('\n');
    }
    incomplete = true;
    byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
    log.replace(output -> output.write(bytes, 0, bytes.length));
    incomplete = false;
    lines = stretches.size() * 2;
  }

  /**
   * The intervals without the daemon within the given time, oldest first. Time before the ledger's
   * beginning is unknown and not included.
   */
  public synchronized List<Absence> downBetween(long fromEpochSecond, long toEpochSecond) {
    List<Absence> absences = new ArrayList<>();
    long known = Long.MIN_VALUE;
    List<Stretch> byTime =
        stretches.stream().sorted(Comparator.comparingLong(Stretch::from)).toList();
    for (Stretch stretch : byTime) {
      if (known != Long.MIN_VALUE && stretch.from() > known) {
        long from = Math.max(known, fromEpochSecond);
        long to = Math.min(stretch.from(), toEpochSecond);
        if (from < to) {
          absences.add(new Absence(from, to));
        }
      }
      known = Math.max(known, stretch.to());
    }
    return absences;
  }
}
