package dev.kron.schedule;

import dev.kron.cron.Boot;
import dev.kron.cron.ClockChangeRule;
import dev.kron.cron.CronCalendar;
import dev.kron.cron.CronExpression;
import dev.kron.cron.Every;
import dev.kron.cron.Manual;
import dev.kron.cron.NominalTimes;
import dev.kron.cron.ZoneTimeline;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.ZoneId;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Nominal times with their zone, window, distribution, seed, policy and constraints. Immutable and
 * thread-safe.
 *
 * <p>{@link #next} and {@link #previous} find nominal times, {@link #decide} chooses the second of
 * one of them. A decision depends on nothing but the schedule, the identity and the nominal time.
 */
public final class Schedule {
  private static final double LARGEST_BELOW_ONE = 0x1.fffffffffffffp-1;

  private final NominalTimes times;
  private final ZoneId zone;
  private final ZoneTimeline clock;
  private final Selection selection;
  private final Policy policy;
  private final Curve curve;
  private final int startOffsetSeconds;
  private final int windowSeconds;
  private final @Nullable String written;

  Schedule(
      NominalTimes times,
      ZoneId zone,
      Selection selection,
      Policy policy,
      @Nullable String written) {
    this.written = written;
    this.times = times;
    this.zone = zone;
    this.clock = ZoneTimeline.of(zone);
    this.selection = selection;
    this.policy = policy;
    this.startOffsetSeconds = (int) selection.window().startOffsetSeconds();
    this.windowSeconds = (int) selection.window().seconds();
    this.curve =
        windowSeconds == 0
            ? Curve.Uniform.INSTANCE
            : selection.distribution().over(selection.window());
  }

  /** An expression whose periods are spread evenly over a window, with nothing else to it. */
  public static Schedule spread(CronExpression cron, ZoneId zone, Window window, Seed seed) {
    var selection =
        new Selection(window, new Distribution.Uniform(), seed, Constraints.NONE, false);
    return new Schedule(new CronCalendar(cron, zone), zone, selection, Policy.DEFAULT, null);
  }

  /**
   * Reads a whole text as a schedule.
   *
   * @throws ScheduleSyntaxException with all that is wrong in it
   */
  public static Schedule parse(String text) {
    Prefix prefix = new ScheduleParser(text).readWhole();
    if (prefix.schedule() == null) {
      throw new ScheduleSyntaxException(prefix.problems());
    }
    return prefix.schedule();
  }

  /**
   * Reads the schedule that a krontab line begins with: five cron fields and every token after them
   * that starts with {@code @}. Never throws on bad input.
   */
  public static Prefix parsePrefix(String line) {
    return new ScheduleParser(line).readPrefix();
  }

  /**
   * What was read from the beginning of a line.
   *
   * @param schedule null where there are problems
   * @param problems what is wrong, in the order of the text, offsets counted in the line
   * @param end the offset of the first token that is not part of the schedule, or the line's length
   */
  public record Prefix(@Nullable Schedule schedule, List<Problem> problems, int end) {}

  /** Where its periods lie. */
  public NominalTimes times() {
    return times;
  }

  /** The five fields, or null where something else stands in their place. */
  public @Nullable CronExpression cron() {
    return times instanceof CronCalendar calendar ? calendar.expression() : null;
  }

  public ZoneId zone() {
    return zone;
  }

  public Window window() {
    return selection.window();
  }

  public Distribution distribution() {
    return selection.distribution();
  }

  public Seed seed() {
    return selection.seed();
  }

  public Policy policy() {
    return policy;
  }

  public Constraints constraints() {
    return selection.constraints();
  }

  /** The text that this schedule was read from, as its author wrote it. */
  public String written() {
    return written == null ? canonical() : written;
  }

  /** Whether a second is drawn from the allowed ones alone. */
  public boolean choosesExactly() {
    return selection.exact();
  }

  /** How many candidates are drawn at most. */
  int maxAttempts() {
    return selection.exact() ? 1 : Decision.MAX_ATTEMPTS;
  }

  /** The nominal time of the first period after the given second, or {@code NominalTimes.NONE}. */
  public long next(long epochSecond) {
    return times.next(epochSecond);
  }

  /** The nominal time of the last period at or before the given second, or {@code NONE}. */
  public long previous(long epochSecond) {
    return times.previous(epochSecond);
  }

  /** Whether a second is the nominal time of a period. */
  public boolean isNominal(long epochSecond) {
    return previous(epochSecond) == epochSecond;
  }

  /** Decides the second of one period; {@code nominal} must be one of this schedule's. */
  public Decision decide(String identity, long nominal) {
    if (windowSeconds == 0) {
      long start = nominal + startOffsetSeconds;
      long chosen = allow(start) ? start : CronCalendar.NONE;
      return new Decision(this, identity, nominal, chosen, 0);
    }
    long state = SeedHash.state(identity, seed(), clock, nominal);
    if (selection.exact()) {
      AllowedSeconds allowed = AllowedSeconds.of(this, nominal);
      double u = SplitMix64.draw(SplitMix64.advance(state));
      long chosen = allowed.count() == 0 ? CronCalendar.NONE : allowed.choose(u);
      return new Decision(this, identity, nominal, chosen, 1);
    }
    for (int attempt = 1; attempt <= Decision.MAX_ATTEMPTS; attempt++) {
      state = SplitMix64.advance(state);
      long candidate = candidate(nominal, SplitMix64.draw(state));
      if (allow(candidate)) {
        return new Decision(this, identity, nominal, candidate, attempt);
      }
    }
    return new Decision(this, identity, nominal, CronCalendar.NONE, Decision.MAX_ATTEMPTS);
  }

  /**
   * Decides the second of the one period of a boot, of which only this schedule's window after it
   * and its distribution speak.
   *
   * @param periodId stands for the period in the seed
   * @param nominal when the daemon was first ready in that boot
   */
  public Decision decideBoot(String identity, String periodId, long nominal) {
    double u = Draws.of(1, identity, periodId, seed().salt());
    long chosen = windowSeconds == 0 ? nominal : candidate(nominal, u);
    return new Decision(this, identity, periodId, nominal, chosen, windowSeconds == 0 ? 0 : 1);
  }

  /** The second that a draw stands for. */
  long candidate(long nominal, double u) {
    double x = curve.quantile(u);
    x = x > 0 ? Math.min(x, LARGEST_BELOW_ONE) : 0;
    // Rounding may carry the product up to W + 1, one past the end.
    long second = Math.min((long) (x * (windowSeconds + 1)), windowSeconds);
    return nominal + startOffsetSeconds + second;
  }

  private boolean allow(long candidate) {
    return constraints().isEmpty() || constraints().allow(local(candidate));
  }

  /** A second's local time, counted as if that were UTC. */
  long local(long epochSecond) {
    return epochSecond + clock.offsetSeconds(epochSecond);
  }

  /** Local time in the schedule's zone. */
  ZoneTimeline clock() {
    return clock;
  }

  /** The distribution over this schedule's window. */
  Curve curve() {
    return curve;
  }

  /**
   * The shortest text that means this schedule: modifiers in a fixed order, defaults left out,
   * values in one form. Reading it gives an equal schedule.
   */
  public String canonical() {
    StringBuilder text = new StringBuilder(deciding());
    if (!policy.isDefault()) {
      text.append(' ').append(policy);
    }
    return text.toString();
  }

  private String deciding() {
    StringBuilder text = new StringBuilder(when());
    if (!window().isNone()) {
      text.append(' ').append(window());
    }
    if (!(distribution() instanceof Distribution.Uniform)) {
      text.append(' ').append(distribution().canonical());
    }
    if (!seed().isStable()) {
      text.append(' ').append(seed());
    }
    text.append(constraints().isEmpty() ? "" : " " + constraints());
    return text.append(selection.exact() ? " " + Selection.EXACT : "").toString();
  }

  private String when() {
    String written =
        switch (times) {
          case CronCalendar calendar -> canonical(calendar);
          case Every every -> canonical(every);
          case Manual manual -> Modifier.MANUAL.word();
          case Boot boot -> Modifier.BOOT.word();
        };
    return written + (zone.getId().equals("UTC") ? "" : " @tz(" + zone.getId() + ")");
  }

  private static String canonical(CronCalendar calendar) {
    ClockChangeRule rule = calendar.rule();
    return calendar.canonical()
        + (rule == ClockChangeRule.BOTH ? "" : " @dst(" + rule.text() + ")");
  }

  private static String canonical(Every every) {
    return "@every("
        + GoDuration.format(every.intervalSeconds() * 1_000_000_000)
        + (every.from() == 0 ? "" : ",from=" + PeriodKey.periodId(every.from()))
        + ")";
  }

  /**
   * Names what this schedule chooses: equal for two texts that mean the same, however they are
   * written. The policy is no part of it, since it does not change which seconds are chosen; nor
   * are distribution and seed where there is no window to choose from.
   */
  public String fingerprint() {
    String text = windowSeconds > 0 ? deciding() : when() + " " + constraints();
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new LinkageError("every Java platform has SHA-256", e);
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Schedule that && canonical().equals(that.canonical());
  }

  @Override
  public int hashCode() {
    return canonical().hashCode();
  }

  @Override
  public String toString() {
    return canonical();
  }
}
