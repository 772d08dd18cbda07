package dev.kron.bench;

import dev.kron.cron.CronCalendar;
import dev.kron.schedule.Schedule;
import java.text.ParseException;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.Map;
import java.util.TimeZone;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * The next match of days that are counted from the end of the month, or as the nth weekday: ours
 * and the two peers that know such words. The instants are those of {@link CronBenchmark}.
 */
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init") // JMH calls the setup
public class CountedDaysBenchmark {
  private static final Map<String, String> QUARTZ =
      Map.of(
          "0 3 L * *", "0 0 3 L * ?",
          "0 3 L-2 * *", "0 0 3 L-2 * ?",
          "0 3 * * 5#2", "0 0 3 ? * 6#2",
          "0 3 * * 5L", "0 0 3 ? * 6L");

  @Param({"0 3 L * *", "0 3 L-2 * *", "0 3 * * 5#2", "0 3 * * 5L"})
  public String expression;

  private final long[] seconds = CronBenchmark.instants();
  private final ZonedDateTime[] zoned = new ZonedDateTime[seconds.length];
  private final Date[] dates = new Date[seconds.length];
  private int at;

  private CronCalendar kron;
  private org.springframework.scheduling.support.CronExpression spring;
  private org.quartz.CronExpression quartz;

  @Setup
  public void setUp() throws ParseException {
    for (int i = 0; i < seconds.length; i++) {
      zoned[i] = Instant.ofEpochSecond(seconds[i]).atZone(CronBenchmark.ZONE);
      dates[i] = Date.from(Instant.ofEpochSecond(seconds[i]));
    }
    kron = new CronCalendar(dev.kron.cron.CronExpression.krontab(expression), CronBenchmark.ZONE);
    spring = org.springframework.scheduling.support.CronExpression.parse("0 " + expression);
    quartz = new org.quartz.CronExpression(QUARTZ.get(expression));
    quartz.setTimeZone(TimeZone.getTimeZone(CronBenchmark.ZONE));
  }

  @Benchmark
  public long kron() {
    return kron.next(seconds[index()]);
  }

  @Benchmark
  public @Nullable ZonedDateTime spring() {
    return spring.next(zoned[index()]);
  }

  @Benchmark
  public Date quartz() {
    return quartz.getNextValidTimeAfter(dates[index()]);
  }

  private int index() {
    return at++ & (seconds.length - 1);
  }

  /** The next multiple of an interval; no peer has one that does not depend on when it began. */
  @State(Scope.Thread)
  public static class Every {
    @Param({"@every(90m)", "@every(90m,from=2026-01-01T00:00:00Z)"})
    public String schedule;

    private final long[] seconds = CronBenchmark.instants();
    private Schedule parsed;
    private int at;

    @Setup
    public void setUp() {
      parsed = Schedule.parse(schedule);
    }

    @Benchmark
    public long kron() {
      return parsed.next(seconds[at++ & (seconds.length - 1)]);
    }
  }
}
