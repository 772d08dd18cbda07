package dev.kron.scheduler;

import dev.kron.cron.CronCalendar;
import dev.kron.cron.CronExpression;
import dev.kron.schedule.Schedule;
import dev.kron.schedule.Seed;
import dev.kron.schedule.Window;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A list of registrations in which everything is valid, each with its timetable.
 *
 * @param timetables of the registrations, in their order; equal ones are shared
 */
record CheckedRegistrations(List<Registration> registrations, List<TaskTimetable> timetables) {

  /**
   * The scheduler for which registrations are checked.
   *
   * @param name the scheduler's
   * @param instance which of the schedulers of that name it is
   */
  record Owner(String name, String instance, ZoneId zone) {}

  /**
   * @throws SchedulerException of the type that names what is wrong with the first registration
   *     that is not valid
   */
  static CheckedRegistrations check(
      @Nullable List<? extends @Nullable Registration> given, Owner owner) {
    if (given == null) {
      throw new RegistrationsNotArrayException();
    }
    List<Registration> registrations = new ArrayList<>(given.size());
    List<TaskTimetable> timetables = new ArrayList<>(given.size());
    Timetables known = new Timetables(owner);
    Set<String> names = HashSet.newHashSet(given.size());
    for (Registration registration : given) {
      int index = registrations.size();
      Registration whole = requireShape(registration, index);
      if (whole.name().isEmpty()) {
        throw new InvalidRegistrationException(index, "name", whole.name(), "must not be empty");
      }
      if (!names.add(whole.name())) {
        throw new ScheduleDuplicateTaskException(whole.name());
      }
      requireOptions(whole.options(), index);
      timetables.add(known.of(whole));
      if (whole.retryDelay().isNegative()) {
        throw new NegativeRetryDelayException(whole.retryDelay());
      }
      registrations.add(whole);
    }
    return new CheckedRegistrations(registrations, timetables);
  }

  /** Callers are Java programs of all kinds: nullness is checked here, not believed. */
  @SuppressWarnings("ConstantValue")
  private static Registration requireShape(@Nullable Registration registration, int index) {
    if (registration == null
        || registration.name() == null
        || registration.cronExpression() == null
        || registration.callback() == null
        || registration.retryDelay() == null
        || registration.options() == null
        || registration.options().window() == null) {
      throw new RegistrationShapeException(index, registration);
    }
    return registration;
  }

  private static void requireOptions(TaskOptions options, int index) {
    if (options.retryLimit() < 0) {
      throw invalid(index, "retryLimit", options.retryLimit(), "must not be negative");
    }
    if (!(options.backoff() >= 1) || Double.isInfinite(options.backoff())) {
      throw invalid(index, "backoff", options.backoff(), "must be a finite number of at least 1");
    }
    Duration longest = options.longestRetryDelay();
    if (longest != null && longest.isNegative()) {
      throw invalid(index, "longestRetryDelay", longest, "must not be negative");
    }
    Duration timeout = options.timeout();
    if (timeout != null && !timeout.isPositive()) {
      throw invalid(index, "timeout", timeout, "must be longer than nothing");
    }
    Duration window = options.window();
    if (window.isNegative() || window.compareTo(Duration.ofNanos(Window.LONGEST_NANOS)) > 0) {
      throw invalid(index, "window", window, "must last from nothing to 366 days");
    }
  }

  private static InvalidRegistrationException invalid(
      int index, String field, Object value, String reason) {
    return new InvalidRegistrationException(index, field, value.toString(), reason);
  }

  int size() {
    return registrations.size();
  }

  /** Timetables, made once for all tasks that can share one: there may be a million of them. */
  private static final class Timetables {
    private final Owner owner;
    private final Map<Object, TaskTimetable> shared = new HashMap<>();

    /** The difference between timetables without a window, if the zone is not the scheduler's. */
    private record Place(String expression, ZoneId zone) {}

    Timetables(Owner owner) {
      this.owner = owner;
    }

    TaskTimetable of(Registration registration) {
      ZoneId chosen = registration.options().zone();
      String expression = registration.cronExpression();
      Object key = chosen == null ? expression : new Place(expression, chosen);
      TaskTimetable plain = shared.get(key);
      if (plain == null) {
        plain =
            TaskTimetable.of(
                new CronCalendar(parse(expression), chosen == null ? owner.zone : chosen));
        shared.put(key, plain);
      }
      Duration window = registration.options().window();
      return window.isZero() ? plain : spread(plain.calendar(), window, registration.name());
    }

    private TaskTimetable spread(CronCalendar calendar, Duration window, String taskName) {
      Schedule schedule =
          Schedule.spread(
              calendar.expression(),
              calendar.zone(),
              new Window(Window.Mode.AFTER, window.toNanos()),
              new Seed(Seed.Strategy.STABLE, owner.instance));
      return TaskTimetable.of(calendar, schedule, owner.name + "/" + taskName);
    }

    private static CronExpression parse(String expression) {
      try {
        return CronExpression.posix(expression);
      } catch (dev.kron.cron.InvalidCronExpressionException invalid) {
        throw new CronExpressionInvalidException(new InvalidCronExpressionException(invalid));
      }
    }
  }
}
