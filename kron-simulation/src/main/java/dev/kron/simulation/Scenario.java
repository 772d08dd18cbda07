package dev.kron.simulation;

import dev.kron.simulation.HistoryStep.Kind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The events of a history, all of it drawn from one seed. One file, though a long one: each kind of
 * event has its own odds, and all of them are drawn here.
 *
 * @param wallMillis when it begins
 * @param historyLimit entries that the daemon keeps per job
 * @param outputLimitBytes of all ended runs together
 * @param entries the krontab it begins with, a job a line
 * @param services the service files it begins with
 */
record Scenario(
    long seed,
    long wallMillis,
    int historyLimit,
    long outputLimitBytes,
    List<String> entries,
    List<String> services,
    List<HistoryStep> steps)
    implements Script {
  private static final long MILLI = 1_000_000L;
  private static final long SECOND = 1_000 * MILLI;
  private static final long MINUTE = 60 * SECOND;
  private static final long DAY = 24 * 60 * MINUTE;
  private static final int JOBS = 4;

  /**
   * Chance for what is added to plain histories is drawn apart, so that those stay as they were.
   */
  private static final long EXTRAS = 0x5DEECE66DL;

  /** The same, for what was added after that. */
  private static final long LOSSES = 0x2545F4914F6CDD1DL;

  /** The same, for retries. */
  private static final long RETRIES = 0x9FB21C651E98DF25L;

  /** Every so many seeds have jobs that are tried again. */
  private static final int RETRIES_ONE_IN = 8;

  /** The same, for everything that goes down and comes back within one boot. */
  private static final long HALTS = 0x6A09E667F3BCC909L;

  /** The same, for boots, messages and what is read of others' output. */
  private static final long MESSAGES = 0x3C6EF372FE94F82BL;

  private static final int MESSAGES_ONE_IN = 8;
  private static final int MESSAGES_AT = 5;
  private static final int RECEIVERS_ONE_IN = 6;

  /** The same, for numbers of instances, and for all that is known of services. */
  private static final long SCALES = 0x510E527FADE682D1L;

  private static final int SCALED_ONE_IN = 25;
  private static final int MOST_INSTANCES = 3;
  private static final int ALL_VANISHES_ONE_IN = 120;
  private static final int VANISHES_ONE_IN = 60;
  private static final int HALTS_ONE_IN = 40;
  private static final int RESTARTED_ONE_IN = 60;

  /** The number of jobs at the same second for which a daemon gets runs ready ahead. */
  private static final int BUSY_JOBS = 5;

  private static final int FULL_HISTORY = 100;
  private static final int SERVICES = 4;

  /** Every so many seeds have services beside their jobs. */
  private static final int SERVICES_ONE_IN = 8;

  /** Moments around which clocks are put forward or back, days vanish, and ordinary ones. */
  private static final List<String> BEGINNINGS =
      List.of(
          "2026-03-29T00:50:00Z", // Paris goes forward
          "2026-10-25T00:20:00Z", // and back
          "2026-03-08T06:45:00Z", // New York
          "2026-04-04T14:40:00Z", // Lord Howe, by half an hour
          "2011-12-30T09:50:00Z", // Apia leaves a day out
          "2027-12-31T23:55:00Z",
          "2026-05-11T09:13:00Z",
          "2026-06-01T00:00:00Z");

  Scenario {
    entries = List.copyOf(entries);
    services = List.copyOf(services);
    steps = List.copyOf(steps);
  }

  Scenario withSteps(List<HistoryStep> others) {
    return new Scenario(
        seed, wallMillis, historyLimit, outputLimitBytes, entries, services, others);
  }

  @Override
  public Scenario without(int start, int count) {
    List<HistoryStep> fewer = new ArrayList<>(steps);
    fewer.subList(start, start + count).clear();
    return withSteps(fewer);
  }

  @Override
  public Played play(boolean traced) {
    History.Result result = History.play(this, traced);
    return new Played(result.violation(), result.trace(), result.executions());
  }

  /** A history of about so many steps. */
  static Scenario of(long seed, int length) {
    Scenario plain = plain(seed, length);
    var random = new SplittableRandom(seed ^ EXTRAS);
    List<String> entries =
        plain.entries.stream().map(entry -> Entries.signed(entry, random)).toList();
    if (hasRetries(seed)) {
      var retries = new SplittableRandom(seed ^ RETRIES);
      List<String> plainEntries = entries;
      entries =
          IntStream.range(0, plainEntries.size())
              .mapToObj(
                  i ->
                      Entries.chained(
                          Entries.retrying(plainEntries.get(i), retries),
                          retries,
                          i,
                          plainEntries.size()))
              .toList();
    }
    if (hasMessages(seed)) {
      var messages = new SplittableRandom(seed ^ MESSAGES);
      List<String> signed = entries;
      entries =
          IntStream.range(0, signed.size())
              .mapToObj(i -> more(signed.get(i), messages, i, signed.size()))
              .toList();
    }
    return new Scenario(
        seed,
        plain.wallMillis,
        plain.historyLimit,
        plain.outputLimitBytes,
        entries,
        plain.services,
        withReceivers(
            withScales(
                withHalts(
                    withLosses(
                        withExtras(plain, random),
                        !plain.services.isEmpty(),
                        new SplittableRandom(seed ^ LOSSES)),
                    !plain.services.isEmpty(),
                    new SplittableRandom(seed ^ HALTS)),
                plain.services.size(),
                new SplittableRandom(seed ^ SCALES)),
            seed));
  }

  /** The same entry, tried again where it fails, in a chain, perhaps at starts of the machine. */
  static String more(String entry, RandomGenerator random, int number, int jobs) {
    String booting = Entries.booting(entry, random);
    return Entries.chained(Entries.retrying(booting, random), random, number, jobs);
  }

  /** Whether somebody is told of its jobs, and some run at starts of the machine. */
  boolean hasMessages() {
    return hasMessages(seed);
  }

  private static boolean hasMessages(long seed) {
    return seed % MESSAGES_ONE_IN == MESSAGES_AT;
  }

  /** The rules that say who is told of what. */
  @Nullable NotifyEntry notice() {
    return hasMessages(seed) ? NotifyEntry.draw(new SplittableRandom(~seed ^ MESSAGES)) : null;
  }

  /** The same steps, and between them what receivers, and those who name them, do. */
  private static List<HistoryStep> withReceivers(List<HistoryStep> steps, long seed) {
    if (!hasMessages(seed)) {
      return steps;
    }
    var random = new SplittableRandom(seed ^ MESSAGES);
    var all = new ArrayList<HistoryStep>();
    for (HistoryStep step : steps) {
      all.add(step);
      if (random.nextInt(RECEIVERS_ONE_IN) == 0) {
        int moods = SimulatedReceivers.Mood.values().length;
        all.add(step(random, Kind.RECEIVERS, random.nextInt(moods), 0));
      }
      if (random.nextInt(20) == 0) {
        all.add(step(random, Kind.NOTIFY_EDIT, 0, 0));
        all.add(step(random, Kind.RELOAD, 0, 0));
      }
      if (random.nextInt(30) == 0) {
        int which = Vanishing.PLAIN + random.nextInt(Vanishing.OF_MESSAGES);
        all.add(step(random, Kind.VANISH, which, 0));
      }
      if (random.nextInt(12) == 0) {
        all.add(step(random, Kind.POWER_LOSS, 0, 0));
        all.add(step(random, Kind.PASS, random.nextLong(MINUTE), 0));
        all.add(step(random, Kind.START, 0, 0));
      }
    }
    return all;
  }

  /** Whether its jobs are tried again where they fail. */
  boolean hasRetries() {
    return hasRetries(seed);
  }

  private static boolean hasRetries(long seed) {
    return seed % RETRIES_ONE_IN == RETRIES_ONE_IN - 1;
  }

  /** The same steps, and between them what is done to policies alone. */
  private static List<HistoryStep> withExtras(Scenario plain, RandomGenerator random) {
    var all = new ArrayList<HistoryStep>();
    for (HistoryStep step : plain.steps) {
      all.add(step);
      if (random.nextInt(14) == 0) {
        boolean service = !plain.services.isEmpty() && random.nextInt(2) == 0;
        Kind kind = service ? Kind.SERVICE_POLICY_EDIT : Kind.POLICY_EDIT;
        int many = service ? plain.services.size() : plain.entries.size();
        all.add(step(random, kind, 0, random.nextInt(many)));
        if (random.nextInt(4) != 0) {
          all.add(step(random, Kind.RELOAD, 0, 0));
        }
      }
    }
    return all;
  }

  /** The same steps, and between them what vanishes, and daemons that are started again at once. */
  private static List<HistoryStep> withLosses(
      List<HistoryStep> steps, boolean services, RandomGenerator random) {
    var all = new ArrayList<HistoryStep>();
    for (HistoryStep step : steps) {
      all.add(step);
      if (random.nextInt(VANISHES_ONE_IN) == 0) {
        int kinds = services ? Vanishing.PLAIN : Vanishing.OF_JOBS;
        all.add(step(random, Kind.VANISH, random.nextInt(kinds), random.nextInt(JOBS)));
      }
      if (random.nextInt(RESTARTED_ONE_IN) == 0) {
        all.add(step(random, Kind.SLOW_CLAIMS, random.nextLong(8 * SECOND), 0));
        all.add(step(random, Kind.RUN_NOW, 0, random.nextInt(JOBS)));
        all.add(step(random, Kind.CRASH_SOON, 1 + random.nextInt(30), 0));
        all.add(step(random, Kind.PASS, random.nextLong(3 * SECOND), 0));
        all.add(step(random, Kind.START, 0, 0));
      }
    }
    return all;
  }

  /**
   * The same steps, and with services between them, and often at the end, what {@code shutdown
   * --kill}, or SIGTERM as PID 1, and a start in the same boot do.
   */
  private static List<HistoryStep> withHalts(
      List<HistoryStep> steps, boolean services, RandomGenerator random) {
    if (!services) {
      return steps;
    }
    var all = new ArrayList<HistoryStep>();
    for (HistoryStep step : steps) {
      all.add(step);
      if (random.nextInt(HALTS_ONE_IN) == 0) {
        halt(all, random);
      }
    }
    if (random.nextInt(3) == 0) {
      halt(all, random);
    }
    return all;
  }

  /** The same steps, and between them other numbers of instances, and the loss of everything. */
  private static List<HistoryStep> withScales(
      List<HistoryStep> steps, int services, RandomGenerator random) {
    if (services == 0) {
      return steps;
    }
    var all = new ArrayList<HistoryStep>();
    for (HistoryStep step : steps) {
      all.add(step);
      if (random.nextInt(SCALED_ONE_IN) == 0) {
        int count = 1 + random.nextInt(MOST_INSTANCES);
        all.add(step(random, Kind.SERVICE_SCALE, count, random.nextInt(services)));
      }
      if (random.nextInt(ALL_VANISHES_ONE_IN) == 0) {
        all.add(step(random, Kind.VANISH, Vanishing.ALL_OF_SERVICES, 0));
      }
    }
    return all;
  }

  private static void halt(List<HistoryStep> steps, RandomGenerator random) {
    steps.add(step(random, Kind.STOP_WITH_JOBS, 0, 0));
    steps.add(step(random, Kind.PASS, random.nextLong(3 * MINUTE), 0));
    steps.add(step(random, Kind.START, 0, 0));
  }

  /** A history as they were drawn before policies were edited alone. */
  static Scenario plain(long seed, int length) {
    var random = new SplittableRandom(seed);
    long wall =
        Instant.parse(BEGINNINGS.get(random.nextInt(BEGINNINGS.size()))).toEpochMilli()
            + random.nextLong(120_000);
    boolean busy = random.nextInt(12) == 0;
    int jobs = busy ? BUSY_JOBS : 1 + random.nextInt(JOBS);
    var entries = new ArrayList<String>();
    for (int i = 0; i < jobs; i++) {
      entries.add(busy ? Entries.drawEveryMinute(random, i) : Entries.draw(random, i));
    }
    int historyLimit = random.nextInt(4) == 0 ? 3 : FULL_HISTORY;
    var steps = new ArrayList<HistoryStep>();
    steps.add(new HistoryStep(Kind.START, random.nextLong(), 0, 0));
    int count = Math.max(1, length / 2 + random.nextInt(length));
    while (steps.size() < count) {
      add(steps, random, jobs, historyLimit);
    }
    long outputLimitBytes = random.nextInt(4) == 0 ? 300 : 1 << 20;
    if (seed % SERVICES_ONE_IN != 0) {
      return new Scenario(seed, wall, historyLimit, outputLimitBytes, entries, List.of(), steps);
    }
    var services = new ArrayList<String>();
    int serviceCount = 1 + random.nextInt(SERVICES);
    for (int i = 0; i < serviceCount; i++) {
      services.add(ServiceEntries.draw(random, i));
    }
    return new Scenario(
        seed,
        wall,
        historyLimit,
        outputLimitBytes,
        entries,
        services,
        withServices(steps, random, serviceCount));
  }

  /** The same, and between that what an operator and the world do to services. */
  private static List<HistoryStep> withServices(
      List<HistoryStep> steps, RandomGenerator random, int services) {
    var all = new ArrayList<HistoryStep>();
    for (HistoryStep step : steps) {
      all.add(step);
      if (random.nextInt(2) == 0) {
        Kind kind =
            switch (random.nextInt(16)) {
              case 0, 1, 2 -> Kind.SERVICE_START;
              case 3, 4, 5 -> Kind.SERVICE_STOP;
              case 6, 7 -> Kind.SERVICE_RESTART;
              case 8, 9 -> Kind.SERVICE_EDIT;
              case 10 -> Kind.SERVICE_REMOVE;
              case 11 -> Kind.RELOAD;
              case 12 -> Kind.SERVICE_DAMAGE;
              case 13 -> Kind.KILL_KEEPER;
              default -> Kind.KILL_COMMAND;
            };
        boolean any = kind == Kind.KILL_KEEPER || kind == Kind.KILL_COMMAND;
        all.add(step(random, kind, 0, random.nextInt(any ? 8 : services)));
        if (random.nextInt(2) == 0) {
          all.add(step(random, Kind.PASS, random.nextLong(40 * SECOND), 0));
        }
      }
    }
    return all;
  }

  private static void add(
      List<HistoryStep> steps, RandomGenerator random, int jobs, int historyLimit) {
    int which = random.nextInt(jobs);
    int dice = random.nextInt(100);
    if (dice < 40) {
      steps.add(step(random, Kind.PASS, passing(random), 0));
    } else if (dice < 55) {
      die(steps, random);
    } else if (dice < 70) {
      steps.add(step(random, operators(random, historyLimit), 0, which));
    } else if (dice < 80) {
      steps.add(time(random));
    } else if (dice < 90) {
      disk(steps, random);
    } else {
      steps.add(
          switch (random.nextInt(12)) {
            case 0, 1 -> step(random, Kind.SLOW_CLAIMS, random.nextLong(8 * SECOND), 0);
            case 2 -> step(random, Kind.LAUNCHES_FAIL, 1 + random.nextInt(4), 0);
            case 3, 4 -> step(random, Kind.DAMAGE, 0, which);
            case 5, 6 -> step(random, Kind.KILL_KEEPER, 0, random.nextInt(8));
            case 7 -> step(random, Kind.KILL_COMMAND, 0, random.nextInt(8));
            case 8 -> step(random, Kind.KEEP_HOUSE, 0, 0);
            case 9 -> step(random, Kind.SECOND_DAEMON, 0, 0);
            case 10 -> step(random, Kind.OLD_VERSION, 0, 0);
            default -> step(random, Kind.NEWER_VERSION, 0, 0);
          });
    }
  }

  private static HistoryStep step(RandomGenerator random, Kind kind, long amount, int which) {
    return new HistoryStep(kind, random.nextLong(), amount, which);
  }

  private static long passing(RandomGenerator random) {
    return switch (random.nextInt(6)) {
      case 0 -> random.nextLong(SECOND);
      case 1, 2 -> random.nextLong(30 * SECOND);
      case 3, 4 -> random.nextLong(2 * MINUTE);
      default -> random.nextLong(4 * MINUTE);
    };
  }

  /** The daemon goes down in one of many ways; after a while, long or short, it is started. */
  private static void die(List<HistoryStep> steps, RandomGenerator random) {
    steps.add(
        switch (random.nextInt(10)) {
          case 0 -> step(random, Kind.CRASH, 0, 0);
          case 1, 2, 3 -> step(random, Kind.CRASH_SOON, 1 + random.nextInt(60), 0);
          case 4 -> step(random, Kind.POWER_LOSS, 0, 0);
          case 5, 6 -> step(random, Kind.POWER_LOSS_SOON, 1 + random.nextInt(60), 0);
          case 7 -> step(random, Kind.STOP, 0, 0);
          case 8 -> step(random, Kind.STOP_AFTER_JOBS, 0, 0);
          default -> step(random, Kind.STOP_WITH_JOBS, 0, 0);
        });
    steps.add(
        step(
            random,
            Kind.PASS,
            switch (random.nextInt(8)) {
              case 0 -> random.nextLong(1_000 * DAY);
              case 1 -> random.nextLong(3 * DAY);
              case 2, 3 -> random.nextLong(20 * MINUTE);
              default -> random.nextLong(90 * SECOND);
            },
            0));
    if (random.nextInt(8) == 0) {
      steps.add(step(random, Kind.DAMAGE, 0, random.nextInt(JOBS)));
    }
    if (random.nextInt(10) != 0) {
      steps.add(step(random, Kind.START, 0, 0));
    }
  }

  private static Kind operators(RandomGenerator random, int historyLimit) {
    return switch (random.nextInt(12)) {
      case 0, 1 -> Kind.EDIT;
      case 2 -> Kind.REMOVE;
      case 3 -> Kind.BAD_EDIT;
      case 4, 5 -> Kind.RELOAD;
      case 6 -> Kind.SUSPEND;
      case 7 -> Kind.RESUME;
      case 8, 9 -> Kind.RUN_NOW;
      case 10 -> historyLimit == FULL_HISTORY ? Kind.FORGET : Kind.END_RUNS;
      default -> Kind.KEEP_HOUSE;
    };
  }

  private static HistoryStep time(RandomGenerator random) {
    return switch (random.nextInt(7)) {
      case 0 -> step(random, Kind.CLOCK_JUMP, jump(random), 0);
      case 1 -> step(random, Kind.CLOCK_JUMP, -jump(random), 0);
      case 2, 3 -> step(random, Kind.SLEEP, 5 * SECOND + random.nextLong(30 * MINUTE), 0);
      case 4, 5 -> step(random, Kind.PAUSE, 5 * SECOND + random.nextLong(10 * MINUTE), 0);
      default -> step(random, Kind.BUSY, random.nextLong(3 * MINUTE), 0);
    };
  }

  private static long jump(RandomGenerator random) {
    return switch (random.nextInt(4)) {
      case 0 -> 2 * SECOND + random.nextLong(MINUTE);
      case 1, 2 -> random.nextLong(2 * 60 * MINUTE) + 2 * SECOND;
      default -> random.nextLong(400 * DAY) + DAY;
    };
  }

  private static void disk(List<HistoryStep> steps, RandomGenerator random) {
    steps.add(
        switch (random.nextInt(6)) {
          case 0, 1 -> step(random, Kind.DISK_FULL, 0, 0);
          case 2 -> step(random, Kind.DISK_ERRORS, 1 + random.nextInt(30), 0);
          case 3 -> step(random, Kind.SYNC_FAILS, 0, 0);
          default -> step(random, Kind.SLOW_DISK, random.nextLong(5 * SECOND), 0);
        });
    steps.add(step(random, Kind.PASS, random.nextLong(3 * MINUTE), 0));
    if (random.nextInt(4) != 0) {
      steps.add(step(random, Kind.DISK_HEALS, 0, 0));
    }
  }
}
