package dev.kron.config;

import dev.kron.job.JobSpec;
import dev.kron.schedule.Problem;
import dev.kron.schedule.Schedule;
import dev.kron.text.VisibleText;
import org.jspecify.annotations.Nullable;

/** The parser of one line that is an entry: the schedule, then the fields. */
final class EntryParser {
  private final Sharing sharing = new Sharing();
  private final boolean strict;
  private @Nullable Entry last;

  EntryParser(boolean strict) {
    this.strict = strict;
  }

  /**
   * The entry; null if something is wrong, all of which is reported on the line.
   *
   * @param fleet the fleet's krontab that the line stands in, null: a krontab of this machine
   */
  @Nullable JobSpec parse(Line line, @Nullable FleetKrontab fleet) {
    String text = line.text();
    int start = FieldScanner.skipBlanks(text, 0);
    int guess = scheduleEnd(text, start);
    @Nullable Schedule schedule = sharing.schedule(text, start, guess);
    int fields = guess;
    if (schedule == null) {
      Schedule.Prefix parsed = Schedule.parsePrefix(text);
      schedule = parsed.schedule();
      fields = parsed.end();
      for (Problem problem : parsed.problems()) {
        line.error(problem.offset(), VisibleText.of(problem.message()));
      }
      if (!parsed.problems().isEmpty()) {
        fields = Math.min(fields, firstField(text, start));
      } else if (schedule != null && fields == guess) {
        sharing.rememberSchedule(text.substring(start, guess), schedule);
      }
    }
    var entry =
        new Entry(line, sharing, strict, fleet == null ? null : new FleetFields(line, fleet));
    return fields(line, entry, schedule, fields);
  }

  /** The entry that was parsed last, valid or not. */
  Entry last() {
    if (last == null) {
      throw new IllegalStateException("nothing was read yet");
    }
    return last;
  }

  private @Nullable JobSpec fields(Line line, Entry entry, @Nullable Schedule schedule, int start) {
    last = entry;
    var field = new FieldScanner(line, start);
    while (field.next()) {
      entry.read(field);
    }
    return entry.finish(schedule, field.bareTokenSeen());
  }

  /**
   * The end of the schedule, found without parsing it: after five words and every following word
   * that begins with {@code @}. It is only used to look up schedules that were parsed before, and
   * those are remembered only if their true end was the same.
   */
  private static int scheduleEnd(String text, int start) {
    int at = start;
    for (int word = 0; at < text.length(); word++) {
      if (word >= 5 && text.charAt(at) != '@') {
        return at;
      }
      boolean inQuotes = false;
      while (at < text.length() && (inQuotes || !FieldScanner.isBlank(text.charAt(at)))) {
        char c = text.charAt(at);
        if (c == '"') {
          inQuotes = !inQuotes;
        } else if (c == '\\' && inQuotes) {
          at++;
        }
        at++;
      }
      at = FieldScanner.skipBlanks(text, Math.min(at, text.length()));
    }
    return Math.min(at, text.length());
  }

  /**
   * The first obvious field in a line with a wrong schedule, so that the name is not taken for a
   * missing cron field.
   */
  private static int firstField(String text, int start) {
    int at = start;
    while (at < text.length()) {
      int end = at;
      while (end < text.length() && !FieldScanner.isBlank(text.charAt(end))) {
        end++;
      }
      int equals = text.indexOf('=', at);
      if (equals > at && equals < end && Key.at(text, at, equals) != null) {
        return at;
      }
      at = FieldScanner.skipBlanks(text, end);
    }
    return text.length();
  }
}
