package dev.kron.simulation;

import java.util.List;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/** Draws krontab entries: every policy, many schedules, zones, windows and limits. */
final class Entries {
  private static final List<String> CRON =
      List.of(
          "* * * * *",
          "* * * * *",
          "*/2 * * * *",
          "*/3 * * * *",
          "*/5 * * * *",
          "*/10 * * * *",
          "0,15,30,45 * * * *",
          "30 2 * * *",
          "0 3 * * *",
          "15 * 29 2 *");
  private static final List<String> ZONES =
      List.of(
          "",
          "",
          " @tz(Europe/Paris)",
          " @tz(America/New_York)",
          " @tz(Australia/Lord_Howe)",
          " @tz(Pacific/Apia)");
  private static final List<String> WINDOWS =
      List.of(
          "",
          "",
          "",
          " @win(after,40s)",
          " @win(before,50s)",
          " @win(around,2m)",
          " @win(after,7m) @dist(skewLate)",
          " @win(after,30s) @only(dow=MON,WED,SUN)");
  private static final List<String> DEADLINES =
      List.of("0s", "0s", "1s", "30s", "1m", "5m", "1h", "24h", "20000h");
  private static final List<String> TIMEOUTS =
      List.of("", "", " timeout=5s", " timeout=30s", " timeout=2m");
  private static final List<String> ALERTS = List.of("", "", " onfailure=/bin/alert");

  private static final String POLICY = " @policy(";
  private static final String THEN = " then=";

  private Entries() {}

  /**
   * The entry with an edition of its file, and sometimes a user, so that what runs can be told
   * apart.
   */
  static String signed(String entry, RandomGenerator random) {
    return entry
        + " env=EDITION="
        + random.nextInt(1_000)
        + (random.nextInt(6) == 0 ? " user=other" : "");
  }

  /** The same entry, and most of them tried again where they fail. */
  static String retrying(String entry, RandomGenerator random) {
    String okExit = one(random, List.of("", "", " okexit=0,3", " okexit=0,1,2,4"));
    if (random.nextInt(4) == 0) {
      return entry + okExit;
    }
    return entry
        + " retries="
        + (1 + random.nextInt(4))
        + " retrydelay="
        + one(random, List.of("1s", "5s", "20s", "1m"))
        + " retrymax="
        + one(random, List.of("10s", "1m", "10m", "1h"))
        + okExit;
  }

  /**
   * The same entry, and perhaps a job that follows: one with a later name, so that none comes back.
   */
  static String chained(String entry, RandomGenerator random, int number, int jobs) {
    return number + 1 >= jobs || random.nextInt(2) == 0
        ? entry
        : entry + THEN + name(number + 1 + random.nextInt(jobs - number - 1));
  }

  /**
   * The same entry, with its output kept, of one user; some run at starts of the machine, and some
   * read the output of the run that they follow.
   */
  static String booting(String entry, RandomGenerator random) {
    String kept = captured(entry);
    String boot =
        "@boot"
            + one(random, List.of("", "", " @win(after,40s)", " @win(after,3m) @dist(skewLate)"));
    String timed = random.nextInt(3) == 0 ? boot + kept.substring(kept.indexOf(POLICY)) : kept;
    return random.nextInt(2) == 0 ? timed : timed + " stdin=cause";
  }

  /** The same entry, with its output kept, of one user. */
  static String captured(String entry) {
    return entry.replace(" stdout=discard", "").replace(" user=other", "");
  }

  /** An entry without a job that follows where there is no such job. */
  static String withKnown(String entry, Predicate<String> isKnown) {
    int at = entry.indexOf(THEN);
    return at < 0 || isKnown.test(entry.substring(at + THEN.length()))
        ? entry
        : entry.substring(0, at);
  }

  /** The same schedule and command with another policy. */
  static String withOtherPolicy(String entry, RandomGenerator random, int number) {
    String schedule = entry.substring(0, entry.indexOf(POLICY));
    int signature = entry.indexOf(" env=");
    return schedule
        + drawPolicy(random, number)
        + (signature < 0 ? "" : entry.substring(signature));
  }

  static String name(int number) {
    return String.valueOf((char) ('a' + number));
  }

  static String draw(RandomGenerator random, int number) {
    return one(random, CRON)
        + one(random, ZONES)
        + one(random, WINDOWS)
        + drawPolicy(random, number);
  }

  static String drawEveryMinute(RandomGenerator random, int number) {
    return "* * * * *" + drawPolicy(random, number);
  }

  private static String drawPolicy(RandomGenerator random, int number) {
    return POLICY
        + "concurrency="
        + one(random, List.of("allow", "forbid", "replace"))
        + ",deadline="
        + one(random, DEADLINES)
        + (random.nextInt(15) == 0 ? ",suspend=true" : "")
        + ") name="
        + name(number)
        + " command=/bin/job stdout=discard stderr=discard"
        + one(random, TIMEOUTS)
        + one(random, ALERTS);
  }

  private static String one(RandomGenerator random, List<String> list) {
    return list.get(random.nextInt(list.size()));
  }
}
