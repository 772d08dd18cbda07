package dev.kron.bench;

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

  String krontab() {
    var text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      text.append(fields())
          .append(" name=job")
          .append(i)
          .append(" shell=true command=\"")
          .append(command.apply(i))
          .append("\"\n");
    }
    return text.toString();
  }
}
