package dev.kron.schedule;

import dev.kron.cron.Boot;
import dev.kron.cron.ClockChangeRule;
import dev.kron.cron.CronCalendar;
import dev.kron.cron.CronExpression;
import dev.kron.cron.Every;
import dev.kron.cron.Manual;
import dev.kron.cron.NominalTimes;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the bodies of modifiers and keeps what they say; what is not said keeps its default. */
final class Modifiers {
  private static final List<String> MODES = List.of("after", "before", "around", "center");
  private static final List<String> STRATEGIES = List.of("stable", "daily", "weekly");
  private static final List<String> SALT = List.of("salt");
  private static final List<String> POLICY = List.of("concurrency", "deadline", "suspend");
  private static final List<String> FROM = List.of("from");
  private static final List<String> EXACT = List.of("exact");
  private static final List<String> CLOCK_CHANGES =
      Arrays.stream(ClockChangeRule.values()).map(ClockChangeRule::text).toList();
  private static final long SECOND = 1_000_000_000;
  private static final List<String> CONCURRENCY = List.of("allow", "forbid", "replace");

  private final String text;
  private final Report report;
  private int seen;

  private @Nullable NominalTimes inPlaceOfFields;
  private ClockChangeRule clockChanges = ClockChangeRule.BOTH;
  private boolean exact;
  private ZoneId zone = Zones.UTC;
  private Window window = Window.NONE;
  private Distribution distribution = Distribution.UNIFORM;
  private Seed seed = Seed.STABLE;
  private Policy policy = Policy.DEFAULT;
  private @Nullable ClauseReader only;
  private @Nullable ClauseReader avoid;
  private Constraints constraints = Constraints.NONE;

  Modifiers(String text, Report report) {
    this.text = text;
    this.report = report;
  }

  /** Reads one modifier: its {@code @} stands at {@code start}, its body from there to there. */
  void read(Modifier modifier, int start, int bodyStart, int bodyEnd) {
    if ((seen & modifier.bit) != 0 && !modifier.repeats()) {
      report.add(
          start,
          report.quote(start, bodyEnd + 1)
              + " is a second "
              + modifier.word()
              + "; it may stand only once in a schedule");
      return;
    }
    seen |= modifier.bit;
    if (bodyStart == bodyEnd) {
      report.add(
          start,
          report.quote(start, bodyEnd + 1)
              + " is empty; write for instance "
              + modifier.example()
              + " or leave it out");
      return;
    }
    String meaningless = meaningless(modifier);
    if (meaningless != null) {
      report.add(start, report.quote(start, bodyEnd + 1) + " has no meaning here: " + meaningless);
      return;
    }
    switch (modifier) {
      case MANUAL, BOOT ->
          report.add(
              start,
              report.quote(start, bodyEnd + 1) + " takes no value; write " + modifier.word());
      case EVERY -> readEvery(new Arguments(text, report, modifier, bodyStart, bodyEnd));
      case DST -> readClockChanges(new Arguments(text, report, modifier, bodyStart, bodyEnd));
      case CHOOSE -> readChoice(new Arguments(text, report, modifier, bodyStart, bodyEnd));
      case TZ -> readZone(bodyStart, bodyEnd);
      case WIN -> readWindow(new Arguments(text, report, modifier, bodyStart, bodyEnd));
      case DIST ->
          distribution =
              DistributionReader.read(new Arguments(text, report, modifier, bodyStart, bodyEnd));
      case SEED -> readSeed(new Arguments(text, report, modifier, bodyStart, bodyEnd));
      case POLICY -> readPolicy(new Arguments(text, report, modifier, bodyStart, bodyEnd));
      case ONLY -> {
        if (only == null) {
          only = new ClauseReader(text, report);
        }
        only.read(bodyStart, bodyEnd);
      }
      case AVOID -> {
        if (avoid == null) {
          avoid = new ClauseReader(text, report);
        }
        avoid.read(bodyStart, bodyEnd);
      }
    }
  }

  /** To be called after the last modifier. */
  void finish() {
    if (only != null || avoid != null) {
      constraints =
          Constraints.of(
              only == null ? Clauses.NONE : only.clauses(),
              avoid == null ? Clauses.NONE : avoid.clauses());
    }
  }

  /**
   * The schedule with these fields or, without them, what stands in their place.
   *
   * @param written the fields and modifiers as they stand in the text
   */
  @Nullable Schedule schedule(@Nullable CronExpression cron, String written) {
    NominalTimes times =
        cron == null ? inPlaceOfFields : new CronCalendar(cron, zone, clockChanges);
    return times == null
        ? null
        : new Schedule(
            times,
            zone,
            new Selection(window, distribution, seed, constraints, exact),
            policy,
            written);
  }

  /** To be called where a word without a value stands in place of the cron fields. */
  void inPlaceOfFields(NominalTimes times) {
    inPlaceOfFields = times;
  }

  /** Why a modifier cannot follow what stands in place of the fields; null: it can. */
  private @Nullable String meaningless(Modifier modifier) {
    if (inPlaceOfFields == Manual.INSTANCE && modifier != Modifier.POLICY) {
      return "@manual has no time of its own, and only @policy may follow it";
    }
    boolean mayFollowBoot =
        switch (modifier) {
          case WIN, DIST, SEED, POLICY, MANUAL, BOOT -> true;
          case TZ, ONLY, AVOID, DST, CHOOSE, EVERY -> false;
        };
    return inPlaceOfFields == Boot.INSTANCE && !mayFollowBoot
        ? "@boot has no time by the calendar, and only @win(after,…), @dist, @seed(stable) and"
            + " @policy may follow it"
        : null;
  }

