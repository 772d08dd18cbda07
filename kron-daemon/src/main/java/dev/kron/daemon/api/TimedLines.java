package dev.kron.daemon.api;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.kron.daemon.runs.TimeMarks;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/**
 * Output line by line, each with the offset after it and the two times between which it was
 * written: {@code OFFSET AFTER BY LINE}, with {@code -} where nobody knows. What is not marked yet
 * was written by the time at which the file was last written to; what comes while somebody reads,
 * between two looks.
 */
final class TimedLines implements LogSink {
  private static final int LONGEST_LINE = 64 * 1024;

  /**
   * The time of a file is that of the kernel's last tick, of which there are a hundred a second or
   * more.
   */
  private static final long TICK_MILLIS = 10;

  private final OutputStream out;
  private final List<TimeMarks.Mark> marks;
  private final long sinceMillis;
  private final long byMillis;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream(256);
  private long lineEnd;
  private int next;
  private long lookedMillis;

  /**
   * @param sinceMillis when whoever wrote it was started; 0: not known
   * @param endedMillis when they ended, for a log that has no file any more; 0: not known
   */
  TimedLines(OutputStream out, Path log, long sinceMillis, long endedMillis) {
    this.out = out;
    this.sinceMillis = sinceMillis;
    this.byMillis = lastWritten(log, endedMillis);
    this.marks = TimeMarks.read(log);
  }

  private static long lastWritten(Path log, long endedMillis) {
    long now = System.currentTimeMillis();
    try {
      return Math.min(now, Files.getLastModifiedTime(log).toMillis() + TICK_MILLIS);
    } catch (IOException e) {
      return endedMillis == 0 ? now : Math.min(now, endedMillis);
    }
  }

  @Override
  public void write(byte[] bytes, int count, long at) throws IOException {
    for (int i = 0; i < count; i++) {
      if (line.size() >= LONGEST_LINE) {
        finishLine();
      }
      lineEnd = at + i + 1;
      if (bytes[i] == '\n') {
        finishLine();
      } else {
        line.write(bytes[i]);
      }
    }
  }

  private void finishLine() throws IOException {
    out.write((lineEnd + " " + times(lineEnd) + " ").getBytes(US_ASCII));
    line.writeTo(out);
    out.write('\n');
    line.reset();
  }

  private String times(long end) {
    if (lookedMillis > 0) {
      return text(lookedMillis, Math.max(lookedMillis, System.currentTimeMillis()));
    }
    while (next < marks.size() && marks.get(next).offset() < end) {
      next++;
    }
    long before = next == 0 ? sinceMillis : marks.get(next - 1).byMillis();
    if (next == marks.size()) {
      return text(before, Math.max(before, byMillis));
    }
    TimeMarks.Mark mark = marks.get(next);
    return text(mark.afterMillis() == 0 ? before : mark.afterMillis(), mark.byMillis());
  }

  private static String text(long after, long by) {
    return (after == 0 ? "-" : Instant.ofEpochMilli(after)) + " " + Instant.ofEpochMilli(by);
  }

  @Override
  public void caughtUp(long nowMillis) throws IOException {
    out.flush();
    lookedMillis = nowMillis;
  }

  @Override
  public void end() throws IOException {
    if (line.size() > 0) {
      finishLine();
    }
  }
}
