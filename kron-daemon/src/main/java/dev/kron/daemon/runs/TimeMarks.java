package dev.kron.daemon.runs;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Time marks of a log, in a small file beside it, {@code NAME.times}. Commands write their output
 * themselves, so nobody knows when they wrote a line; but whoever looks at the log now and then
 * knows between which two looks it became longer. A mark is a line {@code OFFSET AFTER BY}: what is
 * before the offset, and after that of the mark before it, was written after the one time and by
 * the other, in epoch milliseconds; {@code AFTER} is 0 where that is not known.
 *
 * <p>Marks are few: of more than {@value #MOST} the older half is joined two by two, which makes
 * old times less exact and never wrong. They are not needed by anybody else: if the file is lost or
 * cannot be written, times are less exact too.
 *
 * <p>For one thread at a time; {@link #read} is for any.
 */
public final class TimeMarks {
  private static final int MOST = 4_096;
  private static final String SUFFIX = ".times";

  /**
   * A mark.
   *
   * @param offset the end of what it is about, in the stream that was ever written
   * @param afterMillis 0: not known
   */
  public record Mark(long offset, long afterMillis, long byMillis) {
    /** This mark and the next, as one. */
    Mark with(Mark next) {
      return new Mark(next.offset, afterMillis, next.byMillis);
    }
  }

  private final Path log;
  private int count = -1;
  private long offset;
  private long lookedMillis;

  public TimeMarks(Path log) {
    this.log = log;
  }

  private static Path file(Path log) {
    return log.resolveSibling(log.getFileName() + SUFFIX);
  }

  /** The marks of a log, oldest first; none if there is no file or none that can be read. */
  public static List<Mark> read(Path log) {
    List<Mark> marks = new ArrayList<>();
    String text = text(log);
    // A last line without an end was never finished.
    for (String line : text.substring(0, text.lastIndexOf('\n') + 1).lines().toList()) {
      Mark mark = mark(line);
      if (mark != null && (marks.isEmpty() || mark.offset() > marks.getLast().offset())) {
        marks.add(mark);
      }
    }
    return marks;
  }

  private static String text(Path log) {
    try {
      return Files.readString(file(log), ISO_8859_1);
    } catch (IOException e) {
      return "";
    }
  }

  private static @Nullable Mark mark(String line) {
    String[] words = line.split(" ");
    try {
      return new Mark(Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]));
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      return null;
    }
  }

  /**
   * Notes how long the log is at this moment.
   *
   * @param end the offset after its newest byte
   */
  public void look(long end, long nowMillis) {
    try {
      if (count < 0) {
        begin();
      }
      if (end < offset) { // the log begins anew, and nothing is known of it
        write(List.of());
        offset = 0;
      }
      if (end > offset) {
        add(new Mark(end, Math.min(lookedMillis, nowMillis), nowMillis));
        offset = end;
      }
      lookedMillis = nowMillis;
    } catch (IOException e) {
      // The disk is full: the next mark is about a longer time.
    }
  }

  /** Goes on where an earlier daemon was, which may have died in the middle of a line. */
  private void begin() throws IOException {
    List<Mark> marks = read(log);
    String text = text(log);
    if (!text.isEmpty() && !text.endsWith("\n")) {
      write(marks);
    }
    count = marks.size();
    offset = marks.isEmpty() ? 0 : marks.getLast().offset();
    lookedMillis = marks.isEmpty() ? 0 : marks.getLast().byMillis();
  }

  private void add(Mark mark) throws IOException {
    if (count >= MOST) {
      join();
    }
    Private.append(file(log), line(mark).getBytes(ISO_8859_1));
    count++;
  }

  private static String line(Mark mark) {
    return mark.offset() + " " + mark.afterMillis() + " " + mark.byMillis() + "\n";
  }

  private void join() throws IOException {
    List<Mark> marks = read(log);
    int half = marks.size() / 4 * 2;
    List<Mark> joined = new ArrayList<>();
    for (int i = 0; i < half; i += 2) {
      joined.add(marks.get(i).with(marks.get(i + 1)));
    }
    joined.addAll(marks.subList(half, marks.size()));
    write(joined);
  }

  private void write(List<Mark> marks) throws IOException {
    var text = new StringBuilder();
    marks.forEach(mark -> text.append(line(mark)));
    Path temporary = file(log).resolveSibling(file(log).getFileName() + ".tmp");
    Private.write(temporary, text.toString().getBytes(ISO_8859_1));
    Files.move(temporary, file(log), StandardCopyOption.ATOMIC_MOVE);
    count = marks.size();
  }
}