  private void readEvery(Arguments arguments) {
    arguments.next();
    int intervalStart = arguments.start();
    String interval = arguments.quoted();
    long nanos = arguments.duration(intervalStart, "an interval");
    long from = 0;
    while (arguments.next()) {
      if (arguments.key(FROM) == 0) {
        from = arguments.second();
      }
    }
    if (nanos < 0 || from == NominalTimes.NONE) {
      return;
    }
    long seconds = nanos / SECOND;
    if (seconds * SECOND != nanos
        || seconds < Every.SHORTEST_SECONDS
        || seconds > Every.LONGEST_SECONDS) {
      report.add(
          intervalStart,
          "an interval is a whole number of seconds from 1m to 8784h, but " + interval + " is not");
      return;
    }
    inPlaceOfFields = new Every(seconds, from);
  }

  private void readClockChanges(Arguments arguments) {
    arguments.next();
    for (ClockChangeRule rule : ClockChangeRule.values()) {
      if (arguments.is(rule.text())) {
        clockChanges = rule;
        nothingMore(arguments, "@dst takes one word");
        return;
      }
    }
    arguments.reportUnknown("rule for clock changes", CLOCK_CHANGES);
  }

  private void readChoice(Arguments arguments) {
    arguments.next();
    if (arguments.is("exact")) {
      exact = true;
      nothingMore(arguments, "@choose takes one word");
    } else {
      arguments.reportUnknown("choice", EXACT);
    }
  }

  private void nothingMore(Arguments arguments, String rule) {
    if (arguments.next()) {
      report.add(
          arguments.start(), arguments.quoted() + " is too much; " + rule + ", nothing else");
    }
  }

  private void readZone(int start, int end) {
    ZoneId found = Zones.find(text.substring(start, end));
    if (found == null) {
      report.add(start, Zones.unknown(text.substring(start, end)));
    } else {
      zone = found;
    }
  }

  private void readWindow(Arguments arguments) {
    arguments.next();
    int modeStart = arguments.start();
    Window.Mode mode = mode(arguments);
    if (inPlaceOfFields == Boot.INSTANCE && mode != null && mode != Window.Mode.AFTER) {
      report.add(modeStart, "a window of @boot lies after it; write for instance @win(after,10m)");
    }
    if (!arguments.next()) {
      report.add(
          arguments.start(), "@win takes a mode and a duration, as in " + Modifier.WIN.example());
      return;
    }
    long nanos = arguments.duration(arguments.start(), "a window");
    if (nanos > Window.LONGEST_NANOS) {
      report.add(
          arguments.start(),
          "a window of " + arguments.quoted() + " is too long; the longest is 8784h (366 days)");
    } else if (mode != null && nanos >= 0) {
      window = nanos == 0 && mode == Window.Mode.AFTER ? Window.NONE : new Window(mode, nanos);
    }
    nothingMore(arguments, "@win takes a mode and a duration");
  }

  private Window.@Nullable Mode mode(Arguments arguments) {
    if (arguments.is("after")) {
      return Window.Mode.AFTER;
    }
    if (arguments.is("before")) {
      return Window.Mode.BEFORE;
    }
    if (arguments.is("around") || arguments.is("center")) {
      return Window.Mode.AROUND;
    }
    arguments.reportUnknown("window mode", MODES);
    return null;
  }

  private void readSeed(Arguments arguments) {
    arguments.next();
    Seed.Strategy strategy = Seed.Strategy.STABLE;
    int strategyStart = arguments.start();
    if (arguments.is("daily")) {
      strategy = Seed.Strategy.DAILY;
    } else if (arguments.is("weekly")) {
      strategy = Seed.Strategy.WEEKLY;
    } else if (!arguments.is("stable")) {
      arguments.reportUnknown("seed strategy", STRATEGIES);
    }
    if (inPlaceOfFields == Boot.INSTANCE && strategy != Seed.Strategy.STABLE) {
      report.add(strategyStart, "a boot belongs to no day or week; write @seed(stable)");
    }
    String salt = "";
    while (arguments.next()) {
      if (arguments.key(SALT) == 0) {
        salt = arguments.quotableValue();
      }
    }
    if (strategy != Seed.Strategy.STABLE || !salt.isEmpty()) {
      seed = new Seed(strategy, salt);
    }
  }

  private void readPolicy(Arguments arguments) {
    Policy.Concurrency concurrency = Policy.DEFAULT.concurrency();
    long deadlineNanos = 0;
    boolean suspend = false;
    while (arguments.next()) {
      switch (arguments.key(POLICY)) {
        case 0 -> concurrency = concurrency(arguments);
        case 1 ->
            deadlineNanos = Math.max(0, arguments.duration(arguments.valueStart(), "a deadline"));
        case 2 -> suspend = arguments.bool("suspend");
        default -> {} // reported
      }
    }
    policy = new Policy(concurrency, deadlineNanos, suspend);
  }

  private static Policy.Concurrency concurrency(Arguments arguments) {
    if (arguments.valueIs("allow")) {
      return Policy.Concurrency.ALLOW;
    }
    if (arguments.valueIs("replace")) {
      return Policy.Concurrency.REPLACE;
    }
    if (!arguments.valueIs("forbid")) {
      arguments.reportUnknownValue("concurrency", CONCURRENCY);
    }
    return Policy.Concurrency.FORBID;
  }
}
