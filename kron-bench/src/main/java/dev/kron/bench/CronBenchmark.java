package dev.kron.bench;

import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import dev.kron.cron.CronCalendar;
import java.text.ParseException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TimeZone;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * The next match in Europe/Paris after an instant of the years 2026 to 2029: ours and three peers.
 * Each gets the instants in the type that it takes, made beforehand, a different one at every call.
 */
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init") // JMH calls the setup
public class CronBenchmark {
  static final ZoneId ZONE = ZoneId.of("Europe/Paris");
  static final int INSTANTS = 1 << 12;

  /** The peers write seconds first; Quartz numbers weekdays from 1 and wants a question mark. */
  private static final Map<String, String> QUARTZ =
      Map.of(
          "* * * * *", "0 * * * * ?",
          "*/5 * * * *", "0 */5 * * * ?",
          "15 3 * * 1-5", "0 15 3 ? * 2-6",
          "0 0 29 2 *", "0 0 0 29 2 ?",
          // Quartz takes a day of month or a weekday, never both: it gets the easier question.
          "0 0 13 * 5", "0 0 0 13 * ?");

  @Param({"* * * * *", "*/5 * * * *", "15 3 * * 1-5", "0 0 29 2 *", "0 0 13 * 5"})
  public String expression;

  final long[] seconds = instants();
  private final ZonedDateTime[] zoned = new ZonedDateTime[INSTANTS];
  private final Date[] dates = new Date[INSTANTS];
  private int at;

  private CronCalendar kron;
  private org.springframework.scheduling.support.CronExpression spring;
  private org.quartz.CronExpression quartz;
  private ExecutionTime cronUtils;

  /** Instants of the years 2026 to 2029, always the same. */
  static long[] instants() {
    long from = Instant.parse("2026-01-01T00:00:00Z").getEpochSecond();
    long to = Instant.parse("2030-01-01T00:00:00Z").getEpochSecond();
    return new SplittableRandom(2026).longs(INSTANTS, from, to).toArray();
  }

  @Setup
  public void setUp() throws ParseException {
    for (int i = 0; i < INSTANTS; i++) {
      zoned[i] = Instant.ofEpochSecond(seconds[i]).atZone(ZONE);
      dates[i] = Date.from(Instant.ofEpochSecond(seconds[i]));
    }
    kron = new CronCalendar(dev.kron.cron.CronExpression.krontab(expression), ZONE);
    spring = org.springframework.scheduling.support.CronExpression.parse("0 " + expression);
    quartz = new org.quartz.CronExpression(QUARTZ.get(expression));
    quartz.setTimeZone(TimeZone.getTimeZone(ZONE));
    var unix = CronDefinitionBuilder.instanceDefinitionFor(CronType.UNIX);
    cronUtils = ExecutionTime.forCron(new CronParser(unix).parse(expression));
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

  @Benchmark
  public Optional<ZonedDateTime> cronUtils() {
    return cronUtils.nextExecution(zoned[index()]);
  }

  private int index() {
    return at++ & (INSTANTS - 1);
  }
}
