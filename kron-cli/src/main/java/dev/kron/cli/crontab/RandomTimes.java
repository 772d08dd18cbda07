package dev.kron.cli.crontab;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Times that a crontab leaves to chance, as a window: {@code H} as Jenkins has it, {@code 0~59} of
 * cronie and OpenBSD, and a sleep of random length before the command.
 *
 * @param fields without chance
 * @param command without the sleep
 * @param windowSeconds 0 where nothing is left to chance
 * @param written what stands for chance in the crontab
 */
record RandomTimes(List<String> fields, String command, long windowSeconds, String written) {
  private static final Pattern SLEEP =
      Pattern.compile(
          "\\s*sleep\\s+\"?\\$\\(\\(\\s*\\$?RANDOM\\s*\\\\?%\\s*(\\d{1,5})\\s*\\)\\)([smh]?)\"?\\s*"
              + "(?:;|&&)\\s*(\\S.*)");
  private static final Pattern HASHED =
      Pattern.compile("H(?:\\((\\d{1,2})-(\\d{1,2})\\))?(?:/(\\d{1,2}))?");
  private static final Pattern RANGE = Pattern.compile("(\\d{0,2})~(\\d{0,2})");
  private static final long MINUTE = 60;
  private static final long HOUR = 3_600;

  /** The largest value of a shell's RANDOM. */
  private static final int RANDOM_MOST = 32_767;

  RandomTimes {
    fields = List.copyOf(fields);
  }

  static RandomTimes of(List<String> fields, String command) {
    RandomTimes times = fields(fields, command);
    Matcher sleep = SLEEP.matcher(times.command());
    if (!sleep.matches() || sleep.group(1).equals("0")) {
      return times;
    }
    long unit =
        switch (sleep.group(2)) {
          case "m" -> MINUTE;
          case "h" -> HOUR;
          default -> 1;
        };
    long most = Math.min(Math.max(0, Integer.parseInt(sleep.group(1)) - 1), RANDOM_MOST) * unit;
    String said = times.command().substring(0, sleep.start(3)).strip();
    return new RandomTimes(
        times.fields(),
        sleep.group(3),
        times.windowSeconds() + most,
        (times.written() + " " + said).strip());
  }

  private static RandomTimes fields(List<String> fields, String command) {
    Chance minute = Chance.of(fields.get(0), 59);
    Chance hour = Chance.of(fields.get(1), 23);
    if (minute == null && hour == null) {
      return new RandomTimes(fields, command, 0, "");
    }
    List<String> plain = new ArrayList<>(fields);
    long window = 0;
    if (minute != null) {
      plain.set(0, minute.field());
      window += minute.width() * MINUTE;
    }
    if (hour != null) {
      plain.set(1, hour.field());
      window += hour.width() * HOUR;
    }
    // A minute that comes several times an hour cannot be combined with an hour left to chance.
    boolean unclear = hour != null && !plain.getFirst().matches("\\d+");
    return unclear
        ? new RandomTimes(fields, command, 0, "")
        : new RandomTimes(plain, command, window, fields.get(0) + " " + fields.get(1));
  }

  /**
   * A field that is left to chance.
   *
   * @param field where its window begins
   * @param width of the window, in units of the field
   */
  private record Chance(String field, long width) {
    static @Nullable Chance of(String text, int most) {
      Matcher hashed = HASHED.matcher(text);
      Matcher range = RANGE.matcher(text);
      int from;
      int to;
      String step = null;
      if (hashed.matches()) {
        from = number(hashed.group(1), 0);
        to = number(hashed.group(2), most);
        step = hashed.group(3);
      } else if (range.matches()) {
        from = number(range.group(1), 0);
        to = number(range.group(2), most);
      } else {
        return null;
      }
      if (from > to || to > most) {
        return null;
      }
      if (step == null) {
        return new Chance(String.valueOf(from), to - from);
      }
      int every = Integer.parseInt(step);
      boolean whole = from == 0 && to == most;
      return every == 0
          ? null
          : new Chance((whole ? "*" : from + "-" + to) + "/" + every, Math.max(0, every - 1));
    }

    private static int number(@Nullable String text, int otherwise) {
      return text == null || text.isEmpty() ? otherwise : Integer.parseInt(text);
    }
  }
}
