package dev.kron.simulation.fleet;

import static dev.kron.simulation.fleet.FleetWorld.MILLI;
import static dev.kron.simulation.fleet.FleetWorld.SECOND;

import dev.kron.simulation.Script;
import dev.kron.simulation.Violation;
import dev.kron.simulation.fleet.FleetStep.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The events of a fleet's history, all of it drawn from one seed.
 *
 * @param leaseMillis of each node
 * @param jobs of the krontab that all nodes begin with
 */
public record FleetScenario(
    long seed, List<Long> leaseMillis, List<FleetEntry> jobs, List<FleetStep> steps)
    implements Script {
  private static final int MOST_JOBS = 5;

  /** The things that can happen, and how often beside the others. */
  private enum Odds {
    NODES(30),
    DATABASE(16),
    NETWORK(12),
    DIRECTORIES(6),
    FILES(12),
    OPERATOR(16);

    private static final List<Odds> ALL = List.of(values());
    private final int weight;

    Odds(int weight) {
      this.weight = weight;
    }

    static Odds draw(RandomGenerator random) {
      int drawn = random.nextInt(ALL.stream().mapToInt(each -> each.weight).sum());
      for (Odds odds : ALL) {
        drawn -= odds.weight;
        if (drawn < 0) {
          return odds;
        }
      }
      throw new AssertionError();
    }
  }

  public FleetScenario {
    leaseMillis = List.copyOf(leaseMillis);
    jobs = List.copyOf(jobs);
    steps = List.copyOf(steps);
  }

  /** A history of about so many steps. */
  public static FleetScenario of(long seed, int length) {
    var random = new SplittableRandom(seed);
    int nodes = 2 + random.nextInt(3);
    List<Long> leases = new ArrayList<>();
    for (int i = 0; i < nodes; i++) {
      leases.add(random.nextLong(3000, 9000));
    }
    List<FleetEntry> jobs = new ArrayList<>();
    int count = 2 + random.nextInt(MOST_JOBS - 1);
    for (int i = 0; i < count; i++) {
      jobs.add(FleetEntry.draw(random, i));
    }
    List<FleetStep> steps = new ArrayList<>();
    int most = Math.max(1, length / 2 + random.nextInt(length + 1));
    while (steps.size() < most) {
      Kind kind = random.nextInt(5) < 2 ? Kind.PASS : draw(Odds.draw(random), random);
      steps.add(
          new FleetStep(
              kind,
              random.nextLong(),
              amount(kind, random),
              random.nextInt(nodes),
              random.nextInt(count)));
    }
    return new FleetScenario(seed, leases, jobs, steps);
  }

  private static Kind draw(Odds odds, RandomGenerator random) {
    return switch (odds) {
      case NODES ->
          one(
              random,
              Kind.KILL,
              Kind.KILL,
              Kind.KILL,
              Kind.FREEZE,
              Kind.FREEZE,
              Kind.SLEEP,
              Kind.SLEEP_CLOCK_STANDS,
              Kind.POWER_LOSS,
              Kind.CUT_OFF,
              Kind.CUT_OFF,
              Kind.CUT_OFF);
      case DATABASE ->
          one(
              random,
              Kind.DATABASE_AWAY,
              Kind.DATABASE_RESTART,
              Kind.FAILOVER,
              Kind.FAILOVER,
              Kind.CLOCK_JUMP);
      case NETWORK ->
          one(random, Kind.LOSSY, Kind.SLOW_NETWORK, Kind.SLOW_COMMITS, Kind.SLOW_STARTS);
      case DIRECTORIES ->
          one(random, Kind.CLONE, Kind.REMEMBER_DIRECTORY, Kind.OLD_DIRECTORY, Kind.ADOPT);
      case FILES -> one(random, Kind.EDIT, Kind.ROLL_OUT, Kind.ROLL_OUT);
      case OPERATOR ->
          one(
              random,
              Kind.SUSPEND,
              Kind.RESUME,
              Kind.TRIGGER,
              Kind.TRIGGER_HERE,
              Kind.RELEASE,
              Kind.RELEASE,
              Kind.REMOVE);
    };
  }

  private static Kind one(RandomGenerator random, Kind... kinds) {
    return kinds[random.nextInt(kinds.length)];
  }

  private static long amount(Kind kind, RandomGenerator random) {
    return switch (kind) {
      case PASS -> seconds(random, 1, 40);
      case KILL -> seconds(random, 1, 25);
      case FREEZE, SLEEP, SLEEP_CLOCK_STANDS, CUT_OFF ->
          random.nextInt(4) == 0 ? seconds(random, 30, 150) : seconds(random, 1, 30);
      case POWER_LOSS -> seconds(random, 5, 60);
      case DATABASE_AWAY ->
          random.nextInt(3) == 0 ? seconds(random, 30, 200) : seconds(random, 1, 30);
      case FAILOVER -> seconds(random, 0, 8) + random.nextLong(SECOND / MILLI) * MILLI;
      case CLOCK_JUMP -> random.nextLong(-4000, 4000) * MILLI;
      case LOSSY, SLOW_NETWORK, SLOW_COMMITS -> random.nextLong(3, 60);
      case SLOW_STARTS -> random.nextLong(2, 10);
      default -> 0;
    };
  }

  private static long seconds(RandomGenerator random, long least, long most) {
    return random.nextLong(least * SECOND, most * SECOND);
  }

  boolean has(Kind kind) {
    return steps.stream().anyMatch(step -> step.kind() == kind);
  }

  @Override
  public FleetScenario without(int start, int count) {
    List<FleetStep> fewer = new ArrayList<>(steps);
    fewer.subList(start, start + count).clear();
    return new FleetScenario(seed, leaseMillis, jobs, fewer);
  }

  @Override
  public Played play(boolean traced) {
    return FleetHistory.play(this, traced);
  }

  /** The violation in one history; null: none. */
  public static @Nullable String violation(long seed, int steps) {
    Violation violation = of(seed, steps).play(false).violation();
    return violation == null ? null : violation.getMessage();
  }
}
