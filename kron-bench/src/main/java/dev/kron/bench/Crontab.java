package dev.kron.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.function.IntFunction;

/**
 * Lines for a cron daemon, all of the same minute.
 *
 * @param minute when they are due, every day, UTC
 * @param command a line for {@code sh -c}, without percent signs, which cron would take for
 *     newlines
 */
record Crontab(ZonedDateTime minute, int count, IntFunction<String> command) {
  private static final int A_FILE = 5_000;

  Crontab {
    minute = minute.withZoneSameInstant(ZoneOffset.UTC);
  }

  String fields() {
    return minute.getMinute() + " " + minute.getHour() + " * * *";
  }

  /** A crontab of a user; with a name it is one of the system's. */
  String text(String user) {
    var text = new StringBuilder("MAILTO=\"\"\n");
    for (int i = 0; i < count; i++) {
      text.append(fields()).append(user).append(' ').append(command.apply(i)).append('\n');
    }
    return text.toString();
  }

  /** In which of several files a job is: a krontab may not be large. */
  static String fileOf(int job) {
    return "bench" + job / A_FILE + ".krontab";
  }

  void writeKrontabs(Path directory) throws IOException {
    for (int start = 0; start < count; start += A_FILE) {
      var text = new StringBuilder();
      for (int i = start; i < Math.min(count, start + A_FILE); i++) {
        text.append(fields())
            .append(" name=job")
            .append(i)
            .append(" shell=true command=\"")
            .append(command.apply(i))
            .append("\"\n");
      }
      Files.writeString(directory.resolve(fileOf(start)), text);
    }
  }
}
