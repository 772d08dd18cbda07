package dev.kron.scheduler;

import dev.kron.cron.CronCalendar;
import dev.kron.cron.CronExpression;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A list of registrations in which everything is valid, each with its calendar.
 *
 * @param calendars of the registrations, in their order; equal expressions share one
 */
record CheckedRegistrations(List<Registration> registrations, List<CronCalendar> calendars) {

  /**
   * @throws SchedulerException of the type that names what is wrong with the first registration
   *     that is not valid
   */
  static CheckedRegistrations check(
      @Nullable List<? extends @Nullable Registration> given, ZoneId zone) {
    if (given == null) {
      throw new RegistrationsNotArrayException();
    }
    List<Registration> registrations = new ArrayList<>(given.size());
    List<CronCalendar> calendars = new ArrayList<>(given.size());
    Map<String, CronCalendar> parsed = new HashMap<>();
    Set<String> names = HashSet.newHashSet(given.size());
    for (Registration registration : given) {
      Registration whole = requireShape(registration, registrations.size());
      if (whole.name().isEmpty()) {
        throw new InvalidRegistrationException(
            registrations.size(), "name", whole.name(), "must not be empty");
      }
      if (!names.add(whole.name())) {
        throw new ScheduleDuplicateTaskException(whole.name());
      }
      CronCalendar calendar = parsed.get(whole.cronExpression());
      if (calendar == null) {
        calendar = new CronCalendar(parse(whole.cronExpression()), zone);
        parsed.put(whole.cronExpression(), calendar);
      }
      if (whole.retryDelay().isNegative()) {
        throw new NegativeRetryDelayException(whole.retryDelay());
      }
      registrations.add(whole);
      calendars.add(calendar);
    }
    return new CheckedRegistrations(registrations, calendars);
  }

  /** Callers are Java programs of all kinds: nullness is checked here, not believed. */
  @SuppressWarnings("ConstantValue")
  private static Registration requireShape(@Nullable Registration registration, int index) {
    if (registration == null
        || registration.name() == null
        || registration.cronExpression() == null
        || registration.callback() == null
        || registration.retryDelay() == null) {
      throw new RegistrationShapeException(index, registration);
    }
    return registration;
  }

  private static CronExpression parse(String expression) {
    try {
      return CronExpression.posix(expression);
    } catch (dev.kron.cron.InvalidCronExpressionException invalid) {
      throw new CronExpressionInvalidException(new InvalidCronExpressionException(invalid));
    }
  }

  int size() {
    return registrations.size();
  }
}
