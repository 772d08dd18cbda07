package dev.kron.bench;

import dev.kron.schedule.Decision;
import dev.kron.schedule.Schedule;
import java.nio.charset.StandardCharsets;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The decision of a period, and the one hash in it alone: same material, digest reused. */
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init") // JMH calls the setup
public class DecideBenchmark {
  private static final String IDENTITY = "/etc/krond.d/backup.krontab:nightly-backup";
  private static final int PERIODS = 1 << 10;

  @Param({
    "0 0 * * * @tz(Europe/Paris) @win(after,2h)",
    "0 0 * * * @tz(Europe/Paris) @win(around,90m) @seed(daily,salt=blue)",
    "0 0 * * * @tz(Europe/Paris) @win(after,8h) @only(hours=0-5;dow=MON-FRI)",
  })
  public String schedule;

  private final long[] nominals = new long[PERIODS];
  private final byte[][] materials = new byte[PERIODS][];
  private final byte[] hash = new byte[32];
  private Schedule parsed;
  private MessageDigest digest;
  private int at;

  @Setup
  public void setUp() throws NoSuchAlgorithmException {
    parsed = Schedule.parse(schedule);
    digest = MessageDigest.getInstance("SHA-256");
    long nominal = Instant.parse("2026-01-01T00:00:00Z").getEpochSecond();
    for (int i = 0; i < PERIODS; i++) {
      nominal = nextSchedulable(nominal);
      nominals[i] = nominal;
      materials[i] =
          parsed.decide(IDENTITY, nominal).seedMaterial().getBytes(StandardCharsets.UTF_8);
    }
  }

  /** Leaves out the periods whose 64 draws are all in vain: there the hash is not what costs. */
  private long nextSchedulable(long after) {
    long nominal = parsed.next(after);
    while (parsed.decide(IDENTITY, nominal).unschedulable()) {
      nominal = parsed.next(nominal);
    }
    return nominal;
  }

  @Benchmark
  public Decision decide() {
    return parsed.decide(IDENTITY, nominals[index()]);
  }

  @Benchmark
  public byte[] sha256() throws DigestException {
    digest.update(materials[index()]);
    digest.digest(hash, 0, hash.length);
    return hash;
  }

  private int index() {
    return at++ & (PERIODS - 1);
  }

  /** An exact choice among what five constraints leave of a week, and the decisions beside it. */
  @State(Scope.Thread)
  public static class Exact {
    private static final String WEEK = "0 0 * * 1 @tz(Europe/Paris) @win(after,168h) ";

    private static final String CONSTRAINTS =
        " @only(hours=1-5,22-23;dow=MON-THU,SAT;dom=1-20)"
            + " @avoid(between=03:00-03:29;date=2026-12-24)";

    @Param({"@dist(uniform)", "@dist(skewLate)", "@dist(normal)"})
    public String distribution;

    private final long[] nominals = new long[PERIODS];
    private Schedule exact;
    private Schedule plain;
    private Schedule unconstrained;
    private int at;

    @Setup
    public void setUp() {
      unconstrained = Schedule.parse(WEEK + distribution);
      plain = Schedule.parse(WEEK + distribution + CONSTRAINTS);
      exact = Schedule.parse(WEEK + distribution + CONSTRAINTS + " @choose(exact)");
      long nominal = Instant.parse("2026-01-01T00:00:00Z").getEpochSecond();
      for (int i = 0; i < PERIODS; i++) {
        nominal = exact.next(nominal);
        nominals[i] = nominal;
      }
    }

    @Benchmark
    public Decision exact() {
      return exact.decide(IDENTITY, nominals[index()]);
    }

    @Benchmark
    public Decision plain() {
      return plain.decide(IDENTITY, nominals[index()]);
    }

    @Benchmark
    public Decision unconstrained() {
      return unconstrained.decide(IDENTITY, nominals[index()]);
    }

    private int index() {
      return at++ & (PERIODS - 1);
    }
  }
}
