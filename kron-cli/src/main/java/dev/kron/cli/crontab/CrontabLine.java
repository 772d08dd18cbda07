package dev.kron.cli.crontab;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A line of a crontab, as cron understands it. */
sealed interface CrontabLine {
  /** In place of time fields: when the machine was started. */
  String BOOT = "@boot";

  /** Nothing, or a comment. */
  record Silent(String text) implements CrontabLine {}

  /** A variable for all entries below. */
  record Variable(String name, String value) implements CrontabLine {}

  /**
   * A job.
   *
   * @param fields the five of them, those that a shortcut stands for included
   * @param user null where the crontab has no such column
   * @param command the rest of the line, with its percent signs
   */
  record Entry(List<String> fields, @Nullable String user, String command) implements CrontabLine {
    public Entry {
      fields = List.copyOf(fields);
    }
  }

  /** Something that has no counterpart, or that cron would not understand either. */
  record Foreign(String reason) implements CrontabLine {}

  /** A name, quoted or not, an equals sign, and a value, quoted or not. */
  Pattern VARIABLE = Pattern.compile("(\"[^\"]*\"|'[^']*'|[^\\s=\"'][^\\s=]*)[ \\t]*=[ \\t]*(.*)");

  Pattern FIRST_WORD = Pattern.compile("([^ \\t]+)[ \\t]*(.*)");

  /**
   * @param system whether entries have a user column, as in /etc/crontab
   */
  static CrontabLine of(String text, boolean system) {
    String line = text.stripLeading();
    if (line.isEmpty() || line.startsWith("#")) {
      return new Silent(text);
    }
    Matcher variable = VARIABLE.matcher(line);
    if (variable.matches()) {
      return new Variable(unquoted(variable.group(1)), unquoted(variable.group(2).strip()));
    }
    if (line.startsWith("@")) {
      return shortcut(line, system);
    }
    String[] fields = new String[5];
    String rest = line;
    for (int i = 0; i < fields.length; i++) {
      Matcher word = FIRST_WORD.matcher(rest);
      if (!word.matches()) {
        return new Foreign("it has no five time fields, cron does not understand it either");
      }
      fields[i] = word.group(1);
      rest = word.group(2);
    }
    return entry(List.of(fields), rest, system);
  }

  private static CrontabLine shortcut(String line, boolean system) {
    Matcher word = FIRST_WORD.matcher(line);
    if (!word.matches()) {
      throw new IllegalStateException(line);
    }
    String fields =
        switch (word.group(1)) {
          case "@yearly", "@annually" -> "0 0 1 1 *";
          case "@monthly" -> "0 0 1 * *";
          case "@weekly" -> "0 0 * * 0";
          case "@daily", "@midnight" -> "0 0 * * *";
          case "@hourly" -> "0 * * * *";
          case "@reboot" -> BOOT;
          default -> "";
        };
    if (fields.isEmpty()) {
      return new Foreign(word.group(1) + " has no counterpart");
    }
    return entry(List.of(fields.split(" ")), word.group(2), system);
  }

  private static CrontabLine entry(List<String> fields, String rest, boolean system) {
    if (!system) {
      return rest.isBlank()
          ? new Foreign("it has no command, cron does not understand it either")
          : new Entry(fields, null, rest);
    }
    Matcher user = FIRST_WORD.matcher(rest);
    return user.matches() && !user.group(2).isBlank()
        ? new Entry(fields, user.group(1), user.group(2))
        : new Foreign(
            "it has no user and command after the time fields; a user's own crontab, which has no"
                + " user column, is read with --user");
  }

  private static String unquoted(String text) {
    boolean quoted =
        text.length() >= 2
            && (text.charAt(0) == '"' || text.charAt(0) == '\'')
            && text.charAt(text.length() - 1) == text.charAt(0);
    return quoted ? text.substring(1, text.length() - 1) : text;
  }
}
