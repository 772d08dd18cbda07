package dev.kron.simulation.fleet;

import dev.kron.job.FleetRules;
import dev.kron.job.FleetRules.Loss;
import dev.kron.job.JobSpec;
import dev.kron.job.Placement;
import dev.kron.job.RetryPolicy;
import dev.kron.schedule.Schedule;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * An entry of a fleet's krontab, as histories draw it. The witness reads its words by itself.
 *
 * @param schedule five fields and a window
 * @param concurrency as it is written in a krontab
 */
record FleetEntry(
    String name,
    String schedule,
    String concurrency,
    int deadlineSeconds,
    int retries,
    Placement on,
    Loss loss) {
  static final long RETRY_MILLIS = 5_000;
  private static final long LONGEST_MILLIS = 60_000;
  private static final String FILE = "jobs.kron";

  private static final List<String> SCHEDULES =
      List.of(
          "* * * * *",
          "* * * * *",
          "* * * * * @win(after,40s)",
          "*/2 * * * *",
          "*/2 * * * * @win(around,30s)",
          "*/3 * * * * @win(before,20s)");

  private static final List<String> CONCURRENCY =
      List.of("forbid", "forbid", "forbid", "allow", "replace");
  private static final List<Integer> DEADLINES = List.of(0, 0, 20, 45, 120, 3600);

  static FleetEntry draw(RandomGenerator random, int number) {
    Placement on =
        switch (random.nextInt(6)) {
          case 0 -> Placement.ALL;
          case 1 -> new Placement("odd", false);
          case 2 -> new Placement("odd", random.nextBoolean());
          default -> Placement.ANY;
        };
    return new FleetEntry(
        "job" + number,
        one(SCHEDULES, random),
        one(CONCURRENCY, random),
        one(DEADLINES, random),
        random.nextInt(3) == 0 ? 1 + random.nextInt(2) : 0,
        on,
        random.nextInt(4) == 0 ? Loss.RERUN : Loss.SKIP);
  }

  private static <T> T one(List<T> of, RandomGenerator random) {
    return of.get(random.nextInt(of.size()));
  }

  /** The same job, changed in one thing. */
  FleetEntry edited(RandomGenerator random) {
    FleetEntry drawn = draw(random, 0);
    return switch (random.nextInt(4)) {
      case 0 -> with(drawn.schedule, concurrency, deadlineSeconds, on);
      case 1 -> with(schedule, drawn.concurrency, deadlineSeconds, on);
      case 2 -> with(schedule, concurrency, drawn.deadlineSeconds, on);
      default -> with(schedule, concurrency, deadlineSeconds, drawn.on);
    };
  }

  private FleetEntry with(String when, String also, int deadline, Placement where) {
    return new FleetEntry(name, when, also, deadline, retries, where, loss);
  }

  boolean forbids() {
    return !concurrency.equals("allow");
  }

  boolean replaces() {
    return concurrency.equals("replace");
  }

  boolean isMeantFor(List<String> labels) {
    return on.label() == null || labels.contains(on.label());
  }

  String identity() {
    return "fleet:" + FILE + ":" + name;
  }

  /** Chooses the seconds of its periods. */
  String seed(String nodeName) {
    return on.all() ? identity() + "@" + nodeName : identity();
  }

  JobSpec spec() {
    String policy = " @policy(concurrency=" + concurrency + ",deadline=" + deadlineSeconds + "s)";
    return JobSpec.builder("/f", name, Schedule.parse(schedule + policy), List.of("/bin/true"))
        .retry(new RetryPolicy(retries, RETRY_MILLIS, LONGEST_MILLIS, List.of(0)))
        .fleet(new FleetRules(FILE, on, loss, "n1"))
        .build();
  }

  @Override
  public String toString() {
    return name
        + ": "
        + schedule
        + " "
        + concurrency
        + " deadline="
        + deadlineSeconds
        + "s retries="
        + retries
        + " on="
        + on
        + " loss="
        + loss;
  }
}
