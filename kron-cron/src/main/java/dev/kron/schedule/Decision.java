package dev.kron.schedule;

import dev.kron.cron.CronCalendar;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The decision for one period, and its reasons: everything needed to repeat and explain it.
 *
 * <p>Only what had to be searched for is stored, the chosen second and the number of attempts; the
 * rest follows from schedule, identity and nominal time and is computed when it is asked for, so
 * that a hundred thousand decisions cost little more than their hashes.
 */
public final class Decision {
  /** How many candidates are drawn before a period is given up. */
  public static final int MAX_ATTEMPTS = 64;

  private static final String NONE_ACCEPTED = "no candidate accepted within MaxAttempts";
  private static final String NONE_ALLOWED = "no second of the window is allowed";

  private final Schedule schedule;
  private final String identity;
  private final @Nullable String periodId;
  private final long nominal;
  private final long chosen;
  private final int attempts;

  Decision(Schedule schedule, String identity, long nominal, long chosen, int attempts) {
    this(schedule, identity, null, nominal, chosen, attempts);
  }

  /**
   * @param periodId null: as the nominal time says
   */
  Decision(
      Schedule schedule,
      String identity,
      @Nullable String periodId,
      long nominal,
      long chosen,
      int attempts) {
    this.schedule = schedule;
    this.identity = identity;
    this.periodId = periodId;
    this.nominal = nominal;
    this.chosen = chosen;
    this.attempts = attempts;
  }

  /** A candidate that the constraints did not allow. */
  public record Rejection(int attempt, Instant candidate, String clause) {}

  public Schedule schedule() {
    return schedule;
  }

  public String identity() {
    return identity;
  }

  /** The nominal time in UTC to the second, {@code 2026-03-01T00:00:00Z}; of a boot its name. */
  public String periodId() {
    return periodId == null ? PeriodKey.periodId(nominal) : periodId;
  }

  /** What stands for the period in the seed: its id, its local day or its local week. */
  public String periodKey() {
    return periodId == null
        ? PeriodKey.of(schedule.seed().strategy(), schedule.clock(), nominal)
        : periodId;
  }

  public Instant nominalTime() {
    return Instant.ofEpochSecond(nominal);
  }

  public long nominalEpochSecond() {
    return nominal;
  }

  /** The first second of the window. */
  public Instant windowStart() {
    return Instant.ofEpochSecond(windowStartEpochSecond());
  }

  public long windowStartEpochSecond() {
    return nominal + schedule.window().startOffsetSeconds();
  }

  /** The last second of the window. */
  public Instant windowEnd() {
    return Instant.ofEpochSecond(windowEndEpochSecond());
  }

  public long windowEndEpochSecond() {
    return nominal + schedule.window().endOffsetSeconds();
  }

  /** {@code after}, {@code before} or {@code around}. */
  public String windowMode() {
    return schedule.window().mode().text();
  }

  public String timezone() {
    return schedule.zone().getId();
  }

  public Distribution distribution() {
    return schedule.distribution();
  }

  /** The distribution's parameters in a stable order, defaults filled in. */
  public List<Distribution.Parameter> distributionParameters() {
    return schedule.distribution().parameters(schedule.window());
  }

  /** {@code stable}, {@code daily} or {@code weekly}. */
  public String seedStrategy() {
    return schedule.seed().strategy().text();
  }

  public String salt() {
    return schedule.seed().salt();
  }

  /** The text that is hashed: identity, period key and salt, on three lines. */
  public String seedMaterial() {
    return identity + "\n" + periodKey() + "\n" + salt();
  }

  /** SHA-256 of the seed material in lower-case hexadecimal digits. */
  public String seedHash() {
    return periodId == null
        ? SeedHash.hex(identity, schedule.seed(), schedule.clock(), nominal)
        : HexFormat.of().formatHex(Draws.hash(seedMaterial()));
  }

  /** The first number of the period's stream, whether or not it was needed. */
  public double firstDraw() {
    return SplitMix64.draw(SplitMix64.advance(streamStart()));
  }

  /** The chosen second, or null where the period is unschedulable. */
  public @Nullable Instant chosenTime() {
    return unschedulable() ? null : Instant.ofEpochSecond(chosen);
  }

  /**
   * The chosen second.
   *
   * @throws IllegalStateException where the period is unschedulable
   */
  public long chosenEpochSecond() {
    if (unschedulable()) {
      throw new IllegalStateException(identity + " " + periodId() + ": " + reason());
    }
    return chosen;
  }

  /** Whether no allowed second was found. */
  public boolean unschedulable() {
    return chosen == CronCalendar.NONE;
  }

  /** Why the period is unschedulable, or null where it is not. */
  public @Nullable String reason() {
    return unschedulable() ? whyUnschedulable(schedule.choosesExactly()) : null;
  }

  /**
   * Why a period is unschedulable.
   *
   * @param exact whether seconds are drawn from the allowed ones alone
   */
  public static String whyUnschedulable(boolean exact) {
    return exact ? NONE_ALLOWED : NONE_ACCEPTED;
  }

  /**
   * The number of the accepted candidate; 0 where the window is a single second, 1 where the choice
   * is exact.
   */
  public int attempts() {
    return attempts;
  }

  public int maxAttempts() {
    return schedule.maxAttempts();
  }

  /**
   * When this period's turn comes as far as it alone is concerned: at the chosen second or, where
   * there is none, at the window's end. {@link DueTimes} takes the periods before it into account.
   */
  public long ownDueEpochSecond() {
    return unschedulable() ? windowEndEpochSecond() : chosen;
  }

  /** The candidates that were drawn and not allowed, drawn once more. */
  public List<Rejection> rejections() {
    List<Rejection> rejections = new ArrayList<>();
    if (attempts == 0) {
      if (unschedulable()) {
        reject(0, windowStartEpochSecond(), rejections);
      }
      return rejections;
    }
    if (schedule.choosesExactly()) {
      return rejections;
    }
    int rejected = unschedulable() ? attempts : attempts - 1;
    long state = streamStart();
    for (int attempt = 1; attempt <= rejected; attempt++) {
      state = SplitMix64.advance(state);
      reject(attempt, schedule.candidate(nominal, SplitMix64.draw(state)), rejections);
    }
    return rejections;
  }

  private void reject(int attempt, long candidate, List<Rejection> rejections) {
    String clause = schedule.constraints().rejection(schedule.local(candidate));
    if (clause == null) {
      throw new AssertionError("candidate " + candidate + " of " + this + " is allowed");
    }
    rejections.add(new Rejection(attempt, Instant.ofEpochSecond(candidate), clause));
  }

  private long streamStart() {
    return periodId == null
        ? SeedHash.state(identity, schedule.seed(), schedule.clock(), nominal)
        : Draws.state(seedMaterial());
  }

  @Override
  public String toString() {
    return identity
        + " "
        + periodId()
        + " -> "
        + (unschedulable() ? reason() : Instant.ofEpochSecond(chosen).toString());
  }
}
