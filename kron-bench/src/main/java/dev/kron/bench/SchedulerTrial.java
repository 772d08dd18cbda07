package dev.kron.bench;

import com.sun.management.OperatingSystemMXBean;
import dev.kron.bench.SchedulerContestant.TimeOfDay;
import java.lang.management.ManagementFactory;
import java.time.Clock;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** One trial of one contestant, in a process of its own: {@code CONTESTANT TRIAL TASKS}. */
public final class SchedulerTrial {
  private static final int IDLE_SECONDS = 60;
  private static final ZoneId ZONE = ZoneId.systemDefault();

  private SchedulerTrial() {}

  public static void main(String[] arguments) throws Exception {
    String contestant = arguments[0];
    int tasks = Integer.parseInt(arguments[2]);
    switch (arguments[1]) {
      case "register" -> register(contestant, tasks);
      case "burst" -> burst(contestant, tasks);
      default -> throw new IllegalArgumentException(arguments[1]);
    }
    System.exit(0);
  }

  private static void register(String contestant, int tasks) throws Exception {
    warmUp();
    // Spread over the day, but not over the next minutes: nothing shall run while this measures.
    LocalTime now = LocalTime.now(ZONE);
    List<TimeOfDay> times = new ArrayList<>();
    for (int i = 0; i < tasks; i++) {
      LocalTime time = now.plusMinutes(30 + i % (22 * 60));
      times.add(new TimeOfDay(time.getHour(), time.getMinute(), i % 60));
    }
    SchedulerContestant scheduler = SchedulerContestant.of(contestant, Clock.systemUTC(), () -> {});
    long before = usedBytes();
    long start = System.nanoTime();
    scheduler.register(times);
    long nanos = System.nanoTime() - start;
    long after = usedBytes();
    report("registerMicros", nanos / 1e3 / tasks);
    report("registerSeconds", nanos / 1e9);
    report("bytes", (after - before) / (double) tasks);
    var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    TimeUnit.SECONDS.sleep(10); // compilation of what just ran is not idling
    long cpu = system.getProcessCpuTime(); // counted in hundredths of a second: measure for long
    TimeUnit.SECONDS.sleep(IDLE_SECONDS);
    report("idlePercent", (system.getProcessCpuTime() - cpu) / 1e9 / IDLE_SECONDS * 100);
    if (times.size() + scheduler.hashCode() == 0) {
      throw new AssertionError("both are still needed");
    }
  }

  /** So that the first contestant does not pay for the classes that all use. */
  private static void warmUp() {
    for (int i = 0; i < 3; i++) {
      usedBytes();
    }
  }

  private static void burst(String contestant, int tasks) throws Exception {
    CountDownLatch started = new CountDownLatch(tasks);
    AtomicLong lastNanos = new AtomicLong();
    Runnable callback =
        () -> {
          lastNanos.accumulateAndGet(System.nanoTime(), Math::max);
          started.countDown();
        };
    // Registering takes seconds; the due moment is far enough away for the slowest.
    Duration ahead = Duration.ofSeconds(10 + tasks / 5000);
    ZonedDateTime now = ZonedDateTime.now(ZONE);
    long nowNanos = System.nanoTime();
    ZonedDateTime due = now.plus(ahead).truncatedTo(ChronoUnit.SECONDS);
    long dueNanos = nowNanos + Duration.between(now, due).toNanos();
    // A scheduler of whole minutes gets a clock by which the same moment is a full minute.
    Clock clock = Clock.offset(Clock.systemUTC(), Duration.ofSeconds(60 - due.getSecond()));
    ZonedDateTime minute = due.plusSeconds(60 - due.getSecond());
    boolean whole = contestant.equals("kron");
    TimeOfDay time =
        whole
            ? new TimeOfDay(minute.getHour(), minute.getMinute(), 0)
            : new TimeOfDay(due.getHour(), due.getMinute(), due.getSecond());
    List<TimeOfDay> times = new ArrayList<>();
    for (int i = 0; i < tasks; i++) {
      times.add(time);
    }
    SchedulerContestant.of(contestant, clock, callback).register(times);
    if (System.nanoTime() > dueNanos) {
      throw new IllegalStateException("registering took too long for this trial");
    }
    boolean all = started.await(ahead.toSeconds() + 120, TimeUnit.SECONDS);
    report("lastStartedSeconds", all ? (lastNanos.get() - dueNanos) / 1e9 : Double.NaN);
  }

  private static long usedBytes() {
    for (int i = 0; i < 4; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static void report(String name, double value) {
    System.out.println("figure " + name + " " + value);
  }
}
